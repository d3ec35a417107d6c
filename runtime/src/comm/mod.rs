//! Moves messages between ranks, behind one trait; knows nothing of tasks.

mod local;
mod transport;

pub use local::Local;
pub use transport::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
