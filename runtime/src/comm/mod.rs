//! Moves messages between ranks, behind one trait; knows nothing of tasks.
//!
//! [`Transport`] moves *frames* (up to [`FRAME_BYTES`], copied, in order) and *messages* (any
//! length, from and to memory that stays where it is, under labels). [`Local`] does so between
//! threads of one process, [`Mpi`] between processes. `examples/message_rate.rs` measures either.
//! Of Open MPI on one node, frames of somewhat less than 4096 bytes are much faster than full ones,
//! which it sends only when the receiver answers.
//!
//! Collectives its flows a [`World`] compares clocks, brings what each rank has to rank 0
//! ([`World::gather`]), and has rank 0 told once a second how many tasks are done
//! ([`World::show_progress`]). Frames for that name no flow, so that they may come at any time and
//! nobody waits for them.

mod clocks;
mod collectives;
mod local;
pub mod mpi;
mod transport;
mod world;

pub use clocks::Clocks;
pub use local::Local;
pub use mpi::Mpi;
pub use transport::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
pub(crate) use world::Channel;
pub use world::World;

/// Ends this process at once, without calling what libraries have registered for its end: a
/// transport that waits for a rank which is gone would wait there, too.
#[allow(unsafe_code)]
pub fn leave(code: u8) -> ! {
    // SAFETY: ends the process, and reads nothing.
    unsafe { libc::_exit(i32::from(code)) }
}
