//! Moves messages between ranks, behind one trait; knows nothing of tasks.

mod local;
pub mod mpi;
mod transport;
pub mod watch;
mod world;

pub use local::Local;
pub use mpi::Mpi;
pub use transport::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
pub(crate) use world::Line;
pub use world::World;
