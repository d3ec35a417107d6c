//! CUDA devices, through the driver's library `libcuda`, which is looked for when the program runs:
//! where it, or a function of it, is missing, there are no devices, and a reason.
//!
//! Per device: four streams compute, two bring, two fetch, one sets to zero and copies from other
//! devices; the host's buffers are pinned as they are first copied, and what cannot be goes through
//! 32 MiB of pinned memory; buffers are kept by size up to the memory's capacity. A codelet runs
//! there if it has a CUDA side for its arguments
//! ([`Codelet::runs_on_cuda`](crate::flow::Codelet::runs_on_cuda),
//! [`Codelet::cuda`](crate::flow::Codelet::cuda)), which puts work on
//! [`Launch::stream`](crate::flow::Launch::stream); others go to cores.

mod device;
mod staging;

pub use device::{Cuda, SLOTS};

use crate::cuda::{Device, DriverError};

/// Why no CUDA device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no CUDA: {0}")]
pub struct NoCuda(String);

impl NoCuda {
    /// `what` went wrong because of `error`, unless there is no driver at all.
    fn new(what: &str, error: &DriverError) -> Self {
        if error.is_no_driver() {
            Self(error.to_string())
        } else {
            Self(format!("{what}: {error}"))
        }
    }
}

/// A CUDA device as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number, from 0.
    pub number: usize,
    /// What its maker calls it.
    pub name: String,
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// Its compute capability, major and minor.
    pub capability: (i32, i32),
}

/// The CUDA devices of this machine.
///
/// # Errors
/// If the driver's library is missing or refuses, or there is no device.
pub fn devices() -> Result<Vec<Found>, NoCuda> {
    let count = Device::count().map_err(|error| NoCuda::new("the driver refuses", &error))?;
    if count < 1 {
        return Err(NoCuda("the driver knows no device".to_owned()));
    }
    (0..count).map(describe).collect()
}

fn describe(number: usize) -> Result<Found, NoCuda> {
    let ask = || {
        let device = Device::new(number)?;
        Ok(Found {
            number,
            name: device.name()?,
            memory_bytes: device.memory_bytes()?,
            capability: device.capability()?,
        })
    };
    ask().map_err(|error: DriverError| {
        NoCuda::new(&format!("device {number} cannot be asked"), &error)
    })
}
