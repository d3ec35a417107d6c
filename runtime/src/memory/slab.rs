//! Storage that grows without moving: chunks of slots, named by number.

use std::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Slots in a chunk.
pub(crate) const CHUNK: usize = 1024;
/// Most chunks of all slabs that share their numbers.
const CHUNKS: usize = 16 * 1024;

/// Who has which numbers of slots, of slabs that share them: chunk by chunk.
#[derive(Debug)]
pub(crate) struct Numbers {
    next: AtomicUsize,
    owners: Box<[AtomicU16]>,
    /// Chunks that were given back.
    free: Mutex<Vec<usize>>,
}

impl Numbers {
    pub(crate) fn new() -> Self {
        let owners = (0..CHUNKS).map(|_| AtomicU16::new(0)).collect();
        Self { next: AtomicUsize::new(0), owners, free: Mutex::default() }
    }

    /// The number of a chunk that nobody has yet, for `owner`.
    ///
    /// # Panics
    /// If there is none left (16 million slots).
    fn take(&self, owner: u16) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let chunk = free.unwrap_or_else(|| self.next.fetch_add(1, Ordering::Relaxed));
        assert!(chunk < CHUNKS, "more than {} tasks or handles at once", CHUNK * CHUNKS);
        self.owners[chunk].store(owner, Ordering::Release);
        chunk
    }

    /// Takes back what `owner` has, who uses none of it any more.
    pub(crate) fn give_back(&self, owner: u16) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.next.load(Ordering::Relaxed);
        let own = (0..taken).rev().filter(|&chunk| {
            self.owners[chunk].load(Ordering::Acquire) == owner && !free.contains(&chunk)
        });
        let own: Vec<usize> = own.collect();
        free.extend(own);
    }

    /// Who has slot `index`.
    pub(crate) fn owner(&self, index: u32) -> u16 {
        self.owners[index as usize / CHUNK].load(Ordering::Acquire)
    }
}

/// Slots of `T` at fixed addresses. One thread grows it, any thread reads.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    chunks: Box<[AtomicPtr<T>]>,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: (0..CHUNKS).map(|_| AtomicPtr::default()).collect() }
    }

    /// Adds a chunk that `owner` takes of `numbers`; returns the number of its first slot. Called
    /// by one thread only.
    pub(crate) fn grow(&self, numbers: &Numbers, owner: u16, make: impl Fn() -> T) -> u32 {
        let chunk = numbers.take(owner);
        self.add(chunk, make);
        (chunk * CHUNK) as u32
    }

    /// Makes sure that there is slot `index`. Called by one thread only.
    pub(crate) fn reserve(&self, index: u32, make: impl Fn() -> T) {
        if !self.has(index) {
            self.add(index as usize / CHUNK, make);
        }
    }

    fn add(&self, chunk: usize, make: impl Fn() -> T) {
        let slots: Box<[T]> = (0..CHUNK).map(|_| make()).collect();
        let old = self.chunks[chunk].swap(Box::into_raw(slots).cast::<T>(), Ordering::Release);
        assert!(old.is_null(), "chunk {chunk} of the slab was added twice");
    }

    /// Whether there is slot `index`.
    pub(crate) fn has(&self, index: u32) -> bool {
        !self.chunks[index as usize / CHUNK].load(Ordering::Acquire).is_null()
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

    /// Numbers of all slots, in order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let is_there = |chunk: &usize| !self.chunks[*chunk].load(Ordering::Acquire).is_null();
        let chunks = (0..CHUNKS).filter(is_there);
        chunks.flat_map(|chunk| (chunk * CHUNK) as u32..((chunk + 1) * CHUNK) as u32)
    }
}

impl<T> Drop for Slab<T> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        for chunk in &mut self.chunks {
            let base = *chunk.get_mut();
            if !base.is_null() {
                let slots = std::ptr::slice_from_raw_parts_mut(base, CHUNK);
                // SAFETY: `add` made this pointer from a boxed slice of CHUNK slots.
                drop(unsafe { Box::from_raw(slots) });
            }
        }
    }
}
