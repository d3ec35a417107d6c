//! How a task on a device tells that it failed: a number there, 0 or an index from 1, which is
//! copied to the host behind the task's work and looked at when that has ended.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tegula_runtime::cuda::{DriverError, OnDevice, Pinned, Stream};
use tegula_runtime::flow::{Failure, Launch};

use super::driver;
use crate::error::NumericalError;

/// Verdicts of one stream, used in turn: more than it ever has tasks under way.
const COUNT: usize = 256;

/// Bytes of one verdict.
const BYTES: usize = size_of::<i32>();

/// Room for verdicts, on the device and in pinned memory of the host: each number there is written
/// by the device for one task and read after that.
struct Board {
    device: OnDevice,
    host: Pinned,
    next: AtomicUsize,
}

impl Board {
    fn new(stream: &Arc<Stream>) -> Result<Self, DriverError> {
        let device = OnDevice::new(stream, COUNT * BYTES)?;
        let host = Pinned::new(stream.context(), COUNT * BYTES)?;
        Ok(Self { device, host, next: AtomicUsize::new(0) })
    }
}

/// The verdict of one task.
pub(crate) struct Verdict {
    board: Arc<Board>,
    place: usize,
}

impl Verdict {
    /// A verdict, 0 as the task begins.
    #[allow(unsafe_code)]
    pub(crate) fn new(launch: &Launch<'_>) -> Result<Self, Failure> {
        let board = launch.tool(|stream| driver(Board::new(stream)))?;
        let place = board.next.fetch_add(1, Ordering::Relaxed) % COUNT;
        let verdict = Self { board, place };
        // SAFETY: the place is on the board.
        driver(unsafe { launch.stream().zero(verdict.address(), BYTES) })?;
        Ok(verdict)
    }

    /// Where it lies on the device.
    pub(crate) fn address(&self) -> u64 {
        self.board.device.place() + (self.place * BYTES) as u64
    }

    /// Has the task fail with `error` of the index if it is not 0 when the work so far has ended.
    #[allow(unsafe_code)]
    pub(crate) fn check(
        self,
        launch: &Launch<'_>,
        error: impl FnOnce(usize) -> NumericalError + Send + 'static,
    ) -> Result<(), Failure> {
        let to = self.host().as_ptr().cast();
        // SAFETY: both ends are on the board, and no other task under way has them.
        driver(unsafe { launch.stream().fetch(self.address(), to, BYTES) })?;
        launch.check(move || {
            // SAFETY: the copy has ended.
            match unsafe { self.host().as_ptr().read_volatile() } {
                0 => Ok(()),
                index => Err(error(index.unsigned_abs() as usize).into()),
            }
        });
        Ok(())
    }

    #[allow(unsafe_code)]
    fn host(&self) -> NonNull<i32> {
        // SAFETY: the place is on the board.
        unsafe { self.board.host.pointer().cast::<i32>().add(self.place) }
    }
}
