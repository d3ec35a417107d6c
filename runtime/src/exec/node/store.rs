//! Buffers of handles in each memory.

use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::disk::{Disk, ScratchError};
use crate::exec::run::{Place, private_copy};
use crate::flow::{Access, Slab, Space};
use crate::memory::{BufferCache, OutOfMemory};
use crate::platform::{Machine, MemoryId, MemoryKind};
use crate::sched::HandleId;

/// The buffers of all memories. One thread at a time, under the dispatcher's lock, makes and frees
/// them; the planner sees to it that nobody uses one that is being freed.
pub(super) struct Stores {
    stores: Vec<Store>,
}

enum Store {
    /// Buffers hang at the handles themselves.
    Ram,
    Device(Device),
    Disk(Disk),
}

/// The memory of an emulated accelerator.
struct Device {
    buffers: Slab<AtomicPtr<u8>>,
    length: AtomicUsize,
    cache: BufferCache,
}

impl Stores {
    pub(super) fn new(machine: &Machine, scratch: Option<&Path>) -> Self {
        let store = |memory: &crate::platform::Memory| match memory.kind {
            MemoryKind::Ram => Store::Ram,
            MemoryKind::Device => {
                let cache = BufferCache::new(true);
                if let Some(most) = memory.capacity {
                    cache.limit(most as usize);
                }
                Store::Device(Device { buffers: Slab::new(), length: AtomicUsize::new(0), cache })
            }
            MemoryKind::Disk => {
                Store::Disk(Disk::new(scratch.expect("a machine with a disk has a folder for it")))
            }
        };
        Self { stores: machine.memories.iter().map(store).collect() }
    }

    /// Makes a buffer; says whether it is known to be zero.
    pub(super) fn allocate(
        &self,
        space: &Space,
        handle: HandleId,
        memory: MemoryId,
    ) -> Result<bool, OutOfMemory> {
        let slot = space.handles.get(handle.0);
        match &self.stores[memory.0] {
            Store::Ram => {
                let (buffer, is_zero) = space.handles.cache.take(slot.bytes())?;
                slot.put_buffer(buffer);
                Ok(is_zero)
            }
            Store::Device(device) => {
                let (buffer, is_zero) = device.cache.take(slot.bytes())?;
                device.place(handle).store(buffer.as_ptr(), Ordering::Release);
                Ok(is_zero)
            }
            Store::Disk(disk) => {
                disk.allocate(handle, slot.bytes());
                Ok(false)
            }
        }
    }

    /// Takes a buffer back.
    #[allow(unsafe_code)]
    pub(super) fn free(&self, space: &Space, handle: HandleId, memory: MemoryId) {
        let slot = space.handles.get(handle.0);
        match &self.stores[memory.0] {
            Store::Ram => slot.free_buffer(&space.handles.cache),
            Store::Device(device) => {
                let old = device.place(handle).swap(std::ptr::null_mut(), Ordering::AcqRel);
                if let Some(buffer) = NonNull::new(old) {
                    // SAFETY: taken from this cache with this size; the planner frees what nobody
                    // uses.
                    unsafe { device.cache.give(buffer, slot.bytes()) };
                }
            }
            Store::Disk(disk) => disk.free(handle),
        }
    }

    /// Takes every buffer back that is not in the RAM.
    pub(super) fn clear(&self, space: &Space) {
        for (memory, store) in self.stores.iter().enumerate() {
            if let Store::Device(device) = store {
                for handle in 0..device.length.load(Ordering::Acquire).min(space.handles.len()) {
                    self.free(space, HandleId(handle as u32), MemoryId(memory));
                }
            }
        }
    }

    /// Sets a buffer to zero.
    #[allow(unsafe_code)]
    pub(super) fn zero(&self, space: &Space, handle: HandleId, memory: MemoryId) {
        let buffer = self.pointer(space, handle, memory).expect("the buffer was just made");
        // SAFETY: the buffer has the handle's size, and nobody uses it yet.
        unsafe { buffer.as_ptr().write_bytes(0, space.handles.get(handle.0).bytes()) };
    }

    /// Copies the contents of `handle`.
    ///
    /// # Errors
    /// Those of the disk.
    #[allow(unsafe_code)]
    pub(super) fn copy(
        &self,
        space: &Space,
        handle: HandleId,
        src: MemoryId,
        dst: MemoryId,
    ) -> Result<(), ScratchError> {
        let bytes = space.handles.get(handle.0).bytes();
        let slice = |memory| {
            let buffer = self.pointer(space, handle, memory).expect("a transfer has both its ends");
            // SAFETY: the planner keeps both buffers of a transfer, of the handle's size, until it
            // is done; nobody writes its source, and nobody else touches where it goes.
            unsafe { std::slice::from_raw_parts_mut(buffer.as_ptr(), bytes) }
        };
        match (&self.stores[src.0], &self.stores[dst.0]) {
            (Store::Disk(disk), _) => disk.read(handle, slice(dst)),
            (_, Store::Disk(disk)) => disk.write(handle, slice(src)),
            _ => {
                slice(dst).copy_from_slice(slice(src));
                Ok(())
            }
        }
    }

    fn pointer(&self, space: &Space, handle: HandleId, memory: MemoryId) -> Option<NonNull<u8>> {
        match &self.stores[memory.0] {
            Store::Ram => space.handles.get(handle.0).buffer(),
            Store::Device(device) => NonNull::new(device.place(handle).load(Ordering::Acquire)),
            Store::Disk(_) => None,
        }
    }
}

impl Device {
    /// Where the buffer of `handle` is noted. Only `allocate` meets a handle for the first time.
    fn place(&self, handle: HandleId) -> &AtomicPtr<u8> {
        while self.length.load(Ordering::Acquire) <= handle.0 as usize {
            let length = self.length.load(Ordering::Relaxed);
            self.length.store(self.buffers.grow(length, AtomicPtr::default), Ordering::Release);
        }
        self.buffers.get(handle.0)
    }
}

/// One memory as tasks see it.
pub(super) struct InMemory<'a> {
    pub(super) stores: &'a Stores,
    pub(super) memory: MemoryId,
}

impl Place for InMemory<'_> {
    fn buffer(
        &self,
        space: &Space,
        handle: u32,
        access: Access,
        worker: usize,
    ) -> Result<NonNull<u8>, OutOfMemory> {
        if access == Access::Reduce {
            return private_copy(space, handle, worker);
        }
        let buffer = self.stores.pointer(space, HandleId(handle), self.memory);
        Ok(buffer.unwrap_or_else(|| panic!("handle {handle} has no buffer where its task runs")))
    }

    fn cache<'a>(&'a self, space: &'a Space) -> &'a BufferCache {
        match &self.stores.stores[self.memory.0] {
            Store::Device(device) => &device.cache,
            Store::Ram | Store::Disk(_) => &space.handles.cache,
        }
    }
}
