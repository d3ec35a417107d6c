//! All contexts as the one policy that the dispatcher knows.

use crate::sched::hypervisor::{Notice, Trigger};
use crate::sched::{NextUse, Scheduler, View};
use crate::types::{ContextId, HandleId, MemoryId, TaskId, WorkerId};

use super::Contexts;

impl Scheduler for Contexts {
    fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>, view: &View<'_>) {
        // Tasks that become ready together are nearly always of one job.
        let job = |task: &TaskId| view.tasks.job(*task);
        for of_job in tasks.chunk_by(|one, other| job(one) == job(other)) {
            self.hand_over(job(&of_job[0]), of_job, by, view);
        }
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.refill_worker(worker, room, view, out);
    }

    fn backlog(&self) -> usize {
        self.backlog
    }

    fn lookahead(&self, pipeline: usize) -> usize {
        let each = self.contexts.iter().map(|context| context.policy().lookahead(pipeline));
        each.max().unwrap_or(pipeline)
    }

    fn started(&mut self, task: TaskId, _worker: WorkerId, view: &View<'_>) {
        self.mark(task).start = view.now;
    }

    fn finished(&mut self, task: TaskId, worker: WorkerId, view: &View<'_>) {
        let mark = *self.mark(task);
        let (number, class) = (usize::from(mark.context), self.machine.workers[worker.0].class);
        let start = mark.start.max(self.workers[worker.0].last_end);
        self.workers[worker.0].give_back(task, view.now);
        let workers = self.part(ContextId(mark.context), task, view) as u64;
        let context = &mut self.contexts[number];
        let nanoseconds = view.now.saturating_sub(start);
        context.leave(task, class, workers * nanoseconds, view);
        if mark.epoch == context.epoch {
            context.finished(task, worker, view);
        }
        let (id, flops) = (view.tasks.job(task), view.tasks.flops(task));
        let job = &mut self.jobs[usize::from(id.0)];
        (job.done, job.flops) = (job.done + 1, job.flops + flops);
        let context = ContextId(mark.context);
        self.notice(Notice::Done { context, worker, flops, nanoseconds });
        if self.workers[worker.0].held.is_empty() {
            self.notice(Notice::Idle { worker });
        }
        self.end_jobs(id, view);
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        for context in &mut self.contexts {
            context.tell(view, |policy, view| policy.arrived(handle, memory, view));
        }
    }

    fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        for context in &mut self.contexts {
            context.tell(view, |policy, view| policy.evicted(handle, memory, view));
        }
    }

    /// The soonest use that any context knows of; a policy that plans nothing knows of none, unless
    /// no other does.
    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let mut all = NextUse::Unknown;
        for context in self.contexts.iter().filter(|context| !context.workers.is_empty()) {
            all = match (all, context.policy().next_use(handle, memory)) {
                (
                    NextUse::Planned { count, position },
                    NextUse::Planned { count: n, position: p },
                ) => NextUse::Planned { count: count + n, position: position.min(p) },
                (planned @ NextUse::Planned { .. }, _) | (_, planned @ NextUse::Planned { .. }) => {
                    planned
                }
                (NextUse::Never, _) | (_, NextUse::Never) => NextUse::Never,
                _ => NextUse::Unknown,
            };
        }
        all
    }

    fn looks_at_data(&self) -> bool {
        self.looks_at_data
    }

    fn hints(&mut self, out: &mut Vec<(WorkerId, TaskId)>) {
        self.contexts.iter_mut().for_each(|context| context.hints(out));
    }

    fn tick(&mut self, view: &View<'_>) -> bool {
        let begun = self.wakes_at().is_some_and(|time| time <= view.now) && self.start_jobs(view);
        self.consider(Trigger::Tick, view) || begun
    }

    fn contexts(&mut self) -> Option<&mut Contexts> {
        Some(self)
    }
}
