//! The memory that buffers would take, were they there.

use std::collections::HashMap;

use crate::flow::Space;
use crate::memory::{BufferCache, rounded};
use crate::types::Access;

/// Buffers of handles, taken when a task first uses them and kept for reuse by size when they are
/// given back, as a [`BufferCache`] does, which is told what they take.
#[derive(Debug, Default)]
pub(super) struct Allocations {
    /// By handle the size of its buffer; 0: there is none.
    held: Vec<usize>,
    /// By handle workers with private copies of it, and the size of each.
    private: HashMap<u32, Vec<(usize, usize)>>,
    /// By worker what its task works in and leaves nothing in.
    scratch: HashMap<usize, Vec<usize>>,
    /// By size, how many were given back.
    free: HashMap<usize, usize>,
}

impl Allocations {
    /// `task` starts on `worker`.
    pub(super) fn serve(&mut self, space: &Space, task: u32, worker: usize) {
        let cache = &space.handles.cache;
        let old = self.scratch.remove(&worker).unwrap_or_default();
        old.into_iter().for_each(|size| self.give(size));
        for (handle, access) in space.task(task).accesses() {
            let slot = space.handles.get(handle);
            let size = rounded(slot.room());
            match access {
                Access::Scratch => {
                    self.take(size, cache);
                    self.scratch.entry(worker).or_default().push(size);
                }
                Access::Reduce => {
                    let copies = self.private.entry(handle).or_default();
                    if copies.iter().all(|(owner, _)| *owner != worker) {
                        copies.push((worker, size));
                        self.take(size, cache);
                    }
                }
                _ => {
                    self.fold(handle);
                    // What the program itself has used is there, and counted.
                    if slot.buffer().is_none() {
                        self.hold(handle, size, cache);
                    }
                }
            }
        }
    }

    /// The buffers of `handle` go back.
    pub(super) fn release(&mut self, handle: u32) {
        self.fold(handle);
        let size = self.held.get_mut(handle as usize).map_or(0, std::mem::take);
        self.give(size);
    }

    /// The program itself is about to use `handle`, for which there will be a buffer that is
    /// counted.
    pub(super) fn leave_to_program(&mut self, handle: u32, cache: &BufferCache) {
        let size = self.held.get_mut(handle as usize).map_or(0, std::mem::take);
        cache.discount(size);
    }

    /// Its private copies go back.
    fn fold(&mut self, handle: u32) {
        let copies = self.private.remove(&handle).unwrap_or_default();
        copies.into_iter().for_each(|(_, size)| self.give(size));
    }

    fn hold(&mut self, handle: u32, size: usize, cache: &BufferCache) {
        let place = handle as usize;
        if place >= self.held.len() {
            self.held.resize(place + 1, 0);
        }
        if self.held[place] == 0 {
            self.held[place] = size;
            self.take(size, cache);
        }
    }

    fn take(&mut self, size: usize, cache: &BufferCache) {
        match self.free.get_mut(&size).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => {
                // What the program itself has given back serves tasks as well.
                cache.shed(size);
                cache.count(size);
            }
        }
    }

    fn give(&mut self, size: usize) {
        if size > 0 {
            *self.free.entry(size).or_default() += 1;
        }
    }
}
