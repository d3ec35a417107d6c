//! CUDA devices, through the driver's library, which is looked for when the program runs: without it
//! there are no devices, and a reason.

mod device;
mod guard;
mod staging;

pub use device::Cuda;
use guard::guarded;

use cudarc::driver::{result, sys};

/// Why no CUDA device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no CUDA: {0}")]
pub struct NoCuda(String);

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
    if !is_driver_there() {
        return Err(NoCuda("libcuda is not there".to_owned()));
    }
    let count = guarded(|| {
        result::init()?;
        result::device::get_count()
    });
    let count = count.map_err(|reason| NoCuda(format!("the driver refuses: {reason}")))?;
    if count < 1 {
        return Err(NoCuda("the driver knows no device".to_owned()));
    }
    (0..count).map(|number| describe(number).map_err(NoCuda)).collect()
}

/// Whether the driver's library can be loaded.
#[allow(unsafe_code)]
fn is_driver_there() -> bool {
    // SAFETY: it loads and unloads the driver's library, whose initialisation is harmless.
    unsafe { sys::is_culib_present() }
}

#[allow(unsafe_code)]
fn describe(number: i32) -> Result<Found, String> {
    use sys::CUdevice_attribute_enum::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    };
    guarded(|| {
        let device = result::device::get(number)?;
        // SAFETY: the driver has just given this device.
        let (memory, major, minor) = unsafe {
            let major = result::device::get_attribute(device, MAJOR)?;
            let minor = result::device::get_attribute(device, MINOR)?;
            (result::device::total_mem(device)?, major, minor)
        };
        Ok(Found {
            number: number as usize,
            name: result::device::get_name(device)?,
            memory_bytes: memory as u64,
            capability: (major, minor),
        })
    })
    .map_err(|reason| format!("device {number} cannot be asked: {reason}"))
}
