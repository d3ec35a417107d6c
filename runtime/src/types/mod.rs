//! Names and small types that several rooms share; rooms in which programs look for them show them
//! as their own.

mod access;
mod context;
mod cost;
mod handle;
mod memory;
mod rank;
mod spot;
mod task;
mod worker;

pub use access::Access;
pub use context::{ContextId, JobId};
pub use cost::Cost;
pub use handle::{Handle, HandleId};
pub use memory::{MAX_MEMORIES, MemoryId};
pub use rank::Rank;
pub use spot::Spot;
pub(crate) use task::Kind;
pub use task::TaskId;
pub use worker::{ClassId, WorkerId};
