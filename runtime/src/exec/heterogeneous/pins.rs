//! Buffers of the RAM that devices copy by themselves. A buffer is pinned when it is first copied
//! to or from a device, and until it goes back to the system: to pin takes about as long as a copy
//! through another buffer, once.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::accelerator::Accelerator;
use crate::memory::{Leaving, MAPPED_FROM};

/// What is pinned.
pub(super) struct Pins {
    /// Who pins, for itself and its like.
    device: Arc<dyn Accelerator>,
    /// Most bytes that are pinned: what is pinned cannot be swapped.
    most: usize,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    bytes: usize,
    /// By address, the bytes that are pinned there; 0: it cannot be.
    places: HashMap<usize, usize>,
}

impl std::fmt::Debug for Pins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pins").field("most", &self.most).finish_non_exhaustive()
    }
}

impl Pins {
    pub(super) fn new(device: Arc<dyn Accelerator>) -> Self {
        Self { device, most: physical_bytes() / 2, inside: Mutex::default() }
    }

    /// Pins the buffer of `bytes` bytes at `place` if it is not yet; says whether it is.
    ///
    /// # Safety
    /// It is a whole buffer of a cache that [tells](crate::memory::BufferCache::tell) this of what
    /// leaves it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn pin(&self, place: NonNull<u8>, bytes: usize) -> bool {
        if bytes < MAPPED_FROM {
            return false;
        }
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let Inside { bytes: all, places } = &mut *inside;
        let pinned = *places.entry(place.as_ptr() as usize).or_insert_with(|| {
            let fits = *all + bytes <= self.most;
            // SAFETY: a buffer of this size is whole pages, which stay until it leaves its cache.
            let is_pinned = fits && unsafe { self.device.pin(place, bytes) };
            let pinned = if is_pinned { bytes } else { 0 };
            *all += pinned;
            pinned
        });
        pinned > 0
    }
}

impl Leaving for Pins {
    #[allow(unsafe_code)]
    fn leaves(&self, buffer: NonNull<u8>) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(bytes) = inside.places.remove(&(buffer.as_ptr() as usize)) else { return };
        inside.bytes -= bytes;
        if bytes > 0 {
            // SAFETY: it was pinned, and a buffer that leaves is copied by nobody.
            unsafe { self.device.unpin(buffer) };
        }
    }
}

/// Bytes of memory that the machine has; 0 if it does not tell.
#[cfg(unix)]
#[allow(unsafe_code)]
fn physical_bytes() -> usize {
    // SAFETY: it answers with a number.
    let ask = |name| usize::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0);
    ask(libc::_SC_PHYS_PAGES).saturating_mul(ask(libc::_SC_PAGESIZE))
}

/// Not asked for: nothing is pinned.
#[cfg(not(unix))]
fn physical_bytes() -> usize {
    0
}
