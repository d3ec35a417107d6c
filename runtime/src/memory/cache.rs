//! Buffers and their cache: what one task gives back the next one takes, without asking the system.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Alignment of every buffer in bytes: a cache line, and a vector register of AVX-512.
const ALIGNMENT: usize = 64;

/// Bytes of a page.
const PAGE: usize = 4096;
/// From this size on, buffers are mapped: the system hands out zeroed pages on first touch, so
/// that a page lies near the core that writes it first.
pub(crate) const MAPPED_FROM: usize = 64 * 1024;

/// The system has no memory for a buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: cannot allocate {bytes} bytes beside the {in_use} bytes in use")]
pub struct OutOfMemory {
    /// Size of the buffer that was asked for.
    pub bytes: usize,
    /// Bytes that the runtime's buffers occupied at that time.
    pub in_use: usize,
}

/// How much memory the buffers of a flow take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes in buffers now, cached ones included.
    pub bytes: usize,
    /// The most there ever were.
    pub peak_bytes: usize,
}

/// Buffers of any size, kept for reuse by size.
///
/// A buffer is zeroed when it comes from the system and holds old contents when it comes from the
/// cache.
#[derive(Debug)]
pub struct BufferCache {
    keep: bool,
    /// Most bytes in buffers, as long as giving back cached ones helps.
    limit: AtomicUsize,
    free: Mutex<HashMap<usize, Vec<Buffer>>>,
    bytes: AtomicUsize,
    peak: AtomicUsize,
    told: OnceLock<Arc<dyn Leaving>>,
}

/// Whoever is told of the buffers of a cache that go back to the system.
pub(crate) trait Leaving: std::fmt::Debug + Send + Sync {
    /// A buffer is about to.
    fn leaves(&self, buffer: NonNull<u8>);
}

/// An allocation that nobody uses.
#[derive(Debug)]
struct Buffer(NonNull<u8>);

// SAFETY: a `Buffer` owns its memory, which is plain bytes.
#[allow(unsafe_code)]
unsafe impl Send for Buffer {}

impl BufferCache {
    /// An empty cache; with `keep` false, buffers go back to the system at once.
    #[must_use]
    pub fn new(keep: bool) -> Self {
        let limit = AtomicUsize::new(usize::MAX);
        Self {
            keep,
            limit,
            free: Mutex::default(),
            bytes: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            told: OnceLock::new(),
        }
    }

    /// Has `told` hear of every buffer that goes back to the system.
    pub(crate) fn tell(&self, told: Arc<dyn Leaving>) {
        let first = self.told.set(told);
        debug_assert!(first.is_ok(), "a cache belongs to one engine");
    }

    /// Has cached buffers given back rather than have more than `bytes` bytes in buffers.
    pub(crate) fn limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// A buffer of `bytes` bytes, and whether it is known to be zero.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has none.
    pub(crate) fn take(&self, bytes: usize) -> Result<(NonNull<u8>, bool), OutOfMemory> {
        let size = rounded(bytes);
        let cached = self.lock().get_mut(&size).and_then(Vec::pop);
        if let Some(Buffer(pointer)) = cached {
            return Ok((pointer, false));
        }
        if self.bytes.load(Ordering::Relaxed) + size > self.limit.load(Ordering::Relaxed) {
            self.trim();
        }
        let new = allocate(size).or_else(|| {
            self.trim();
            allocate(size)
        });
        let Some(pointer) = new else {
            return Err(OutOfMemory { bytes, in_use: self.bytes.load(Ordering::Relaxed) });
        };
        self.count(size);
        Ok((pointer, true))
    }

    /// Counts `size` more bytes in buffers: also those of engines that run no kernel, which only
    /// would be there.
    pub(crate) fn count(&self, size: usize) {
        let in_use = size + self.bytes.fetch_add(size, Ordering::Relaxed);
        self.peak.fetch_max(in_use, Ordering::Relaxed);
    }

    /// Takes back that `size` bytes were counted.
    pub(crate) fn discount(&self, size: usize) {
        self.bytes.fetch_sub(size, Ordering::Relaxed);
    }

    /// Sizes of cached buffers, and how many there are of each.
    pub(crate) fn cached(&self) -> Vec<(usize, usize)> {
        self.lock().iter().map(|(&size, buffers)| (size, buffers.len())).collect()
    }

    /// Gives a cached buffer of `size` bytes back to the system; says whether there was one.
    pub(crate) fn shed(&self, size: usize) -> bool {
        let Some(buffer) = self.lock().get_mut(&size).and_then(Vec::pop) else { return false };
        // SAFETY: cached under the size that it was allocated with.
        #[allow(unsafe_code)]
        unsafe {
            self.release(buffer, size);
        }
        true
    }

    /// Takes a buffer of `bytes` bytes back.
    ///
    /// # Safety
    /// `pointer` came from [`take`](Self::take) with the same size, and nothing refers to it.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn give(&self, pointer: NonNull<u8>, bytes: usize) {
        let size = rounded(bytes);
        if self.keep {
            self.lock().entry(size).or_default().push(Buffer(pointer));
        } else {
            // SAFETY: the caller's promise.
            unsafe { self.release(Buffer(pointer), size) };
        }
    }

    /// Gives every cached buffer back to the system.
    pub fn trim(&self) {
        for (size, buffers) in std::mem::take(&mut *self.lock()) {
            for buffer in buffers {
                // SAFETY: cached under the size that it was allocated with.
                #[allow(unsafe_code)]
                unsafe {
                    self.release(buffer, size);
                }
            }
        }
    }

    /// Bytes in buffers, used and cached.
    #[must_use]
    pub fn usage(&self) -> MemoryUse {
        MemoryUse {
            bytes: self.bytes.load(Ordering::Relaxed),
            peak_bytes: self.peak.load(Ordering::Relaxed),
        }
    }

    /// # Safety
    /// `buffer` was allocated with `size`.
    #[allow(unsafe_code)]
    unsafe fn release(&self, buffer: Buffer, size: usize) {
        self.bytes.fetch_sub(size, Ordering::Relaxed);
        self.told.get().iter().for_each(|told| told.leaves(buffer.0));
        // SAFETY: the caller's promise.
        unsafe { free(buffer.0, size) };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Vec<Buffer>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BufferCache {
    fn drop(&mut self) {
        self.trim();
    }
}

/// What a buffer of `bytes` bytes takes.
#[must_use]
pub fn rounded(bytes: usize) -> usize {
    let unit = if bytes < MAPPED_FROM { ALIGNMENT } else { PAGE };
    bytes.max(1).next_multiple_of(unit)
}

fn layout(size: usize) -> Layout {
    let alignment = if size < MAPPED_FROM { ALIGNMENT } else { PAGE };
    Layout::from_size_align(size, alignment).expect("a buffer's size fits the address space")
}

#[allow(unsafe_code)]
fn allocate(size: usize) -> Option<NonNull<u8>> {
    #[cfg(unix)]
    if size >= MAPPED_FROM {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the system's choice.
        let pointer = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
        let is_mapped = pointer != libc::MAP_FAILED;
        return if is_mapped { NonNull::new(pointer.cast()) } else { None };
    }
    // SAFETY: `size` is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout(size)) })
}

/// # Safety
/// `pointer` came from `allocate(size)`.
#[allow(unsafe_code)]
unsafe fn free(pointer: NonNull<u8>, size: usize) {
    #[cfg(unix)]
    if size >= MAPPED_FROM {
        // SAFETY: mapped with this size.
        let status = unsafe { libc::munmap(pointer.as_ptr().cast(), size) };
        debug_assert_eq!(status, 0, "munmap of a buffer failed");
        return;
    }
    // SAFETY: allocated with this layout.
    unsafe { dealloc(pointer.as_ptr(), layout(size)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)]
    fn what_is_cached_goes_back_before_the_system_refuses() {
        let cache = BufferCache::new(true);
        let (buffer, _) = cache.take(1 << 20).expect("there is as much");
        // SAFETY: it was just taken with this size.
        unsafe { cache.give(buffer, 1 << 20) };
        assert_eq!(cache.usage().bytes, 1 << 20);
        // More than any address space.
        let error = cache.take(1 << 60).expect_err("nobody has as much");
        assert_eq!(error, OutOfMemory { bytes: 1 << 60, in_use: 0 });
    }
}
