//! Admission and start: a committed task gets room for all its data, and runs when that has come.

use super::Plans;
use super::{Action, Dispatcher, PATIENCE, first_use, view};
use crate::sched::View;
use crate::types::{MemoryId, TaskId, WorkerId};

impl Dispatcher {
    /// Lets every woken worker admit and start tasks; says whether any did.
    pub(super) fn advance_woken(&mut self, actions: &mut Vec<Action>) -> bool {
        let mut any = false;
        while let Some(worker) = self.woken.next() {
            any |= self.advance(worker, actions);
        }
        if !self.is_light {
            any |= self.grant_wishes();
        }
        any
    }

    fn advance(&mut self, worker: usize, actions: &mut Vec<Action>) -> bool {
        let memory = self.machine.workers[worker].memory;
        let mut any = self.admit(worker, memory);
        while self.worker_tasks[worker].running.len() < self.machine.workers[worker].slots
            && let Some(task) = self.take_set(worker, memory)
        {
            if !self.is_light {
                let row = *self.tasks.get(task);
                self.planner.start(&row, memory);
                self.flush(actions);
            }
            if self.has_contexts {
                self.scheduler.started(task, WorkerId(worker), &view!(self));
            }
            actions.push(Action::Start { task, worker: WorkerId(worker) });
            self.worker_tasks[worker].running.push(task);
            self.admit(worker, memory);
            any = true;
        }
        if !self.is_light {
            any |= self.prefetch_committed(worker, memory);
            self.worker_tasks[worker].note_wait(self.now);
        }
        any
    }

    /// Admits the next committed tasks of `worker` as far as there is room.
    fn admit(&mut self, worker: usize, memory: MemoryId) -> bool {
        let pipeline = self.machine.workers[worker].pipeline;
        let mut any = false;
        loop {
            let own = &self.worker_tasks[worker];
            let holds = own.admitted + own.running.len();
            if holds >= pipeline || own.admitted == own.committed.len() {
                return any;
            }
            if self.barrier[memory.0].is_some_and(|first| first != worker) {
                return any;
            }
            if self.is_light {
                self.worker_tasks[worker].admitted += 1;
                any = true;
                continue;
            }
            let row = *self.tasks.get(own.committed[own.admitted].0);
            let (worker_tasks, workers_of) = (&self.worker_tasks, &self.workers_of);
            let tasks = &self.tasks;
            let committed =
                |handle, memory| first_use(worker_tasks, workers_of, tasks, handle, memory);
            let plans = Plans { scheduler: &*self.scheduler, committed: &committed };
            if !self.planner.admit(&row, memory, plans) {
                self.refuse(worker, memory);
                return any;
            }
            let own = &mut self.worker_tasks[worker];
            own.admitted += 1;
            own.refusals = 0;
            own.prefetched = own.prefetched.max(own.admitted);
            if self.barrier[memory.0] == Some(worker) {
                self.barrier[memory.0] = None;
                self.workers_of[memory.0].iter().for_each(|&other| self.woken.wake(other));
            }
            any = true;
        }
    }

    fn refuse(&mut self, worker: usize, memory: MemoryId) {
        let own = &mut self.worker_tasks[worker];
        own.refusals += 1;
        if own.refusals > PATIENCE && self.barrier[memory.0].is_none() {
            self.barrier[memory.0] = Some(worker);
        }
    }

    /// Takes the first admitted task of `worker` whose data has all come.
    fn take_set(&mut self, worker: usize, memory: MemoryId) -> Option<TaskId> {
        let own = &mut self.worker_tasks[worker];
        for place in 0..own.admitted {
            let task = own.committed[place].0;
            let is_set = || self.planner.is_set(self.tasks.get(task), memory);
            if self.is_light || (is_set() && self.caps.take(task)) {
                own.committed.remove(place);
                own.admitted -= 1;
                own.prefetched = own.prefetched.saturating_sub(1);
                return Some(task);
            }
        }
        None
    }
}
