//! Plans what moves between memories and what is thrown out, so that tasks find their data.
//!
//! The planner performs nothing: it is told what happened and answers with operations. The real
//! engine performs them with copies, the simulator with a model of links.
//!
//! A machine ([`crate::platform::Machine`]) has a RAM, memories of accelerators, perhaps a disk,
//! and routes between them over links that may be shared. [`Planner`] keeps the state of each
//! replica (absent, promised, allocated, arriving, valid, leaving) and orders what must be done;
//! only the end of a transfer changes what a memory holds.
//!
//! - A task is admitted to a memory with all its data or not at all. Nothing but data of admitted
//!   tasks, and sources of transfers, is pinned. With nothing admitted, any task that fits the
//!   memory is admitted: so nothing can block, and a task that does not fit fails with what it
//!   needs.
//! - What is thrown out and valid elsewhere is dropped. The only copy is written back: to the RAM
//!   if that has room at this moment, or holds what is valid elsewhere and that no worker there
//!   wants, which is then dropped; else to the lowest memory, which always has room (a disk, or a
//!   RAM without limit). No transfer waits for room.
//! - What only a disk holds is read once, however many memories want it at a time: the others copy
//!   it from the first.
//! - A prefetch for a committed task evicts only what no committed or hinted task wants; one for a
//!   task that is merely hinted at ([`Scheduler::hints`](crate::sched::Scheduler::hints)) evicts
//!   nothing.
//! - A task that was refused room 64 times in a row is the only one to be admitted to its memory
//!   until it is in.
//! - Of a handle that a task overwrites, replicas elsewhere go when the task starts.
//! - `Reduce` commutes where data must be moved: one task at a time works on the only copy.
//!
//! Disks are one scratch file without a name, written and read by position; when it fails (full,
//! gone), every task that has not started fails with that message and the flow says so from then
//! on; of several flows that share it one does so, and the others go on ([`Planner::abandon`],
//! [`Planner::withdraw`]).
//!
//! Workers may be kept apart: a class may run some codelets alone
//! ([`WorkerClass::only`](crate::platform::WorkerClass::only),
//! [`Machine::dedicate_core`](crate::platform::Machine::dedicate_core)), and
//! [`Machine::caps`](crate::platform::Machine::caps) limits how many tasks of some kinds run at a
//! time (readers of one disk, say).

mod moves;
mod room;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::memory::{Replica, Replicas, Transfer};
use crate::platform::Machine;
use crate::sched::{EvictionPolicy, Recency, Scheduler, Task};
use crate::trace::Purpose;
use crate::types::{HandleId, MemoryId};

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
    eviction: &'static EvictionPolicy,
    recency: Recency,
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
    pub fn new(machine: Arc<Machine>, eviction: &'static EvictionPolicy) -> Self {
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
            recency: Recency::new(machine.memories.len()),
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
                    self.recency.renew(handle, memory);
                    self.changes.push((handle, memory, true));
                }
                Replica::Arriving => {
                    self.operations.push(Operation::Hurry { handle, dst: memory });
                }
                Replica::Allocated => self.hurry_elsewhere(handle, memory),
                Replica::Promised | Replica::Valid => {}
            }
        }
    }

    /// Orders `handle` for `memory` if there is room for it, or `plans` say that what is there is
    /// not wanted any more; says whether it is there or will be.
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
            self.recency.renew(handle, memory);
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

    /// `task`, which was admitted to `memory`, does not start there.
    pub fn dismiss(&mut self, task: &Task, memory: MemoryId) {
        self.touched |= 1 << memory.0;
        task.handles().for_each(|handle| self.unpin(handle, memory));
        self.pools[memory.0].promised -= task.scratch_bytes;
        self.serve(memory);
    }

    /// Notes that the program itself has given `handle` its contents: in the RAM, or in the lowest
    /// memory if the RAM has no room, unless some memory holds it already.
    pub fn place(&mut self, handle: HandleId) {
        if !self.replicas.is_nowhere(handle) {
            return;
        }
        let bytes = self.replicas.bytes(handle);
        let memory = if self.ram_room() >= bytes { MemoryId::RAM } else { self.machine.lowest() };
        let pool = &mut self.pools[memory.0];
        (pool.promised, pool.occupied) = (pool.promised + bytes, pool.occupied + bytes);
        pool.idle += bytes;
        self.replicas.set(handle, memory, Replica::Valid);
        self.recency.renew(handle, memory);
        self.changes.push((handle, memory, true));
        self.operations.push(Operation::Allocate { handle, memory });
    }

    /// Counts a task that was committed to (or, with -1, done on) a worker of `memory`.
    pub fn commit(&mut self, task: &Task, memory: MemoryId, by: i32) {
        task.handles().for_each(|handle| self.replicas.commit(handle, memory, by));
    }

    /// Counts a task that asked for its data in `memory` before it was committed.
    pub fn hint(&mut self, task: &Task, memory: MemoryId, by: i32) {
        task.inputs().for_each(|handle| self.replicas.hint(handle, memory, by));
    }

    /// Whether the contents of `handle`, which are under way, are no longer needed.
    #[must_use]
    pub fn is_doomed(&self, handle: HandleId) -> bool {
        !self.doomed.is_empty() && self.doomed.contains(&handle)
    }
}
