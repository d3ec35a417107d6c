//! Buffers of handles in each memory.

use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::disk::Disk;
use super::fatal::Fatal;
use super::heap::Heap;
use super::pins::Pins;
use crate::exec::accelerator::{Accelerator, DeviceError};
use crate::exec::run::{Place, private_copy};
use crate::flow::Space;
use crate::memory::{BufferCache, OutOfMemory, Slab, rounded};
use crate::platform::{Machine, Memory, MemoryKind};
use crate::types::{Access, HandleId, MemoryId};

/// The buffers of all memories. One thread at a time, under the dispatcher's lock, makes and frees
/// them; the planner sees to it that nobody uses one that is being freed.
pub(super) struct Stores {
    stores: Vec<Store>,
    /// What is pinned of the RAM, if there is a real device.
    pins: Option<Arc<Pins>>,
}

enum Store {
    /// Buffers hang at the handles themselves.
    Ram,
    Device(Device),
    Disk(Disk),
}

impl Store {
    /// The buffers of a real accelerator.
    fn heap(&self) -> Option<&Heap> {
        match self {
            Self::Device(device) => device.heap(),
            Self::Ram | Self::Disk(_) => None,
        }
    }
}

/// The memory of an accelerator.
struct Device {
    buffers: Slab<AtomicPtr<u8>>,
    source: Source,
}

/// Where the buffers of an accelerator come from.
enum Source {
    /// It is emulated: from the host's memory.
    Host(BufferCache),
    /// From the device.
    Device(Heap),
}

impl Stores {
    /// `device` gives the accelerator that a memory belongs to, if it is a real one.
    pub(super) fn new(
        machine: &Machine,
        scratch: Option<&Path>,
        device: impl Fn(MemoryId) -> Option<Arc<dyn Accelerator>>,
    ) -> Self {
        let store = |(number, memory): (usize, &Memory)| match memory.kind {
            MemoryKind::Ram => Store::Ram,
            // That of a socket as that of an emulated device: cores compute on copies of their own.
            MemoryKind::Socket | MemoryKind::Device => {
                Store::Device(Device::new(device(MemoryId(number)), memory.capacity))
            }
            MemoryKind::Disk => {
                Store::Disk(Disk::new(scratch.expect("a machine with a disk has a folder for it")))
            }
        };
        let stores: Vec<Store> = machine.memories.iter().enumerate().map(store).collect();
        let first = stores.iter().find_map(Store::heap);
        let pins = first.map(|heap| Arc::new(Pins::new(heap.device().clone())));
        Self { stores, pins }
    }

    /// Takes on the buffers of a flow.
    pub(super) fn adopt(&self, space: &Space) {
        self.pins.iter().for_each(|pins| space.handles.cache.tell(pins.clone()));
    }

    /// Whether devices copy the buffer of `handle` in `memory` by themselves; sees to it where that
    /// can be.
    #[allow(unsafe_code)]
    fn pin(&self, space: &Space, handle: HandleId, memory: MemoryId) -> bool {
        let slot = space.handles.get(handle.0);
        let (Some(pins), Store::Ram, Some(place)) =
            (&self.pins, &self.stores[memory.0], slot.buffer())
        else {
            return false;
        };
        // SAFETY: buffers of the RAM are of the cache of their flow, which was adopted.
        unsafe { pins.pin(place, rounded(slot.room())) }
    }

    /// The buffers of the real accelerator that `memory` belongs to.
    pub(super) fn heap(&self, memory: MemoryId) -> Option<&Heap> {
        self.stores[memory.0].heap()
    }

    /// Makes a buffer; says whether it is known to be zero.
    pub(super) fn allocate(
        &self,
        space: &Space,
        handle: HandleId,
        memory: MemoryId,
    ) -> Result<bool, Fatal> {
        let slot = space.handles.get(handle.0);
        match &self.stores[memory.0] {
            Store::Ram => {
                let (buffer, is_zero) = space.handles.cache.take(slot.room())?;
                slot.put_buffer(buffer);
                Ok(is_zero)
            }
            Store::Device(device) => {
                let (buffer, is_zero) = device.take(slot.bytes())?;
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
                    // SAFETY: taken from this device with this size; the planner frees what nobody
                    // uses.
                    unsafe { device.give(buffer, slot.bytes()) };
                }
            }
            Store::Disk(disk) => disk.free(handle),
        }
    }

    /// Gives the room of a buffer on disk back to the system: nobody needs its contents, and others
    /// may need the room.
    pub(super) fn empty(&self, handle: HandleId, memory: MemoryId) {
        if let Store::Disk(disk) = &self.stores[memory.0] {
            disk.empty(handle);
        }
    }

    /// Takes the buffers of `handle` in all memories back.
    pub(super) fn free_everywhere(&self, space: &Space, handle: HandleId) {
        (0..self.stores.len()).for_each(|memory| self.free(space, handle, MemoryId(memory)));
    }

    /// Takes every buffer of a flow back that is on a device.
    pub(super) fn clear(&self, space: &Space) {
        for (memory, store) in self.stores.iter().enumerate() {
            if let Store::Device(device) = store {
                let made = space.handles.indices().filter(|&handle| device.buffers.has(handle));
                made.for_each(|handle| self.free(space, HandleId(handle), MemoryId(memory)));
            }
        }
    }

    /// Sets a buffer to zero.
    ///
    /// # Errors
    /// Those of a device.
    #[allow(unsafe_code)]
    pub(super) fn zero(
        &self,
        space: &Space,
        handle: HandleId,
        memory: MemoryId,
    ) -> Result<(), Fatal> {
        let buffer = self.pointer(space, handle, memory).expect("the buffer was just made");
        let bytes = space.handles.get(handle.0).bytes();
        match self.heap(memory) {
            // SAFETY: the buffer has the handle's size, and nobody uses it yet.
            Some(heap) => unsafe { heap.device().zero(buffer, bytes) }?,
            // SAFETY: as above, and it is the host's.
            None => unsafe { buffer.as_ptr().write_bytes(0, bytes) },
        }
        Ok(())
    }

    /// Copies the contents of `handle`.
    ///
    /// # Errors
    /// Those of the disk and of devices.
    #[allow(unsafe_code)]
    pub(super) fn copy(
        &self,
        space: &Space,
        handle: HandleId,
        src: MemoryId,
        dst: MemoryId,
    ) -> Result<(), Fatal> {
        let bytes = space.handles.get(handle.0).bytes();
        let place = |memory| self.pointer(space, handle, memory).expect("a transfer has both ends");
        // SAFETY: the planner keeps both buffers of a transfer, of the handle's size, until it is
        // done; nobody writes its source, which others may read. Only asked of a host's memory.
        let source = || unsafe { std::slice::from_raw_parts(place(src).as_ptr(), bytes) };
        // SAFETY: as above; nobody else touches where it goes.
        let target = || unsafe { std::slice::from_raw_parts_mut(place(dst).as_ptr(), bytes) };
        match (self.heap(src), self.heap(dst)) {
            (None, None) => match (&self.stores[src.0], &self.stores[dst.0]) {
                (Store::Disk(disk), _) => disk.read(handle, target())?,
                (_, Store::Disk(disk)) => disk.write(handle, source())?,
                _ => target().copy_from_slice(source()),
            },
            (None, Some(heap)) => {
                let mut room = Vec::new();
                let from = match &self.stores[src.0] {
                    Store::Disk(disk) => {
                        room.resize(bytes, 0);
                        disk.read(handle, &mut room)?;
                        &room
                    }
                    _ => source(),
                };
                let is_pinned = self.pin(space, handle, src);
                // SAFETY: as for the slices.
                unsafe { heap.device().bring(from, place(dst), is_pinned) }?;
            }
            (Some(heap), None) => match &self.stores[dst.0] {
                Store::Disk(disk) => {
                    let mut room = vec![0; bytes];
                    // SAFETY: as for the slices.
                    unsafe { heap.device().fetch(place(src), &mut room, false) }?;
                    disk.write(handle, &room)?;
                }
                _ => {
                    let is_pinned = self.pin(space, handle, dst);
                    // SAFETY: as for the slices.
                    unsafe { heap.device().fetch(place(src), target(), is_pinned) }?;
                }
            },
            (Some(from), Some(to)) => copy_across(from, place(src), to, place(dst), bytes)?,
        }
        Ok(())
    }

    /// The buffer of `handle` in `memory`; of a real device, an address there.
    pub(super) fn pointer(
        &self,
        space: &Space,
        handle: HandleId,
        memory: MemoryId,
    ) -> Option<NonNull<u8>> {
        match &self.stores[memory.0] {
            Store::Ram => space.handles.get(handle.0).buffer(),
            Store::Device(device) => NonNull::new(device.place(handle).load(Ordering::Acquire)),
            Store::Disk(_) => None,
        }
    }
}

/// Copies from one device to another, through the host if there is no other way.
#[allow(unsafe_code)]
fn copy_across(
    from: &Heap,
    src: NonNull<u8>,
    to: &Heap,
    dst: NonNull<u8>,
    bytes: usize,
) -> Result<(), DeviceError> {
    // SAFETY: the planner keeps both buffers of a transfer until it is done; nobody writes its
    // source, and nobody else touches where it goes.
    if let Some(result) = unsafe { to.device().bring_from(&**from.device(), src, dst, bytes) } {
        return result;
    }
    let mut room = vec![0; bytes];
    // SAFETY: as above.
    unsafe {
        from.device().fetch(src, &mut room, false)?;
        to.device().bring(&room, dst, false)
    }
}

impl Device {
    fn new(device: Option<Arc<dyn Accelerator>>, capacity: Option<u64>) -> Self {
        let source = device.map_or_else(
            || {
                let cache = BufferCache::new(true);
                capacity.into_iter().for_each(|most| cache.limit(most as usize));
                Source::Host(cache)
            },
            |device| Source::Device(Heap::new(device, capacity)),
        );
        Self { buffers: Slab::new(), source }
    }

    fn heap(&self) -> Option<&Heap> {
        match &self.source {
            Source::Device(heap) => Some(heap),
            Source::Host(_) => None,
        }
    }

    /// A buffer, and whether it is known to be zero. That a device has no room is no different from
    /// the host's having none.
    fn take(&self, bytes: usize) -> Result<(NonNull<u8>, bool), Fatal> {
        match &self.source {
            Source::Host(cache) => Ok(cache.take(bytes)?),
            Source::Device(heap) => match heap.take(bytes) {
                Ok(place) => Ok((place, false)),
                Err(DeviceError::OutOfMemory { .. }) => {
                    Err(OutOfMemory { bytes, in_use: heap.bytes() }.into())
                }
                Err(error) => Err(error.into()),
            },
        }
    }

    /// # Safety
    /// The buffer was taken from here with this size, and nobody uses it.
    #[allow(unsafe_code)]
    unsafe fn give(&self, buffer: NonNull<u8>, bytes: usize) {
        match &self.source {
            // SAFETY: the caller's promise.
            Source::Host(cache) => unsafe { cache.give(buffer, bytes) },
            // SAFETY: the caller's promise.
            Source::Device(heap) => unsafe { heap.give(buffer, bytes) },
        }
    }

    /// Where the buffer of `handle` is noted. Only `allocate` meets a handle for the first time.
    fn place(&self, handle: HandleId) -> &AtomicPtr<u8> {
        self.buffers.reserve(handle.0, AtomicPtr::default);
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
            Store::Device(Device { source: Source::Host(cache), .. }) => cache,
            Store::Device(_) | Store::Ram | Store::Disk(_) => &space.handles.cache,
        }
    }
}
