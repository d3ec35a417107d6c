//! How a task on a device tells that it failed: a number there, 0 or an index from 1, which is copied
//! to the host behind the task's work and looked at when that has ended.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DriverError, result, sys};
use tegula_runtime::flow::{Failure, Launch};

use super::caught;
use crate::error::NumericalError;

/// Verdicts of one device, used in turn: more than a device ever has tasks under way.
const COUNT: usize = 256;

/// Room for verdicts, on the device and in pinned memory of the host.
struct Board {
    device: CudaSlice<i32>,
    host: NonNull<i32>,
    next: AtomicUsize,
}

// SAFETY: the pinned memory belongs to the board; each of its numbers is written by the device for
// one task and read by the host after that.
#[allow(unsafe_code)]
unsafe impl Send for Board {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Board {}

impl Board {
    #[allow(unsafe_code)]
    fn new(stream: &Arc<CudaStream>) -> Result<Self, DriverError> {
        let device = stream.alloc_zeros::<i32>(COUNT)?;
        // SAFETY: a fresh allocation in the context that is current.
        let host = unsafe { result::malloc_host(COUNT * size_of::<i32>(), 0) }?;
        let none = DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        let host = NonNull::new(host.cast()).ok_or(none)?;
        Ok(Self { device, host, next: AtomicUsize::new(0) })
    }
}

impl Drop for Board {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        let context = self.device.context();
        // A device that is broken has nothing left to give back.
        let _ = caught("libcuda", || {
            context.bind_to_thread()?;
            // SAFETY: allocated by `malloc_host`; no task is under way.
            unsafe { result::free_host(self.host.as_ptr().cast::<c_void>()) }
        });
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
        let board = launch.tool(|stream| caught("libcuda", || Board::new(stream)))?;
        let place = board.next.fetch_add(1, Ordering::Relaxed) % COUNT;
        let verdict = Self { board, place };
        let (address, stream) = (verdict.address(launch), launch.stream().cu_stream());
        // SAFETY: the place is on the board.
        caught("libcuda", || unsafe {
            result::memset_d8_async(address, 0, size_of::<i32>(), stream)
        })?;
        Ok(verdict)
    }

    /// Where it lies on the device.
    pub(crate) fn address(&self, launch: &Launch<'_>) -> u64 {
        self.board.device.device_ptr(launch.stream()).0 + (self.place * size_of::<i32>()) as u64
    }

    /// Has the task fail with `error` of the index if it is not 0 when the work so far has ended.
    #[allow(unsafe_code)]
    pub(crate) fn check(
        self,
        launch: &Launch<'_>,
        error: impl FnOnce(usize) -> NumericalError + Send + 'static,
    ) -> Result<(), Failure> {
        let (address, stream) = (self.address(launch), launch.stream().cu_stream());
        // SAFETY: the place is on the board, and no other task under way has it.
        let number = unsafe { std::slice::from_raw_parts_mut(self.host().as_ptr(), 1) };
        // SAFETY: both ends are on the board.
        caught("libcuda", || unsafe { result::memcpy_dtoh_async(number, address, stream) })?;
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
        unsafe { self.board.host.add(self.place) }
    }
}
