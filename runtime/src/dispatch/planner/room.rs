//! Room in a memory: who gets buffers, and what is thrown out for them.

use super::{Grant, Operation, Planner, Plans};
use crate::memory::{Replica, Replicas};
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
        self.forget(handle, memory);
        self.serve(memory);
    }

    /// As [`invalidate`](Self::invalidate), but nobody is given the room yet.
    fn forget(&mut self, handle: HandleId, memory: MemoryId) {
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
        let mut victims = std::mem::take(&mut self.victims);
        let is_found =
            self.find_victims(memory, bytes, is_prefetch, plans, |_, _| true, &mut victims);
        if is_found {
            victims.iter().for_each(|&victim| self.evict(victim, memory, plans));
            // Room that they made in the RAM, more than they took.
            self.serve(MemoryId::RAM);
        }
        victims.clear();
        self.victims = victims;
        is_found
    }

    /// Appends to `victims` what the eviction policy throws out of `memory` so that `bytes` more
    /// are free, of what `may` go; false if that is too little.
    fn find_victims(
        &mut self,
        memory: MemoryId,
        bytes: u64,
        is_prefetch: bool,
        plans: Plans<'_>,
        may: impl Fn(&Replicas, HandleId) -> bool,
        victims: &mut Vec<HandleId>,
    ) -> bool {
        let mut found = 0;
        while found < bytes {
            let replicas = &self.replicas;
            let Plans { scheduler, committed } = plans;
            let recency = &self.recency;
            let outlook =
                EvictionContext { memory, is_prefetch, replicas, recency, scheduler, committed };
            let may = |handle| {
                replicas.state(handle, memory) == Replica::Valid
                    && !replicas.is_pinned(handle, memory)
                    && may(replicas, handle)
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
        found >= bytes
    }

    /// Throws `handle` out of `memory`: at once if it is valid elsewhere, else by writing it back.
    fn evict(&mut self, handle: HandleId, memory: MemoryId, plans: Plans<'_>) {
        if self.replicas.valid(handle) & !(1 << memory.0) != 0 {
            return self.invalidate(handle, memory);
        }
        let (bytes, dst) = (self.replicas.bytes(handle), self.way_down(handle, memory, plans));
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

    /// Where `handle` goes that is valid in `memory` alone: the RAM if it has room now, or has it
    /// without what is valid elsewhere and unwanted, which is dropped; else the lowest memory,
    /// which always has room.
    fn way_down(&mut self, handle: HandleId, memory: MemoryId, plans: Plans<'_>) -> MemoryId {
        let lowest = self.machine.lowest();
        let is_free = self.replicas.state(handle, MemoryId::RAM) == Replica::Absent;
        if memory == MemoryId::RAM || !is_free {
            return lowest;
        }
        let short = self.replicas.bytes(handle).saturating_sub(self.ram_room());
        let is_clean = |replicas: &Replicas, other| replicas.valid(other) != 1;
        let mut clean = Vec::new();
        if !self.find_victims(MemoryId::RAM, short, true, plans, is_clean, &mut clean) {
            return lowest;
        }
        clean.into_iter().for_each(|other| self.forget(other, MemoryId::RAM));
        MemoryId::RAM
    }

    /// Bytes for which the RAM has buffers now.
    pub(super) fn ram_room(&self) -> u64 {
        let ram = &self.pools[0];
        ram.capacity - ram.promised.max(ram.occupied)
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
                self.fetch(handle, memory, purpose, priority);
            }
        }
    }
}
