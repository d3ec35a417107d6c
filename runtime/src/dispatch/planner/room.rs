//! Room in a memory: who gets buffers, and what is thrown out for them.

use super::{Grant, Operation, Planner, Plans};
use crate::memory::Replica;
use crate::sched::EvictionContext;
use crate::trace::Purpose;
use crate::types::{HandleId, MemoryId};

impl Planner {
    pub(super) fn pin(&mut self, handle: HandleId, memory: MemoryId) {
        let was_idle = self.replicas.state(handle, memory) == Replica::Valid
            && !self.replicas.is_pinned(handle, memory);
        if was_idle {
            self.pools[memory.0].idle -= self.replicas.bytes(handle);
        }
        self.replicas.pin(handle, memory, 1);
    }

    pub(super) fn unpin(&mut self, handle: HandleId, memory: MemoryId) {
        self.replicas.pin(handle, memory, -1);
        if self.replicas.is_pinned(handle, memory) {
            return;
        }
        match self.replicas.state(handle, memory) {
            Replica::Valid => self.pools[memory.0].idle += self.replicas.bytes(handle),
            Replica::Leaving => {
                self.replicas.set(handle, memory, Replica::Absent);
                self.release(handle, memory);
            }
            _ => {}
        }
    }

    /// Takes the buffer of `handle` in `memory` back.
    pub(super) fn release(&mut self, handle: HandleId, memory: MemoryId) {
        self.pools[memory.0].occupied -= self.replicas.bytes(handle);
        self.operations.push(Operation::Free { handle, memory });
    }

    /// Throws the replica of `handle` in `memory` away, which is not under way and which no task
    /// uses.
    pub(super) fn invalidate(&mut self, handle: HandleId, memory: MemoryId) {
        let bytes = self.replicas.bytes(handle);
        let state = self.replicas.state(handle, memory);
        if state == Replica::Absent {
            return;
        }
        debug_assert!(
            !self.replicas.is_pinned(handle, memory),
            "{handle:?} in {memory:?} is in use"
        );
        let pool = &mut self.pools[memory.0];
        match state {
            Replica::Valid => pool.idle -= bytes,
            Replica::Promised => pool.grants.retain(|grant| grant.handle != handle),
            Replica::Allocated => {
                self.stalled.retain(|&(h, m, ..)| (h, m) != (handle, memory));
            }
            Replica::Absent | Replica::Arriving | Replica::Leaving => {
                unreachable!("{handle:?} in {memory:?} is {state:?} and not under way")
            }
        }
        self.touched |= 1 << memory.0;
        self.pools[memory.0].promised -= bytes;
        self.replicas.set(handle, memory, Replica::Absent);
        self.recency.forget(handle, memory);
        self.changes.push((handle, memory, false));
        if state != Replica::Promised {
            self.release(handle, memory);
            self.serve(memory);
        }
    }

    /// Throws replicas out of `memory` until `bytes` more are promised to be free; false, and
    /// nothing changes, if the eviction policy names too few.
    pub(super) fn make_room(
        &mut self,
        memory: MemoryId,
        bytes: u64,
        is_prefetch: bool,
        plans: Plans<'_>,
    ) -> bool {
        let mut found = 0;
        let mut victims = std::mem::take(&mut self.victims);
        while found < bytes {
            let replicas = &self.replicas;
            let Plans { scheduler, committed } = plans;
            let recency = &self.recency;
            let outlook =
                EvictionContext { memory, is_prefetch, replicas, recency, scheduler, committed };
            let may = |handle| {
                replicas.state(handle, memory) == Replica::Valid
                    && !replicas.is_pinned(handle, memory)
            };
            let Some(victim) = (self.eviction.victim)(&outlook, &may) else {
                break;
            };
            debug_assert!(may(victim), "the eviction policy names {victim:?}, which may not go");
            found += self.replicas.bytes(victim);
            self.pin(victim, memory);
            victims.push(victim);
        }
        victims.iter().for_each(|&victim| self.unpin(victim, memory));
        if found >= bytes {
            victims.iter().for_each(|&victim| self.evict(victim, memory));
        }
        victims.clear();
        self.victims = victims;
        found >= bytes
    }

    /// Throws `handle` out of `memory`: at once if it is valid elsewhere, else by writing it back.
    fn evict(&mut self, handle: HandleId, memory: MemoryId) {
        if self.replicas.valid(handle) & !(1 << memory.0) != 0 {
            return self.invalidate(handle, memory);
        }
        let (bytes, dst) = (self.replicas.bytes(handle), self.way_down(handle, memory));
        if self.replicas.state(handle, dst) != Replica::Absent {
            // A task is about to overwrite it there, so nobody needs these contents.
            debug_assert_eq!(self.replicas.state(handle, dst), Replica::Allocated);
            return self.invalidate(handle, memory);
        }
        let pool = &mut self.pools[memory.0];
        (pool.idle, pool.promised) = (pool.idle - bytes, pool.promised - bytes);
        let below = &mut self.pools[dst.0];
        (below.promised, below.occupied) = (below.promised + bytes, below.occupied + bytes);
        self.replicas.set(handle, memory, Replica::Leaving);
        self.recency.forget(handle, memory);
        self.changes.push((handle, memory, false));
        self.recency.renew(handle, dst);
        self.changes.push((handle, dst, true));
        self.operations.push(Operation::Allocate { handle, memory: dst });
        self.send(handle, memory, dst, Purpose::WriteBack, 0);
    }

    /// Where `handle` goes that is valid in `memory` alone: the RAM if it has room now, else the
    /// lowest memory, which always has.
    fn way_down(&self, handle: HandleId, memory: MemoryId) -> MemoryId {
        let (ram, lowest) = (&self.pools[0], self.machine.lowest());
        let room = ram.capacity - ram.promised.max(ram.occupied);
        let is_free = self.replicas.state(handle, MemoryId::RAM) == Replica::Absent;
        if memory != MemoryId::RAM && is_free && room >= self.replicas.bytes(handle) {
            MemoryId::RAM
        } else {
            lowest
        }
    }

    /// Promises room for a handle that is absent; there is as much.
    pub(super) fn promise(&mut self, memory: MemoryId, grant: Grant) {
        self.pools[memory.0].promised += self.replicas.bytes(grant.handle);
        self.replicas.set(grant.handle, memory, Replica::Promised);
        self.recency.renew(grant.handle, memory);
        self.changes.push((grant.handle, memory, true));
        self.pools[memory.0].grants.push_back(grant);
    }

    /// Gives buffers to those that wait for them, in order, as far as there is room now.
    pub(super) fn serve(&mut self, memory: MemoryId) {
        while let Some(&Grant { handle, fetch, priority }) = self.pools[memory.0].grants.front() {
            let (pool, bytes) = (&mut self.pools[memory.0], self.replicas.bytes(handle));
            if pool.occupied.saturating_add(bytes) > pool.capacity {
                return;
            }
            pool.occupied += bytes;
            pool.grants.pop_front();
            self.replicas.set(handle, memory, Replica::Allocated);
            self.operations.push(Operation::Allocate { handle, memory });
            if let Some(purpose) = fetch {
                let is_urgent = self.replicas.is_pinned(handle, memory);
                let purpose = if is_urgent { Purpose::Fetch } else { purpose };
                self.fetch(handle, memory, purpose, priority);
            }
        }
    }
}
