//! Working memory of the libraries: one buffer per device, which all tasks on its stream share, since
//! they run one after the other.

use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaSlice, DevicePtr};
use tegula_runtime::flow::{Failure, Launch};

use super::caught;

/// The buffer, as large as the largest that was asked for.
#[derive(Default)]
struct Workspace(Mutex<Option<CudaSlice<u8>>>);

/// The address of `bytes` bytes that are the task's until it ends; what they hold is not known.
///
/// # Errors
/// If the device has not as many.
#[allow(unsafe_code)]
pub(crate) fn workspace(launch: &Launch<'_>, bytes: usize) -> Result<u64, Failure> {
    let tool = launch.tool(|_| Ok(Workspace::default()))?;
    let mut room = tool.0.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = launch.stream();
    if room.as_ref().is_none_or(|room| room.len() < bytes) {
        // The old one goes when what is on the stream has ended.
        *room = None;
        // SAFETY: nobody reads it before writing.
        *room = Some(caught("libcuda", || unsafe { stream.alloc::<u8>(bytes.max(1)) })?);
    }
    let room = room.as_ref().ok_or("a workspace that was just made")?;
    Ok(room.device_ptr(stream).0)
}
