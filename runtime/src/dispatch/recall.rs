//! Tasks that are taken back before they start: those of a job that will not go on.

use super::{Dispatcher, view};
use crate::sched::View;
use crate::types::{JobId, TaskId, WorkerId};

impl Dispatcher {
    /// Takes all tasks of `job` back that have not started, and appends them to `out`, with the
    /// worker that each was committed to; to policies they are done.
    pub(crate) fn recall(&mut self, job: JobId, out: &mut Vec<(TaskId, Option<WorkerId>)>) {
        for worker in 0..self.worker_tasks.len() {
            self.recall_committed(job, WorkerId(worker), out);
        }
        let mut waiting = Vec::new();
        if let Some(contexts) = self.scheduler.contexts() {
            contexts.recall(job, &view!(self), &mut waiting);
        }
        for task in waiting {
            let row = *self.tasks.get(task);
            self.unhint(task, &row);
            out.push((task, None));
        }
        self.take_hints();
    }

    fn recall_committed(
        &mut self,
        job: JobId,
        worker: WorkerId,
        out: &mut Vec<(TaskId, Option<WorkerId>)>,
    ) {
        let (memory, class) = {
            let worker = &self.machine.workers[worker.0];
            (worker.memory, worker.class)
        };
        let mut place = 0;
        while let Some(&(task, _)) = self.worker_tasks[worker.0].committed.get(place) {
            if self.tasks.job(task) != job {
                place += 1;
                continue;
            }
            let own = &mut self.worker_tasks[worker.0];
            own.committed.remove(place);
            let was_admitted = place < own.admitted;
            own.admitted -= usize::from(was_admitted);
            own.prefetched -= usize::from(place < own.prefetched);
            own.refusals = 0;
            own.work -= self.tasks.nanoseconds(task, class).unwrap_or(0);
            self.busy_until[worker.0] = self.now + own.work;
            if !self.is_light {
                let row = *self.tasks.get(task);
                if was_admitted {
                    self.planner.dismiss(&row, memory);
                }
                self.planner.commit(&row, memory, -1);
            }
            if self.barrier[memory.0] == Some(worker.0) {
                self.barrier[memory.0] = None;
                self.workers_of[memory.0].iter().for_each(|&other| self.woken.wake(other));
            }
            self.scheduler.started(task, worker, &view!(self));
            self.scheduler.finished(task, worker, &view!(self));
            self.woken.wake(worker.0);
            out.push((task, Some(worker)));
        }
    }
}
