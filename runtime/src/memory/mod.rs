//! Where the data of handles lies: buffers, their cache, and the table that tasks find them in.

mod cache;
mod replicas;
mod table;

pub use cache::{BufferCache, MemoryUse, OutOfMemory};
pub use replicas::{Replica, Replicas};
pub use table::Reduction;
pub(crate) use table::{Copy, HandleTable};
