//! Storage that grows without moving: chunks of slots, named by number.

use std::sync::atomic::{AtomicPtr, Ordering};

/// Slots in a chunk.
const CHUNK: usize = 1024;
/// Most chunks of a slab.
const CHUNKS: usize = 16 * 1024;

/// Slots of `T` at fixed addresses. One thread grows it, any thread reads.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    chunks: Box<[AtomicPtr<T>]>,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: (0..CHUNKS).map(|_| AtomicPtr::default()).collect() }
    }

    /// Adds a chunk after the first `length` slots, a multiple of the chunk's size; returns how
    /// many slots there are then. Called by one thread only.
    ///
    /// # Panics
    /// If the slab is full (16 million slots).
    #[allow(unsafe_code)]
    pub(crate) fn grow(&self, length: usize, make: impl Fn() -> T) -> usize {
        let chunk = length / CHUNK;
        assert!(chunk < CHUNKS, "more than {} tasks or handles at once", CHUNK * CHUNKS);
        let slots: Box<[T]> = (0..CHUNK).map(|_| make()).collect();
        let old = self.chunks[chunk].swap(Box::into_raw(slots).cast::<T>(), Ordering::Release);
        assert!(old.is_null(), "chunk {chunk} of the slab was added twice");
        length + CHUNK
    }

    /// Slot `index`.
    ///
    /// # Panics
    /// If no chunk with this slot was added.
    #[allow(unsafe_code)]
    pub(crate) fn get(&self, index: u32) -> &T {
        let (chunk, offset) = (index as usize / CHUNK, index as usize % CHUNK);
        let base = self.chunks[chunk].load(Ordering::Acquire);
        assert!(!base.is_null(), "slot {index} does not exist");
        // SAFETY: a chunk is an allocation of CHUNK slots that lives as long as the slab, and
        // `offset` is below CHUNK.
        unsafe { &*base.add(offset) }
    }
}

impl<T> Drop for Slab<T> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        for chunk in &mut self.chunks {
            let base = *chunk.get_mut();
            if !base.is_null() {
                let slots = std::ptr::slice_from_raw_parts_mut(base, CHUNK);
                // SAFETY: `grow` made this pointer from a boxed slice of CHUNK slots.
                drop(unsafe { Box::from_raw(slots) });
            }
        }
    }
}
