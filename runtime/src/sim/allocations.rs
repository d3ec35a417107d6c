//! The memory that buffers would take, were they there.

use std::collections::HashMap;
use std::ops::Range;

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
    /// Sizes, of which there are few, and how many of each were given back.
    free: Vec<(usize, usize)>,
    /// What is counted if tasks may run in any order.
    any_order: Option<AnyOrder>,
}

/// Of tasks that so many workers run in any order: a buffer that is given back may serve others
/// only after the program has waited for all tasks, since before that it may go back last.
#[derive(Debug, Default)]
struct AnyOrder {
    workers: usize,
    /// Sizes of what was given back since the program last waited.
    given: Vec<usize>,
    /// By size what all workers work in at once, and leave nothing in.
    scratch: HashMap<usize, usize>,
}

impl Allocations {
    /// An upper bound of what so many workers hold, in whatever order they run tasks.
    pub(super) fn in_any_order(workers: usize) -> Self {
        let any_order = AnyOrder { workers, ..AnyOrder::default() };
        Self { any_order: Some(any_order), ..Self::default() }
    }

    /// The program has waited for all tasks.
    pub(super) fn settle(&mut self, cache: &BufferCache) {
        let Some(any_order) = &mut self.any_order else { return };
        let given = std::mem::take(&mut any_order.given);
        given.into_iter().for_each(|size| *free_of(&mut self.free, size) += 1);
        // What the program itself has given back serves tasks from now on, and stays counted.
        for (size, count) in cache.cached() {
            *free_of(&mut self.free, size) += count;
            for _ in 0..count {
                cache.shed(size);
            }
            cache.count(size * count);
        }
    }

    /// Counts what `task` works in for all workers at once.
    fn reserve_scratch(&mut self, space: &Space, task: u32, cache: &BufferCache) {
        let Some(any_order) = &mut self.any_order else { return };
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        for (handle, _) in space.task(task).accesses().filter(|(_, way)| *way == Access::Scratch) {
            *sizes.entry(rounded(space.handles.get(handle).room())).or_default() += 1;
        }
        for (size, count) in sizes {
            let reserved = any_order.scratch.entry(size).or_default();
            let wanted = count * any_order.workers;
            cache.count(size * wanted.saturating_sub(*reserved));
            *reserved = wanted.max(*reserved);
        }
    }

    /// How many workers have a copy of their own of what one adds to.
    fn sharers(&self, worker: usize) -> Range<usize> {
        self.any_order.as_ref().map_or(worker..worker + 1, |any_order| 0..any_order.workers)
    }

    /// `task` starts on `worker`; answers the bytes of memory that are new for it.
    pub(super) fn serve(&mut self, space: &Space, task: u32, worker: usize) -> usize {
        let cache = &space.handles.cache;
        if !self.scratch.is_empty() {
            let old = self.scratch.remove(&worker).unwrap_or_default();
            old.into_iter().for_each(|size| self.give(size));
        }
        self.reserve_scratch(space, task, cache);
        let mut new = 0;
        for (handle, access) in space.task(task).accesses() {
            let slot = space.handles.get(handle);
            let size = rounded(slot.room());
            match access {
                Access::Scratch if self.any_order.is_some() => {}
                Access::Scratch => {
                    new += self.take(size, cache);
                    self.scratch.entry(worker).or_default().push(size);
                }
                Access::Reduce => {
                    for sharer in self.sharers(worker) {
                        let copies = self.private.entry(handle).or_default();
                        if copies.iter().all(|(owner, _)| *owner != sharer) {
                            copies.push((sharer, size));
                            new += self.take(size, cache);
                        }
                    }
                }
                _ => {
                    self.fold(handle);
                    // What the program itself has used is there, and counted.
                    if slot.buffer().is_none() {
                        let taken = self.hold(handle, size, cache);
                        // What is read was there before.
                        new += if access == Access::W { taken } else { 0 };
                    }
                }
            }
        }
        new
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
        if self.private.is_empty() {
            return;
        }
        let copies = self.private.remove(&handle).unwrap_or_default();
        copies.into_iter().for_each(|(_, size)| self.give(size));
    }

    fn hold(&mut self, handle: u32, size: usize, cache: &BufferCache) -> usize {
        let place = handle as usize;
        if place >= self.held.len() {
            self.held.resize(place + 1, 0);
        }
        if self.held[place] != 0 {
            return 0;
        }
        self.held[place] = size;
        self.take(size, cache)
    }

    /// Takes a buffer; answers how many bytes of it are new.
    fn take(&mut self, size: usize, cache: &BufferCache) -> usize {
        let free = free_of(&mut self.free, size);
        if *free > 0 {
            *free -= 1;
            return 0;
        }
        // What the program itself has given back serves tasks as well.
        let is_there = self.any_order.is_none() && cache.shed(size);
        cache.count(size);
        if is_there { 0 } else { size }
    }

    fn give(&mut self, size: usize) {
        match &mut self.any_order {
            _ if size == 0 => {}
            Some(any_order) => any_order.given.push(size),
            None => *free_of(&mut self.free, size) += 1,
        }
    }
}

/// How many of this size were given back.
fn free_of(free: &mut Vec<(usize, usize)>, size: usize) -> &mut usize {
    let place = free.iter().position(|(known, _)| *known == size).unwrap_or_else(|| {
        free.push((size, 0));
        free.len() - 1
    });
    &mut free[place].1
}
