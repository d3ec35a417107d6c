//! Tegula's task runtime: schedules tasks and moves data; knows nothing of matrices.
//!
//! Read [`flow`] first: it is what programs see. [`exec`] runs a flow on this machine, [`sim`] in
//! virtual time, both under the policies of [`sched`].

pub mod comm;
pub mod cuda;
pub mod dispatch;
pub mod exec;
pub mod flow;
pub mod memory;
pub mod platform;
pub mod random;
pub mod ranks;
pub mod sched;
pub mod sim;
mod sync;
pub mod trace;
mod types;
pub mod watch;
