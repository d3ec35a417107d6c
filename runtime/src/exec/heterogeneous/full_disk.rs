//! A full disk that several flows share: one gives up, so that the others go on.
//!
//! What could not be written stays where it is, if there is room again, or is written once more. If
//! that fails, too, the flow with the most on disk gives up, whose data go, in memory as well, and
//! it is written once more; and so on, in the end with the flow whose data it is: somebody always
//! goes on.

use super::Shared;
use super::core::{Core, Hold};
use super::disk::ScratchError;
use super::fatal::Fatal;
use super::programs::Program;
use crate::memory::{Replica, Transfer};
use crate::trace::Outcome;
use crate::types::{HandleId, MemoryId, TaskId, WorkerId};

/// Flows that gave up, and what waits for the room that they leave.
#[derive(Default)]
pub(super) struct Sacrifices {
    /// Why, by the number of the flow; empty if all of them have ended.
    why: Vec<Option<Fatal>>,
    /// Transfers to the disk that failed.
    lost: Vec<Transfer>,
    /// Those that were ordered once more, and how many flows had given up by then.
    retried: Vec<(HandleId, usize)>,
    /// How many have given up.
    count: usize,
}

impl Sacrifices {
    /// Why a flow gave up, if it did.
    pub(super) fn why(&self, number: usize) -> Option<Fatal> {
        self.why.get(number).cloned().flatten()
    }

    fn is(&self, number: usize) -> bool {
        self.why.get(number).is_some_and(Option::is_some)
    }

    fn is_empty(&self) -> bool {
        self.why.is_empty()
    }

    /// Whether the transfer of `handle` was ordered once more since a flow gave up last, which is
    /// forgotten.
    fn take_retried(&mut self, handle: HandleId) -> bool {
        let place = self.retried.iter().position(|&(retried, _)| retried == handle);
        place.is_some_and(|place| self.retried.swap_remove(place).1 == self.count)
    }

    /// A flow has ended.
    pub(super) fn forget(&mut self, number: usize) {
        if let Some(why) = self.why.get_mut(number) {
            *why = None;
        }
        if self.why.iter().all(Option::is_none) {
            self.why.clear();
        }
    }
}

impl Core {
    /// Whether the flow of `handle` gave up.
    pub(super) fn is_given_up(&self, shared: &Shared, handle: HandleId) -> bool {
        !self.sacrifices.is_empty()
            && self.sacrifices.is(shared.programs.of_handle(handle).number())
    }

    /// Notes that a transfer of `handle` has ended well: its contents are dropped if its flow gave
    /// up and nothing uses them now.
    pub(super) fn note_written(&mut self, shared: &Shared, handle: HandleId) {
        self.sacrifices.take_retried(handle);
        if self.is_given_up(shared, handle) {
            self.dispatcher.planner_mut().abandon(handle);
        }
    }

    /// The same of all that a task used.
    pub(super) fn abandon_data_of(&mut self, shared: &Shared, task: TaskId) {
        if self.sacrifices.is_empty() {
            return;
        }
        let program = shared.programs.of_task(task.0);
        if self.sacrifices.is(program.number()) {
            for (handle, _) in program.space.task(task.0).accesses() {
                self.dispatcher.planner_mut().abandon(HandleId(handle));
            }
        }
    }

    /// A `transfer` from or to the disk failed, which has been counted as ended.
    pub(super) fn lose(&mut self, shared: &Shared, transfer: &Transfer, error: ScratchError) {
        let handle = transfer.handle;
        let owner = shared.programs.of_handle(handle);
        let is_needed = !self.dispatcher.planner().is_doomed(handle);
        let is_written = transfer.dst == self.dispatcher.machine().lowest();
        let was_retried = self.sacrifices.take_retried(handle);
        if is_needed && !self.sacrifices.is(owner.number()) {
            // The first time others may just have left room, or be about to.
            if was_retried || !is_written {
                // What cannot be read is lost to the flow that needs it.
                let largest = if is_written { self.largest(shared) } else { None };
                let number = largest.unwrap_or(owner.number());
                self.sacrifice(shared, &shared.programs.running(number), &error);
            }
            if !self.sacrifices.is(owner.number()) {
                self.count_flight(shared, handle, 1);
                self.sacrifices.lost.push(*transfer);
                return;
            }
        }
        self.end_needless(transfer);
    }

    /// Ends a transfer whose contents nobody needs.
    fn end_needless(&mut self, &Transfer { handle, src, dst, .. }: &Transfer) {
        self.dispatcher.arrived(handle, src, dst);
        self.dispatcher.planner_mut().abandon(handle);
    }

    /// The flow that has the most on disk, of those that did not give up; where none has anything
    /// there, the one that has the most.
    fn largest(&self, shared: &Shared) -> Option<usize> {
        let (replicas, disk) =
            (self.dispatcher.planner().replicas(), self.dispatcher.machine().lowest());
        let mut largest = None;
        shared.programs.for_each(|program| {
            if self.sacrifices.is(program.number()) {
                return;
            }
            let known = |&handle: &u32| (handle as usize) < replicas.handles();
            let (mut on_disk, mut all) = (0, 0);
            for handle in program.space.handles.indices().filter(known).map(HandleId) {
                let is_in = |memory| replicas.state(handle, memory) != Replica::Absent;
                let bytes = replicas.bytes(handle);
                on_disk += if replicas.valid(handle) >> disk.0 & 1 == 1 { bytes } else { 0 };
                let memories = (0..replicas.memories()).map(MemoryId);
                all += memories.filter(|&memory| is_in(memory)).count() as u64 * bytes;
            }
            largest = largest.max(Some((on_disk, all, program.number())));
        });
        largest.map(|(.., number)| number)
    }

    /// Has a flow give up: its tasks that have not started fail, its data go.
    fn sacrifice(&mut self, shared: &Shared, program: &Program, error: &ScratchError) {
        let (number, why) = (program.number(), Fatal::from(error.clone()));
        if number >= self.sacrifices.why.len() {
            self.sacrifices.why.resize(number + 1, None);
        }
        self.sacrifices.why[number] = Some(why.clone());
        self.sacrifices.count += 1;
        program.runner.end(move || why.clone().into_cause());
        let mut recalled = Vec::new();
        self.dispatcher.recall(program.space.naming.job, &mut recalled);
        for handle in program.space.handles.indices() {
            self.dispatcher.planner_mut().abandon(HandleId(handle));
        }
        for (task, worker) in recalled {
            self.fail_held(shared, task, worker);
        }
    }

    /// Ends a task of a flow that gave up.
    fn fail_held(&mut self, shared: &Shared, task: TaskId, worker: Option<WorkerId>) {
        let program = shared.programs.of_task(task.0);
        self.hold(task, Hold::None);
        program.runner.skip(&program.space, program.space.task(task.0));
        self.record(shared, task.0, worker, Outcome::Failed);
        self.complete(shared, task.0, worker);
    }

    /// Deals with what could not be written, now that there may be room.
    pub(super) fn retry_lost(&mut self, shared: &Shared) {
        if self.sacrifices.lost.is_empty() {
            return;
        }
        // The room of what was dropped is given back first.
        self.pump(shared);
        let is_busy = self.is_room_to_come(shared);
        for transfer in std::mem::take(&mut self.sacrifices.lost) {
            let Transfer { handle, src, dst, .. } = transfer;
            if self.is_given_up(shared, handle) {
                self.count_flight(shared, handle, -1);
                self.end_needless(&transfer);
            } else if self.dispatcher.planner_mut().withdraw(handle, src, dst) {
                self.count_flight(shared, handle, -1);
            } else if is_busy {
                self.sacrifices.lost.push(transfer);
            } else {
                self.sacrifices.retried.push((handle, self.sacrifices.count));
                shared.copiers.send(transfer);
            }
        }
    }

    /// Whether tasks or transfers of flows that gave up are still to end, by themselves.
    fn is_room_to_come(&self, shared: &Shared) -> bool {
        let runs = |slot: usize| {
            self.is_held[slot] == Hold::Running
                && self.sacrifices.is(shared.programs.of_task(slot as u32).number())
        };
        (0..self.is_held.len()).any(runs)
            || (0..self.sacrifices.why.len())
                .any(|number| self.sacrifices.is(number) && self.is_moving(Some(number)))
    }

    /// There is no way on for anybody: what could not be written is not waited for.
    pub(super) fn forget_lost(&mut self, shared: &Shared) {
        for transfer in std::mem::take(&mut self.sacrifices.lost) {
            self.count_flight(shared, transfer.handle, -1);
        }
    }
}
