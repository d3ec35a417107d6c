//! What the engine asks of an accelerator: memory, copies to and from it, and tasks in its queue.
//!
//! [`Accelerator`] is all that the engine asks of a device. Copying threads and the worker thread
//! of a device call it; they wait for ends on the host, so that the dispatcher alone orders copies
//! and tasks, and no stream waits for another. A device is given its next tasks before the last
//! have ended ([`Worker::slots`](crate::platform::Worker::slots)).
//!
//! [`cuda`] drives real devices; a test may give the engine a stand-in of its own, which is how all
//! that happens on the host is tested where there is no device: `tests/conformance/devices.rs` runs
//! random programs on stand-ins whose memory is the host's and whose queue is a thread, with little
//! memory, delays, and failures of copies, allocations and tasks.

pub mod cuda;
mod job;

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Weak;
use std::time::Duration;

pub use job::Job;

use crate::cuda::Spare;
use crate::flow::{Failure, TaskKernel};

/// An accelerator did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It has no room for a buffer.
    #[error("{device} has no room for {bytes} bytes")]
    OutOfMemory {
        /// Its name.
        device: String,
        /// Size of the buffer.
        bytes: usize,
    },
    /// It refused, or is broken.
    #[error("{device} cannot {action}: {reason}")]
    Failed {
        /// Its name.
        device: String,
        /// What it was to do.
        action: &'static str,
        /// What it said.
        reason: String,
    },
}

/// A device with a memory and a queue of tasks of its own.
///
/// Places in its memory are addresses that may mean nothing to the host. Calls may come from
/// several threads at once. Nothing here panics: whatever a library does, the answer is an error.
pub trait Accelerator: Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> &str;

    /// Whether it can run tasks of this `kernel`.
    fn runs(&self, kernel: TaskKernel<'_>) -> bool;

    /// A place for `bytes` bytes, at least one, aligned to 64; what it holds is not known.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or that of a broken device.
    fn allocate(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError>;

    /// Hands it buffers for later, which are asked to give memory back where kernels find too
    /// little.
    fn add_spare(&self, _spare: Weak<dyn Spare>) {}

    /// Takes a place back.
    ///
    /// # Safety
    /// It came from [`allocate`](Self::allocate) with as many bytes, and nobody uses it.
    #[allow(unsafe_code)]
    unsafe fn free(&self, place: NonNull<u8>, bytes: usize);

    /// Sets `bytes` bytes to zero; they are when it returns.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// The place has as many bytes, and nobody else uses it.
    #[allow(unsafe_code)]
    unsafe fn zero(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DeviceError>;

    /// Pins `bytes` bytes of the host, which are whole pages, so that this device and its like copy
    /// them by themselves; says whether it did.
    ///
    /// # Safety
    /// They are there, and stay until [`unpin`](Self::unpin).
    #[allow(unsafe_code)]
    unsafe fn pin(&self, _place: NonNull<u8>, _bytes: usize) -> bool {
        false
    }

    /// Takes back that memory of the host is pinned.
    ///
    /// # Safety
    /// [`pin`](Self::pin) has pinned it, and no copy of it is under way.
    #[allow(unsafe_code)]
    unsafe fn unpin(&self, _place: NonNull<u8>) {}

    /// Copies `from`, which may be pinned, to the device; it is there when it returns.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// The place has as many bytes, and nobody else uses it.
    #[allow(unsafe_code)]
    unsafe fn bring(
        &self,
        from: &[u8],
        to: NonNull<u8>,
        is_pinned: bool,
    ) -> Result<(), DeviceError>;

    /// Copies from the device to `to`, which may be pinned; it is there when it returns.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// The place has as many bytes, and nobody writes it.
    #[allow(unsafe_code)]
    unsafe fn fetch(
        &self,
        from: NonNull<u8>,
        to: &mut [u8],
        is_pinned: bool,
    ) -> Result<(), DeviceError>;

    /// Copies `bytes` bytes from another device, if there is a way that does not lead through the
    /// host: it is there when it returns. None: there is no such way.
    ///
    /// # Errors
    /// Those of the devices.
    ///
    /// # Safety
    /// Both places have as many bytes, nobody writes the source, and nobody else uses the other.
    #[allow(unsafe_code)]
    unsafe fn bring_from(
        &self,
        _peer: &dyn Accelerator,
        _from: NonNull<u8>,
        _to: NonNull<u8>,
        _bytes: usize,
    ) -> Option<Result<(), DeviceError>> {
        None
    }

    /// Puts a task into the queue; all calls come from one thread. Tasks may be computed at a time
    /// and end in any order: those in the queue do not depend on each other.
    ///
    /// # Errors
    /// If it cannot be put there.
    ///
    /// # Safety
    /// The buffers of `job` lie on this device, are used by no other thread as its accesses demand,
    /// and stay until the flight is over.
    #[allow(unsafe_code)]
    unsafe fn enqueue(&self, job: Job) -> Result<Box<dyn InFlight>, Failure>;

    /// Itself, so that a device recognises its like.
    fn as_any(&self) -> &dyn Any;
}

/// A task in the queue of a device.
pub trait InFlight: Send {
    /// How the task ended, once it has; to be asked for until it answers, and not again.
    fn poll(&mut self) -> Option<Result<(), Failure>>;

    /// How long the device had it alone or as the last of several, once it has ended: what all
    /// tasks took together is the sum. None: the device does not tell.
    fn busy(&self) -> Option<Duration> {
        None
    }
}
