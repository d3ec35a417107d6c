//! Working memory of the libraries: one buffer per stream, which all tasks on it share,
//! since they run one after the other.

use std::sync::{Mutex, PoisonError};

use tegula_runtime::cuda::OnDevice;
use tegula_runtime::flow::{Failure, Launch};

use super::driver;

/// The buffer, as large as the largest that was asked for.
#[derive(Default)]
struct Workspace(Mutex<Option<OnDevice>>);

/// The address of `bytes` bytes that are the task's until it ends; what they hold is not known.
///
/// # Errors
/// If the device has not as many.
pub(crate) fn workspace(launch: &Launch<'_>, bytes: usize) -> Result<u64, Failure> {
    let tool = launch.tool(|_| Ok(Workspace::default()))?;
    let mut room = tool.0.lock().unwrap_or_else(PoisonError::into_inner);
    if room.as_ref().is_none_or(|room| room.bytes() < bytes) {
        // The old one goes when what is on the stream has ended.
        *room = None;
        *room = Some(driver(OnDevice::new(launch.stream(), bytes.max(1)))?);
    }
    let room = room.as_ref().ok_or("a workspace that was just made")?;
    Ok(room.place())
}
