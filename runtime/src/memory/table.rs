//! The table of handles: for each, its buffer, whether its contents are poisoned, who commutes.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bytemuck::{Pod, Zeroable};

use super::arbiter::Arbiter;
use super::block::Block;
use super::cache::{BufferCache, OutOfMemory};
use super::slab::{Numbers, Slab};
use crate::types::Spot;

/// Changes the first by the second.
pub type Merge = fn(&mut [u8], &[u8]);

/// How private copies of a handle are started and folded: `init(copy)`, `fold(into, copy)`.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Sets a fresh copy to the neutral element.
    pub init: fn(&mut [u8]),
    /// Adds a copy to the handle's contents.
    pub fold: Merge,
    /// Takes over, into a fresh copy, what tasks read of the handle's contents and never change.
    pub seed: Option<Merge>,
}

impl Reduction {
    /// Element-wise sum.
    #[must_use]
    pub fn sum<T: Pod + Zeroable + std::ops::AddAssign>() -> Self {
        Self {
            init: |copy| copy.fill(0),
            fold: |into, copy| {
                let copy = bytemuck::cast_slice::<u8, T>(copy);
                for (x, y) in bytemuck::cast_slice_mut::<u8, T>(into).iter_mut().zip(copy) {
                    *x += *y;
                }
            },
            seed: None,
        }
    }
}

/// What few handles need.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    pub(crate) reduction: Option<Reduction>,
    /// Private copies of a running reduction, by worker.
    pub(crate) copies: Vec<(usize, Copy)>,
    /// Its place in a grid, if it has one.
    pub(crate) spot: Option<Spot>,
}

/// A private copy of a handle's contents.
#[derive(Debug)]
pub(crate) struct Copy(pub(crate) NonNull<u8>);

// SAFETY: a copy is plain bytes, used by one worker and then by the task that folds it.
#[allow(unsafe_code)]
unsafe impl Send for Copy {}

/// One handle as tasks see it.
#[derive(Debug)]
pub(crate) struct HandleSlot {
    bytes: AtomicUsize,
    /// Bytes of its buffer, as many at least.
    room: AtomicUsize,
    buffer: AtomicPtr<u8>,
    /// How the buffer is laid out, if it is lent; else null.
    lent: AtomicPtr<Block>,
    /// 0, or 1 + the program index of the task whose failure spoiled the contents.
    poison: AtomicU64,
    /// The worker that wrote last, plus 1.
    home: AtomicU32,
    /// Of the tasks that commute on it.
    pub(crate) arbiter: Arbiter,
    rare: Mutex<Rare>,
}

impl HandleSlot {
    fn new() -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            room: AtomicUsize::new(0),
            buffer: AtomicPtr::default(),
            lent: AtomicPtr::default(),
            poison: AtomicU64::new(0),
            home: AtomicU32::new(0),
            arbiter: Arbiter::default(),
            rare: Mutex::default(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Size of the buffer, which is the runtime's own.
    pub(crate) fn room(&self) -> usize {
        self.room.load(Ordering::Relaxed)
    }

    /// The buffer, if a task has used the handle since it was registered or discarded. Acquires
    /// what `materialise` put there: of two readers side by side, one may have zeroed it.
    pub(crate) fn buffer(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.buffer.load(Ordering::Acquire))
    }

    /// The block of the caller's that is the buffer; null if the buffer is the runtime's own. It
    /// changes only while no task uses the handle.
    pub(crate) fn lent(&self) -> *const Block {
        self.lent.load(Ordering::Relaxed)
    }

    /// Makes `block` the buffer of the handle, which has none.
    pub(crate) fn lend(&self, block: Block) {
        self.buffer.store(block.pointer, Ordering::Release);
        self.lent.store(Box::into_raw(Box::new(block)), Ordering::Relaxed);
    }

    /// The block of the caller's that is the buffer, if it is one that is no slice.
    #[allow(unsafe_code)]
    pub(crate) fn gapped(&self) -> Option<&Block> {
        // SAFETY: null, or of the box that `lend` made, which lives as long as it is hung here.
        unsafe { self.lent().as_ref() }.filter(|block| !block.is_slice())
    }

    /// # Panics
    /// If the buffer is a block that was lent and has gaps.
    pub(crate) fn check_slice(&self, handle: u32) {
        if let Some(block) = self.gapped() {
            panic!("handle {handle} is a lent block and no slice: {block:?}");
        }
    }

    /// Forgets a block that was lent; no task uses the handle.
    #[allow(unsafe_code)]
    fn end_lending(&self) {
        let block = self.lent.swap(std::ptr::null_mut(), Ordering::Relaxed);
        if !block.is_null() {
            self.buffer.store(std::ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: `lend` made it of a box, and the swap has taken it from everybody else.
            drop(unsafe { Box::from_raw(block) });
        }
    }

    /// The buffer, taken from `cache` on first use: with any contents if `overwrite`, else zero.
    ///
    /// Only a task that may write the handle, or the first of its readers, calls this; two readers
    /// of a handle that was never written may race, so the loser gives its buffer back.
    #[allow(unsafe_code)]
    pub(crate) fn materialise(
        &self,
        cache: &BufferCache,
        overwrite: bool,
    ) -> Result<NonNull<u8>, OutOfMemory> {
        if let Some(pointer) = self.buffer() {
            return Ok(pointer);
        }
        let (fresh, zeroed) = cache.take(self.room())?;
        if !overwrite && !zeroed {
            // SAFETY: the buffer was just taken, and is as large at least.
            unsafe { fresh.as_ptr().write_bytes(0, self.bytes()) };
        }
        match self.buffer.compare_exchange(
            std::ptr::null_mut(),
            fresh.as_ptr(),
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => Ok(fresh),
            Err(other) => {
                // SAFETY: nobody saw `fresh`.
                unsafe { cache.give(fresh, self.room()) };
                Ok(NonNull::new(other).expect("the exchange failed against a buffer"))
            }
        }
    }

    /// Hangs a buffer at the handle, which has none.
    pub(crate) fn put_buffer(&self, buffer: NonNull<u8>) {
        let old = self.buffer.swap(buffer.as_ptr(), Ordering::AcqRel);
        debug_assert!(old.is_null(), "a handle was given two buffers");
    }

    /// Gives the buffer back; the contents may be elsewhere. One that is lent stays.
    #[allow(unsafe_code)]
    pub(crate) fn free_buffer(&self, cache: &BufferCache) {
        if !self.lent().is_null() {
            return;
        }
        let old = self.buffer.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if let Some(pointer) = NonNull::new(old) {
            // SAFETY: the caller frees buffers that nobody uses.
            unsafe { cache.give(pointer, self.room()) };
        }
    }

    /// Gives the buffer back and forgets any failure: the contents are no longer needed.
    pub(crate) fn discard(&self, cache: &BufferCache) {
        // The flow orders a discard after every task that uses the buffer.
        self.free_buffer(cache);
        self.forget(cache);
    }

    /// Forgets any failure and private copies.
    fn forget(&self, cache: &BufferCache) {
        self.poison.store(0, Ordering::Relaxed);
        self.drop_copies(cache);
    }

    /// Gives the private copies of a reduction back, which no task uses any more.
    #[allow(unsafe_code)]
    pub(crate) fn drop_copies(&self, cache: &BufferCache) {
        for (_, copy) in self.rare().copies.drain(..) {
            // SAFETY: a copy has the handle's size; the caller says that nobody uses it.
            unsafe { cache.give(copy.0, self.bytes()) };
        }
    }

    pub(crate) fn poison(&self) -> u64 {
        self.poison.load(Ordering::Relaxed)
    }

    /// Like the setter of `home`, it leaves the cache line alone if nothing changes.
    pub(crate) fn set_poison(&self, poison: u64) {
        if self.poison() != poison {
            self.poison.store(poison, Ordering::Relaxed);
        }
    }

    /// Adds a cause beside those that other tasks of the same group may add; the smallest stays.
    pub(crate) fn add_poison(&self, poison: u64) {
        let smaller = |old: u64| (old == 0 || poison < old).then_some(poison);
        let _ = self.poison.fetch_update(Ordering::Relaxed, Ordering::Relaxed, smaller);
    }

    /// The worker that wrote the contents last.
    pub(crate) fn home(&self) -> Option<usize> {
        (self.home.load(Ordering::Relaxed) as usize).checked_sub(1)
    }

    pub(crate) fn set_home(&self, worker: usize) {
        if self.home() != Some(worker) {
            self.home.store(worker as u32 + 1, Ordering::Relaxed);
        }
    }

    pub(crate) fn rare(&self) -> MutexGuard<'_, Rare> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every handle of a flow, and the cache that their buffers come from.
#[derive(Debug)]
pub(crate) struct HandleTable {
    slots: Slab<HandleSlot>,
    pub(crate) cache: BufferCache,
    /// Handles that were discarded, if an engine wants to know.
    discarded: OnceLock<Mutex<Vec<u32>>>,
    /// Whether there are any of those.
    has_discarded: AtomicBool,
}

impl HandleTable {
    pub(crate) fn new(cache: BufferCache) -> Self {
        let slots = Slab::new();
        let has_discarded = AtomicBool::new(false);
        Self { slots, cache, discarded: OnceLock::new(), has_discarded }
    }

    /// Adds slots, numbered by `numbers` for `owner`; returns the first. Called by the submitter
    /// only.
    pub(crate) fn grow(&self, numbers: &Numbers, owner: u16) -> u32 {
        self.slots.grow(numbers, owner, HandleSlot::new)
    }

    pub(crate) fn get(&self, handle: u32) -> &HandleSlot {
        self.slots.get(handle)
    }

    /// Prepares the free slot `handle` for contents of `bytes` bytes, in a buffer of `room`.
    pub(crate) fn reset(&self, handle: u32, bytes: usize, room: usize) {
        assert!(bytes <= room, "contents of {bytes} bytes in a buffer of {room}");
        let slot = self.get(handle);
        // It would be given back with another size.
        assert!(slot.buffer().is_none(), "handle {handle} has a buffer before its contents");
        slot.bytes.store(bytes, Ordering::Relaxed);
        slot.room.store(room, Ordering::Relaxed);
        slot.set_poison(0);
        slot.home.store(0, Ordering::Relaxed);
        let mut rare = slot.rare();
        (rare.reduction, rare.spot) = (None, None);
    }

    /// Takes leave of `handle`, whose buffer goes back to `discard` or to whoever lent it.
    pub(crate) fn release(&self, handle: u32) {
        self.discard(handle);
        self.get(handle).end_lending();
    }

    /// Gives the buffer of `handle` back, or notes that it is no longer needed.
    pub(crate) fn discard(&self, handle: u32) {
        match self.discarded.get() {
            None => self.get(handle).discard(&self.cache),
            Some(discarded) => {
                self.get(handle).forget(&self.cache);
                discarded.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
                self.has_discarded.store(true, Ordering::Release);
            }
        }
    }

    /// Has handles noted that are discarded from now on; their buffers stay, since transfers may
    /// use them still.
    pub(crate) fn note_discards(&self) {
        self.discarded.get_or_init(Mutex::default);
    }

    /// The handles that were discarded since the last call.
    pub(crate) fn take_discards(&self, into: &mut Vec<u32>) {
        if !self.has_discarded.load(Ordering::Acquire) {
            return;
        }
        if let Some(discarded) = self.discarded.get() {
            self.has_discarded.store(false, Ordering::Release);
            into.append(&mut discarded.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Numbers of all slots, used or not.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.indices()
    }

    /// Every slot, used or not.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &HandleSlot> {
        self.indices().map(|handle| self.get(handle))
    }
}

impl Drop for HandleTable {
    fn drop(&mut self) {
        self.iter().for_each(|slot| {
            slot.discard(&self.cache);
            slot.end_lending();
        });
    }
}
