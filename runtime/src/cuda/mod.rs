//! The driver of CUDA devices: its functions, which are looked for when the program runs, and
//! owners of what it gives.
//!
//! Without the driver's library nothing here works, and says why. [`library`] finds libraries and
//! their functions, also for those who call others of NVIDIA's; `driver` is the table of what is
//! called of libcuda.

mod context;
mod driver;
mod energy;
mod event;
pub mod library;
mod memory;
mod module;
mod stream;

pub use context::{Context, Device, Spare};
pub use driver::{DriverError, Place};
pub use energy::EnergyCounters;
pub use event::{Event, Wait};
pub use memory::{OnDevice, Pinned};
pub use module::{Function, Module};
pub use stream::Stream;
