//! Buffers in the memory of a device, kept for reuse by size: a device takes long to allocate.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::cuda::Spare;
use crate::exec::accelerator::{Accelerator, DeviceError};
use crate::memory::rounded;

/// The buffers of one device.
pub(super) struct Heap {
    /// Most bytes in buffers, as long as giving back spare ones helps.
    limit: usize,
    kept: Arc<Kept>,
}

/// What a heap has of its device.
struct Kept {
    device: Arc<dyn Accelerator>,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    spare: HashMap<usize, Vec<Place>>,
    bytes: usize,
}

struct Place(NonNull<u8>);

// SAFETY: an address in the memory of a device, which is plain bytes.
#[allow(unsafe_code)]
unsafe impl Send for Place {}

impl Heap {
    pub(super) fn new(device: Arc<dyn Accelerator>, limit: Option<u64>) -> Self {
        let limit = limit.map_or(usize::MAX, |bytes| bytes as usize);
        let kept = Arc::new(Kept { device, inside: Mutex::default() });
        let spare: Weak<dyn Spare> = Arc::downgrade(&kept) as _;
        kept.device.add_spare(spare);
        Self { limit, kept }
    }

    /// The device.
    pub(super) fn device(&self) -> &Arc<dyn Accelerator> {
        &self.kept.device
    }

    /// A buffer of `bytes` bytes, whose contents are not known.
    pub(super) fn take(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let size = rounded(bytes);
        let mut inside = self.kept.inside();
        if let Some(Place(place)) = inside.spare.get_mut(&size).and_then(Vec::pop) {
            return Ok(place);
        }
        if inside.bytes + size > self.limit {
            self.kept.trim(&mut inside);
        }
        let mut place = self.kept.device.allocate(size);
        if matches!(place, Err(DeviceError::OutOfMemory { .. })) {
            self.kept.trim(&mut inside);
            place = self.kept.device.allocate(size);
        }
        inside.bytes += if place.is_ok() { size } else { 0 };
        place
    }

    /// Takes a buffer of `bytes` bytes back.
    ///
    /// # Safety
    /// It came from [`take`](Self::take) with the same size, and nobody uses it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn give(&self, place: NonNull<u8>, bytes: usize) {
        self.kept.inside().spare.entry(rounded(bytes)).or_default().push(Place(place));
    }

    /// Bytes in buffers, spare ones included.
    pub(super) fn bytes(&self) -> usize {
        self.kept.inside().bytes
    }
}

impl Kept {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives every spare buffer back to the device.
    #[allow(unsafe_code)]
    fn trim(&self, inside: &mut Inside) {
        for (size, places) in inside.spare.drain() {
            for Place(place) in places {
                // SAFETY: allocated with this size, and spare.
                unsafe { self.device.free(place, size) };
                inside.bytes -= size;
            }
        }
    }
}

impl Spare for Kept {
    fn give_back(&self) {
        self.trim(&mut self.inside());
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let mut inside = std::mem::take(&mut *self.inside());
        self.trim(&mut inside);
    }
}
