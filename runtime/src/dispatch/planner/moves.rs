//! Transfers: where contents come from, and what their arrival changes.

use super::{Operation, Planner};
use crate::memory::{Replica, Transfer};
use crate::trace::Purpose;
use crate::types::{HandleId, MemoryId};

impl Planner {
    /// The transfer of `handle` from `src` to `dst` is done.
    pub fn arrive(&mut self, handle: HandleId, src: MemoryId, dst: MemoryId) {
        self.touched = u32::MAX;
        self.replicas.fly(handle, -1);
        debug_assert_eq!(self.replicas.state(handle, dst), Replica::Arriving);
        self.replicas.set(handle, dst, Replica::Valid);
        if !self.replicas.is_pinned(handle, dst) {
            self.pools[dst.0].idle += self.replicas.bytes(handle);
        }
        self.unpin(handle, src);
        self.settle(handle);
        self.serve(src);
        self.serve(dst);
    }

    /// The contents of `handle` are no longer needed; no task that uses it is left.
    pub fn discard(&mut self, handle: HandleId) {
        if handle.0 as usize >= self.replicas.handles() {
            return;
        }
        if self.replicas.is_flying(handle) {
            if !self.is_doomed(handle) {
                self.doomed.push(handle);
            }
            return;
        }
        (0..self.pools.len()).for_each(|memory| self.invalidate(handle, MemoryId(memory)));
    }

    /// As [`discard`](Self::discard), of what tasks may still use, who will find zeros; not of what
    /// is in use now, or under way.
    pub fn abandon(&mut self, handle: HandleId) {
        let is_known = (handle.0 as usize) < self.replicas.handles();
        let is_pinned = |memory| self.replicas.is_pinned(handle, MemoryId(memory));
        if is_known && !self.replicas.is_flying(handle) && !(0..self.pools.len()).any(is_pinned) {
            self.discard(handle);
        }
    }

    /// Takes the transfer of `handle` back that was to make room in `src`, and whose end in `dst`
    /// cannot be written: the contents stay. False, and nothing changes, if others were promised
    /// the room.
    pub fn withdraw(&mut self, handle: HandleId, src: MemoryId, dst: MemoryId) -> bool {
        let bytes = self.replicas.bytes(handle);
        if self.replicas.state(handle, src) == Replica::Leaving {
            let pool = &mut self.pools[src.0];
            if pool.capacity - pool.promised < bytes {
                return false;
            }
            pool.promised += bytes;
            self.replicas.set(handle, src, Replica::Valid);
            self.recency.renew(handle, src);
            self.changes.push((handle, src, true));
        }
        self.touched = u32::MAX;
        self.replicas.fly(handle, -1);
        debug_assert_eq!(self.replicas.state(handle, dst), Replica::Arriving);
        self.pools[dst.0].promised -= bytes;
        self.replicas.set(handle, dst, Replica::Absent);
        self.recency.forget(handle, dst);
        self.changes.push((handle, dst, false));
        self.release(handle, dst);
        self.unpin(handle, src);
        self.settle(handle);
        self.serve(src);
        self.serve(dst);
        true
    }

    /// Lets go on what waited for the end of a transfer of `handle`.
    fn settle(&mut self, handle: HandleId) {
        if self.is_doomed(handle) && !self.replicas.is_flying(handle) {
            self.doomed.retain(|&doomed| doomed != handle);
            self.discard(handle);
        }
        self.retry(handle);
    }

    /// Orders the contents of `handle` for its buffer in `memory`.
    pub(super) fn fetch(
        &mut self,
        handle: HandleId,
        memory: MemoryId,
        purpose: Purpose,
        priority: i32,
    ) {
        let is_urgent = self.replicas.is_pinned(handle, memory);
        let purpose = if is_urgent { Purpose::Fetch } else { purpose };
        if self.must_wait(handle, memory) {
            self.stalled.push((handle, memory, purpose, priority));
            if is_urgent {
                self.hurry_elsewhere(handle, memory);
            }
        } else if let Some((src, _)) = self.replicas.source(handle, memory) {
            self.send(handle, src, memory, purpose, priority);
        } else {
            debug_assert!(
                (0..self.pools.len()).all(|other| {
                    let other = MemoryId(other);
                    other == memory || self.replicas.state(handle, other) != Replica::Allocated
                }),
                "{handle:?} is being written elsewhere"
            );
            self.operations.push(Operation::Zero { handle, memory });
            self.replicas.set(handle, memory, Replica::Valid);
            if !self.replicas.is_pinned(handle, memory) {
                self.pools[memory.0].idle += self.replicas.bytes(handle);
            }
        }
    }

    /// Whether `handle` can come to `memory` only, or sooner, once a transfer that is under way has
    /// ended.
    fn must_wait(&self, handle: HandleId, memory: MemoryId) -> bool {
        match self.replicas.valid(handle) {
            0 => self.replicas.is_flying(handle),
            _ => self.read_elsewhere(handle, memory).is_some(),
        }
    }

    /// The memory other than `memory` to which `handle` is being read from a disk that alone holds
    /// it.
    fn read_elsewhere(&self, handle: HandleId, memory: MemoryId) -> Option<MemoryId> {
        let lowest = self.machine.lowest();
        let is_below = lowest != MemoryId::RAM && self.replicas.valid(handle) == 1 << lowest.0;
        if !is_below || !self.replicas.is_flying(handle) {
            return None;
        }
        let mut others = (0..self.pools.len()).map(MemoryId).filter(|&other| other != memory);
        others.find(|&other| self.replicas.state(handle, other) == Replica::Arriving)
    }

    /// Makes the reading of `handle` for another memory urgent, if it comes to `memory` from there.
    pub(super) fn hurry_elsewhere(&mut self, handle: HandleId, memory: MemoryId) {
        if let Some(dst) = self.read_elsewhere(handle, memory) {
            self.operations.push(Operation::Hurry { handle, dst });
        }
    }

    /// Orders what waited for a transfer of `handle`, as far as it need not wait longer.
    fn retry(&mut self, handle: HandleId) {
        let mut place = 0;
        while let Some(&(stalled, memory, purpose, priority)) = self.stalled.get(place) {
            if stalled == handle && !self.must_wait(handle, memory) {
                self.stalled.swap_remove(place);
                self.fetch(handle, memory, purpose, priority);
            } else {
                place += 1;
            }
        }
    }

    pub(super) fn send(
        &mut self,
        handle: HandleId,
        src: MemoryId,
        dst: MemoryId,
        purpose: Purpose,
        priority: i32,
    ) {
        self.pin(handle, src);
        self.replicas.fly(handle, 1);
        self.replicas.set(handle, dst, Replica::Arriving);
        let bytes = self.replicas.bytes(handle);
        let free = &mut self.way_free[src.0 * self.pools.len() + dst.0];
        *free = (*free).max(self.now) + self.replicas.time(bytes, src, dst);
        self.replicas.set_arrival(handle, dst, *free);
        self.operations.push(Operation::Copy(Transfer {
            handle,
            bytes,
            src,
            dst,
            purpose,
            priority,
        }));
    }
}
