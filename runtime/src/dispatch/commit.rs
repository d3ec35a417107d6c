//! Commitment: which worker is given more tasks, and how many.

use super::{Ahead, Dispatcher, view};
use crate::platform::Machine;
use crate::sched::View;
use crate::types::WorkerId;

impl Dispatcher {
    /// Commits tasks to workers with room: first one to each that has none, then as many as each
    /// looks ahead.
    pub(super) fn refill(&mut self) -> bool {
        let mut any = false;
        for worker in 0..self.worker_tasks.len() {
            if self.worker_tasks[worker].is_empty() {
                any |= self.commit(worker, 1);
                if self.scheduler.backlog() == 0 {
                    return any;
                }
            }
        }
        for worker in 0..self.worker_tasks.len() {
            let Ahead { low, most } = self.ahead[worker];
            let held = self.worker_tasks[worker].len();
            if held > 0 && held < low {
                any |= self.commit(worker, most - held);
                if self.scheduler.backlog() == 0 {
                    return any;
                }
            }
        }
        any
    }

    /// Commits up to `room` tasks to `worker`; says whether there were any.
    fn commit(&mut self, worker: usize, room: usize) -> bool {
        let mut batch = std::mem::take(&mut self.batch);
        self.scheduler.refill(WorkerId(worker), room, &view!(self), &mut batch);
        let Machine { workers, .. } = &*self.machine;
        let (class, memory) = (workers[worker].class, workers[worker].memory);
        let own = &mut self.worker_tasks[worker];
        let mut work = 0;
        for &task in &batch {
            let time = self.tasks.nanoseconds(task, class);
            work += time.expect("policies commit tasks to workers that can run them");
            self.sequence += 1;
            own.committed.push_back((task, self.sequence));
        }
        own.work += work;
        self.busy_until[worker] = self.busy_until[worker].max(self.now) + work;
        let tracked = if self.is_light { &[][..] } else { &batch };
        for &task in tracked {
            let row = *self.tasks.get(task);
            if !self.is_hinted(task, memory) {
                self.count_hits(&row, memory);
            }
            self.planner.commit(&row, memory, 1);
            self.unhint(task, &row);
        }
        let any = !batch.is_empty();
        batch.clear();
        self.batch = batch;
        if any {
            self.woken.wake(worker);
        }
        any
    }
}
