//! Copies between pageable memory and a device through two pinned buffers, one of which is copied by
//! the host while the other is on its way.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};

/// Bytes of one pinned buffer. A device has four: pinned memory cannot be swapped, so that there
/// should be little of it.
const CHUNK: usize = 4 << 20;

/// Pinned memory of the host.
struct Pinned {
    pointer: NonNull<u8>,
    context: Arc<CudaContext>,
}

// SAFETY: it owns its memory, which is plain bytes.
#[allow(unsafe_code)]
unsafe impl Send for Pinned {}

impl Pinned {
    #[allow(unsafe_code)]
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        // SAFETY: a fresh allocation in the context that is current.
        let pointer = unsafe { result::malloc_host(CHUNK, 0) }?;
        let pointer = NonNull::new(pointer.cast::<u8>());
        let none = DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        Ok(Self { pointer: pointer.ok_or(none)?, context: context.clone() })
    }

    #[allow(unsafe_code)]
    fn bytes(&mut self, count: usize) -> &mut [u8] {
        assert!(count <= CHUNK, "{count} bytes of a pinned buffer of {CHUNK}");
        // SAFETY: the buffer has that many bytes; the system hands them out initialised, and any
        // pattern is a byte.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), count) }
    }
}

impl Drop for Pinned {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        let bound = self.context.bind_to_thread();
        // SAFETY: allocated by `malloc_host`; the lane that owns it has waited for its copies.
        let freed = bound
            .and_then(|()| unsafe { result::free_host(self.pointer.as_ptr().cast::<c_void>()) });
        debug_assert!(freed.is_ok(), "pinned memory cannot be freed: {freed:?}");
    }
}

/// One direction between the host and a device.
pub(super) struct Lane {
    stream: Arc<CudaStream>,
    slots: [Slot; 2],
}

struct Slot {
    buffer: Pinned,
    /// Recorded after the copy that uses the buffer.
    done: CudaEvent,
}

impl Slot {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let blocking = sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC;
        let done = context.new_event(Some(blocking))?;
        Ok(Self { buffer: Pinned::new(context)?, done })
    }
}

impl Lane {
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        let slots = [Slot::new(context)?, Slot::new(context)?];
        Ok(Self { stream: context.new_stream()?, slots })
    }

    /// Copies `from` to the address `to` of the device, and waits for the end.
    ///
    /// # Safety
    /// There is room for as many bytes, and nobody else uses it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn bring(&mut self, from: &[u8], to: u64) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
        for (turn, chunk) in from.chunks(CHUNK).enumerate() {
            let slot = &mut slots[turn % 2];
            slot.done.synchronize()?;
            let pinned = slot.buffer.bytes(chunk.len());
            pinned.copy_from_slice(chunk);
            let place = to + (turn * CHUNK) as u64;
            // SAFETY: the caller's promise; the pinned buffer is not touched before `done`.
            unsafe { result::memcpy_htod_async(place, pinned, stream.cu_stream()) }?;
            slot.done.record(stream)?;
        }
        slots.iter().try_for_each(|slot| slot.done.synchronize())
    }

    /// Copies from the address `from` of the device, and waits for the end.
    ///
    /// # Safety
    /// There are as many bytes, and nobody writes them.
    #[allow(unsafe_code)]
    pub(super) unsafe fn fetch(&mut self, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
        let count = to.len().div_ceil(CHUNK);
        let length = |chunk: usize| CHUNK.min(to.len() - chunk * CHUNK);
        let lengths: Vec<usize> = (0..count).map(length).collect();
        for turn in 0..=count {
            if turn < count {
                let slot = &mut slots[turn % 2];
                let pinned = slot.buffer.bytes(lengths[turn]);
                let place = from + (turn * CHUNK) as u64;
                // SAFETY: the caller's promise; the pinned buffer is not touched before `done`.
                unsafe { result::memcpy_dtoh_async(pinned, place, stream.cu_stream()) }?;
                slot.done.record(stream)?;
            }
            if let Some(last) = turn.checked_sub(1) {
                let slot = &mut slots[last % 2];
                slot.done.synchronize()?;
                let pinned = slot.buffer.bytes(lengths[last]);
                to[last * CHUNK..][..lengths[last]].copy_from_slice(pinned);
            }
        }
        Ok(())
    }
}
