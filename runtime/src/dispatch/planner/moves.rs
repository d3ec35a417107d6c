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
        if let Some((src, _)) = self.replicas.source(handle, memory) {
            self.send(handle, src, memory, purpose, priority);
        } else if self.replicas.is_flying(handle) {
            self.stalled.push((handle, memory, purpose, priority));
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

    fn retry(&mut self, handle: HandleId) {
        while let Some(place) = self.stalled.iter().position(|stalled| stalled.0 == handle) {
            if self.replicas.valid(handle) == 0 && self.replicas.is_flying(handle) {
                return;
            }
            let (handle, memory, purpose, priority) = self.stalled.swap_remove(place);
            self.fetch(handle, memory, purpose, priority);
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
