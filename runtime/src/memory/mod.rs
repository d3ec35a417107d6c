//! Where the data of handles lies: buffers, their cache, and the table that tasks find them in;
//! which memory holds what, and transfers between memories.

mod amount;
mod arbiter;
mod block;
mod cache;
mod replicas;
mod slab;
mod table;
mod transfer;

pub(crate) use amount::Amount;
pub(crate) use arbiter::Arbiter;
pub use block::Block;
pub use cache::{BufferCache, MemoryUse, OutOfMemory, rounded};
pub(crate) use cache::{Leaving, MAPPED_FROM};
pub use replicas::{Replica, Replicas};
pub(crate) use slab::{CHUNK, Numbers, Slab};
pub(crate) use table::{Copy, HandleSlot, HandleTable};
pub use table::{Merge, Reduction};
pub use transfer::Transfer;
pub(crate) use transfer::TransferQueue;
