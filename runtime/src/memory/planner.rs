//! Plans what moves between memories and what is thrown out, so that tasks find their data.
//!
//! The planner performs nothing: it is told what happened and answers with operations. The real
//! engine performs them with copies, the simulator with a model of links; only the end of a
//! transfer changes what a memory holds.
//!
//! Why it cannot block: a task is admitted to a memory with all its data or not at all, and nothing
//! but the data of admitted tasks is pinned, so that with no task admitted any task that fits the
//! memory is. What is thrown out goes to a memory that has room at that moment or to the lowest one,
//! which always has: a transfer never waits for room.

use std::collections::VecDeque;
use std::sync::Arc;

use super::replicas::{Replica, Replicas};
use super::transfer::Transfer;
use crate::platform::{Machine, MemoryId};
use crate::sched::{Eviction, HandleId, Outlook, Scheduler, Task};
use crate::trace::Purpose;

/// What an engine must do, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Give `handle` a buffer in `memory`.
    Allocate {
        /// Whose.
        handle: HandleId,
        /// Where.
        memory: MemoryId,
    },
    /// Set the buffer of `handle` in `memory` to zero: nobody has written it yet.
    Zero {
        /// Whose.
        handle: HandleId,
        /// Where.
        memory: MemoryId,
    },
    /// Take the buffer of `handle` in `memory` back.
    Free {
        /// Whose.
        handle: HandleId,
        /// Where.
        memory: MemoryId,
    },
    /// Copy `handle` from `src` to `dst`, and say so when it is done.
    Copy(Transfer),
    /// The transfer of `handle` to `dst` was not urgent and now is.
    Hurry {
        /// What.
        handle: HandleId,
        /// Where to.
        dst: MemoryId,
    },
}

/// The room of one memory. Bytes are counted twice: as they will be when everything under way has
/// ended (`promised`), and as buffers occupy them now (`occupied`).
#[derive(Clone, Debug)]
struct Pool {
    capacity: u64,
    /// Bytes of replicas that are there to stay or will come, and of working memory.
    promised: u64,
    /// Bytes of buffers.
    occupied: u64,
    /// Bytes of valid replicas that nobody uses now.
    idle: u64,
    /// Who waits for buffers, in order.
    grants: VecDeque<Grant>,
}

#[derive(Clone, Copy, Debug)]
struct Grant {
    handle: HandleId,
    /// Whether its contents are wanted, too.
    fetch: Option<Purpose>,
    priority: i32,
}

/// What is known of tasks to come.
#[derive(Clone, Copy)]
pub struct Plans<'a> {
    /// What is planned beyond what is committed.
    pub scheduler: &'a dyn Scheduler,
    /// Position of the first committed task of a memory that uses a datum.
    pub committed: &'a dyn Fn(HandleId, MemoryId) -> Option<u64>,
}

/// Plans transfers and evictions.
pub struct Planner {
    machine: Arc<Machine>,
    replicas: Replicas,
    eviction: Box<dyn Eviction>,
    pools: Vec<Pool>,
    /// Fetches without a valid source, until one becomes valid.
    stalled: Vec<(HandleId, MemoryId, Purpose, i32)>,
    /// Handles whose contents are no longer needed and that are still under way.
    doomed: Vec<HandleId>,
    operations: Vec<Operation>,
    /// What changed where, for the scheduler: (handle, memory, whether it came).
    changes: Vec<(HandleId, MemoryId, bool)>,
    victims: Vec<HandleId>,
    /// For each pair of memories, when what was ordered between them should be through.
    way_free: Vec<u64>,
    now: u64,
    /// Memories where something changed that tasks may wait for, a bit each.
    touched: u32,
}

impl std::fmt::Debug for Planner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planner").field("pools", &self.pools).finish_non_exhaustive()
    }
}

impl Planner {
    /// A planner for `machine`, all of whose memories are empty.
    #[must_use]
    pub fn new(machine: Arc<Machine>, eviction: Box<dyn Eviction>) -> Self {
        machine.check();
        let pool = |capacity: Option<u64>| Pool {
            capacity: capacity.unwrap_or(u64::MAX),
            promised: 0,
            occupied: 0,
            idle: 0,
            grants: VecDeque::new(),
        };
        Self {
            replicas: Replicas::new(&machine),
            eviction,
            pools: machine.memories.iter().map(|memory| pool(memory.capacity)).collect(),
            stalled: Vec::new(),
            doomed: Vec::new(),
            operations: Vec::new(),
            changes: Vec::new(),
            victims: Vec::new(),
            way_free: vec![0; machine.memories.len().pow(2)],
            now: 0,
            touched: 0,
            machine,
        }
    }

    /// Which memory holds what.
    #[must_use]
    pub fn replicas(&self) -> &Replicas {
        &self.replicas
    }

    /// Bytes that buffers occupy in `memory`, working memory of tasks included.
    #[must_use]
    pub fn occupied(&self, memory: MemoryId) -> u64 {
        self.pools[memory.0].occupied
    }

    /// Sets the time, in nanoseconds.
    pub fn set_time(&mut self, now: u64) {
        self.now = now;
    }

    /// Moves what is to be done to the end of `into`.
    pub fn take_operations(&mut self, into: &mut Vec<Operation>) {
        into.append(&mut self.operations);
    }

    /// Moves what changed to the end of `into`: what came to (true) or left (false) which memory.
    pub fn take_changes(&mut self, into: &mut Vec<(HandleId, MemoryId, bool)>) {
        into.append(&mut self.changes);
    }

    /// The memories, a bit each, where something changed that a task may have waited for.
    pub fn take_touched(&mut self) -> u32 {
        std::mem::take(&mut self.touched)
    }

    /// Notes that there is a handle of `bytes` bytes.
    pub fn enter(&mut self, handle: HandleId, bytes: u64) {
        self.replicas.enter(handle, bytes);
    }

    /// Bytes that `task` needs in any memory.
    #[must_use]
    pub fn footprint(&self, task: &Task) -> u64 {
        task.handles().map(|handle| self.replicas.bytes(handle)).sum::<u64>() + task.scratch_bytes
    }

    /// Reserves room for everything that `task` uses in `memory`, pins it, and orders what is
    /// missing; false, and nothing changes, if there is not room for all of it now.
    pub fn admit(&mut self, task: &Task, memory: MemoryId, plans: Plans<'_>) -> bool {
        let mut need = task.scratch_bytes;
        let mut own = 0;
        for handle in task.handles() {
            let bytes = self.replicas.bytes(handle);
            match self.replicas.state(handle, memory) {
                Replica::Absent | Replica::Leaving => need += bytes,
                Replica::Valid if !self.replicas.is_pinned(handle, memory) => own += bytes,
                _ => {}
            }
            if self.is_doomed(handle) {
                return false;
            }
        }
        let pool = &self.pools[memory.0];
        let free = pool.capacity - pool.promised;
        if need > free {
            if need - free > pool.idle - own {
                return false;
            }
            // Its own data must not go: it is pinned first.
            task.handles().for_each(|handle| self.pin(handle, memory));
            let found = self.make_room(memory, need - free, false, plans);
            assert!(
                found,
                "the eviction policy names no victim among {} idle bytes",
                self.pools[memory.0].idle
            );
        } else {
            task.handles().for_each(|handle| self.pin(handle, memory));
        }
        self.bring(task, memory);
        self.pools[memory.0].promised += task.scratch_bytes;
        self.serve(memory);
        true
    }

    fn bring(&mut self, task: &Task, memory: MemoryId) {
        let inputs = task.inputs().len();
        for (place, handle) in task.handles().enumerate() {
            match self.replicas.state(handle, memory) {
                Replica::Absent => {
                    let fetch = (place < inputs).then_some(Purpose::Fetch);
                    self.promise(memory, Grant { handle, fetch, priority: task.priority });
                }
                Replica::Leaving => {
                    // The transfer that reads it goes on; the buffer stays.
                    self.replicas.set(handle, memory, Replica::Valid);
                    self.pools[memory.0].promised += self.replicas.bytes(handle);
                    self.eviction.arrived(handle, memory);
                    self.changes.push((handle, memory, true));
                }
                Replica::Arriving => {
                    self.operations.push(Operation::Hurry { handle, dst: memory });
                }
                Replica::Promised | Replica::Allocated | Replica::Valid => {}
            }
        }
    }

    /// Orders `handle` for `memory` if there is room for it, or `plans` say that what is there is not
    /// wanted any more; says whether it is there or will be.
    pub fn prefetch(
        &mut self,
        handle: HandleId,
        memory: MemoryId,
        priority: i32,
        plans: Option<Plans<'_>>,
    ) -> bool {
        if self.replicas.is_here(handle, memory) {
            return true;
        }
        if self.replicas.state(handle, memory) == Replica::Leaving || self.is_doomed(handle) {
            return false;
        }
        let (pool, need) = (&self.pools[memory.0], self.replicas.bytes(handle));
        let free = pool.capacity - pool.promised;
        let is_short = need > free;
        if is_short
            && !(need - free <= pool.idle
                && plans.is_some_and(|plans| self.make_room(memory, need - free, true, plans)))
        {
            return false;
        }
        self.promise(memory, Grant { handle, fetch: Some(Purpose::Prefetch), priority });
        self.serve(memory);
        true
    }

    /// Whether `task`, which was admitted to `memory`, may start there.
    #[must_use]
    pub fn is_set(&self, task: &Task, memory: MemoryId) -> bool {
        let inputs = task.inputs().len();
        let is_there = |(place, handle)| match self.replicas.state(handle, memory) {
            Replica::Valid => true,
            Replica::Allocated => place >= inputs,
            _ => false,
        };
        let pool = &self.pools[memory.0];
        task.handles().enumerate().all(is_there)
            && pool.occupied.saturating_add(task.scratch_bytes) <= pool.capacity
            && task.outputs().all(|handle| !self.replicas.is_flying(handle))
    }

    /// `task`, which is set, starts in `memory`: other replicas of what it writes go.
    pub fn start(&mut self, task: &Task, memory: MemoryId) {
        self.pools[memory.0].occupied += task.scratch_bytes;
        for handle in task.handles() {
            self.eviction.used(handle, memory);
        }
        for handle in task.outputs() {
            for other in (0..self.pools.len()).map(MemoryId).filter(|&other| other != memory) {
                self.invalidate(handle, other);
            }
        }
    }

    /// `task` is done in `memory`.
    pub fn finish(&mut self, task: &Task, memory: MemoryId) {
        self.touched |= 1 << memory.0;
        for handle in task.outputs() {
            if self.replicas.state(handle, memory) == Replica::Allocated {
                self.replicas.set(handle, memory, Replica::Valid);
                self.changes.push((handle, memory, true));
            }
        }
        task.handles().for_each(|handle| self.unpin(handle, memory));
        let pool = &mut self.pools[memory.0];
        pool.promised -= task.scratch_bytes;
        pool.occupied -= task.scratch_bytes;
        self.serve(memory);
    }

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
        if self.is_doomed(handle) && !self.replicas.is_flying(handle) {
            self.doomed.retain(|&doomed| doomed != handle);
            self.discard(handle);
        }
        self.retry(handle);
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

    /// Notes that the program itself has given `handle`, which no memory holds, its contents: in the
    /// RAM, or in the lowest memory if the RAM has no room.
    pub fn place(&mut self, handle: HandleId) {
        debug_assert!(self.replicas.is_nowhere(handle), "{handle:?} has contents already");
        let (ram, bytes) = (&self.pools[0], self.replicas.bytes(handle));
        let has_room = ram.capacity - ram.promised.max(ram.occupied) >= bytes;
        let memory = if has_room { MemoryId::RAM } else { self.machine.lowest() };
        let pool = &mut self.pools[memory.0];
        (pool.promised, pool.occupied) = (pool.promised + bytes, pool.occupied + bytes);
        pool.idle += bytes;
        self.replicas.set(handle, memory, Replica::Valid);
        self.eviction.arrived(handle, memory);
        self.changes.push((handle, memory, true));
        self.operations.push(Operation::Allocate { handle, memory });
    }

    /// Whether any transfer is under way.
    #[must_use]
    pub fn is_flying(&self, handle: HandleId) -> bool {
        self.replicas.is_flying(handle)
    }

    /// Counts a task that was committed to (or, with -1, done on) a worker of `memory`.
    pub fn commit(&mut self, task: &Task, memory: MemoryId, by: i32) {
        task.handles().for_each(|handle| self.replicas.commit(handle, memory, by));
    }

    /// Counts a task that asked for its data in `memory` before it was committed.
    pub fn hint(&mut self, task: &Task, memory: MemoryId, by: i32) {
        task.inputs().for_each(|handle| self.replicas.hint(handle, memory, by));
    }

    fn is_doomed(&self, handle: HandleId) -> bool {
        !self.doomed.is_empty() && self.doomed.contains(&handle)
    }

    fn pin(&mut self, handle: HandleId, memory: MemoryId) {
        let was_idle = self.replicas.state(handle, memory) == Replica::Valid
            && !self.replicas.is_pinned(handle, memory);
        if was_idle {
            self.pools[memory.0].idle -= self.replicas.bytes(handle);
        }
        self.replicas.pin(handle, memory, 1);
    }

    fn unpin(&mut self, handle: HandleId, memory: MemoryId) {
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
    fn release(&mut self, handle: HandleId, memory: MemoryId) {
        self.pools[memory.0].occupied -= self.replicas.bytes(handle);
        self.operations.push(Operation::Free { handle, memory });
    }

    /// Throws the replica of `handle` in `memory` away, which is not under way and which no task
    /// uses.
    fn invalidate(&mut self, handle: HandleId, memory: MemoryId) {
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
        self.eviction.left(handle, memory);
        self.changes.push((handle, memory, false));
        if state != Replica::Promised {
            self.release(handle, memory);
            self.serve(memory);
        }
    }

    /// Throws replicas out of `memory` until `bytes` more are promised to be free; false, and
    /// nothing changes, if the eviction policy names too few.
    fn make_room(
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
            let outlook = Outlook { replicas, scheduler, committed };
            let may = |handle| {
                replicas.state(handle, memory) == Replica::Valid
                    && !replicas.is_pinned(handle, memory)
            };
            let Some(victim) = self.eviction.victim(memory, is_prefetch, &outlook, &may) else {
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
        self.eviction.left(handle, memory);
        self.changes.push((handle, memory, false));
        self.eviction.arrived(handle, dst);
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
    fn promise(&mut self, memory: MemoryId, grant: Grant) {
        self.pools[memory.0].promised += self.replicas.bytes(grant.handle);
        self.replicas.set(grant.handle, memory, Replica::Promised);
        self.eviction.arrived(grant.handle, memory);
        self.changes.push((grant.handle, memory, true));
        self.pools[memory.0].grants.push_back(grant);
    }

    /// Gives buffers to those that wait for them, in order, as far as there is room now.
    fn serve(&mut self, memory: MemoryId) {
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

    /// Orders the contents of `handle` for its buffer in `memory`.
    fn fetch(&mut self, handle: HandleId, memory: MemoryId, purpose: Purpose, priority: i32) {
        if let Some((src, _)) = self.replicas.source(handle, memory) {
            self.send(handle, src, memory, purpose, priority);
        } else if self.replicas.is_flying(handle) {
            self.stalled.push((handle, memory, purpose, priority));
        } else {
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

    fn send(
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
