//! Moves messages between ranks, behind one trait; knows nothing of tasks.

mod beside;
mod clocks;
mod local;
pub mod mpi;
mod transport;
mod world;

pub use clocks::Clocks;
pub use local::Local;
pub use mpi::Mpi;
pub use transport::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
pub(crate) use world::Line;
pub use world::World;

/// Ends this process at once, without calling what libraries have registered for its end: a
/// transport that waits for a rank which is gone would wait there, too.
#[allow(unsafe_code)]
pub fn leave(code: u8) -> ! {
    // SAFETY: ends the process, and reads nothing.
    unsafe { libc::_exit(i32::from(code)) }
}
