//! Prefetching: data of tasks that have no room reserved yet is brought as far as there is slack.

use super::Plans;
use super::{Dispatcher, first_use};
use crate::sched::Task;
use crate::types::{MemoryId, TaskId};

impl Dispatcher {
    /// Orders data of tasks that are committed to `worker` and not admitted yet, in their order.
    pub(super) fn prefetch_committed(&mut self, worker: usize, memory: MemoryId) -> bool {
        let mut any = false;
        while self.worker_tasks[worker].prefetched < self.worker_tasks[worker].committed.len() {
            let task = self.worker_tasks[worker].committed[self.worker_tasks[worker].prefetched].0;
            if !self.prefetch(task, memory, true) {
                return any;
            }
            self.worker_tasks[worker].prefetched += 1;
            any = true;
        }
        any
    }

    /// Orders data of tasks that a policy hinted at, in their order.
    pub(super) fn grant_wishes(&mut self) -> bool {
        let mut any = false;
        for memory in (0..self.wishes.len()).map(MemoryId) {
            if self.blocked >> memory.0 & 1 == 1 {
                continue;
            }
            while let Some(&(task, index)) = self.wishes[memory.0].front() {
                let is_current = self.hinted[task.0 as usize] == memory.0 as u8 + 1
                    && self.tasks.get(task).index == index;
                if is_current && !self.prefetch(task, memory, false) {
                    self.blocked |= 1 << memory.0;
                    break;
                }
                any |= is_current;
                self.wishes[memory.0].pop_front();
            }
        }
        any
    }

    /// Orders the inputs of `task` for `memory`; says whether there was room for all of them.
    fn prefetch(&mut self, task: TaskId, memory: MemoryId, evicts: bool) -> bool {
        let row = *self.tasks.get(task);
        let (worker_tasks, workers_of, tasks) = (&self.worker_tasks, &self.workers_of, &self.tasks);
        let committed = |handle, memory| first_use(worker_tasks, workers_of, tasks, handle, memory);
        let plans = Plans { scheduler: &*self.scheduler, committed: &committed };
        let planner = &mut self.planner;
        let plans = evicts.then_some(plans);
        row.inputs().all(|handle| planner.prefetch(handle, memory, row.priority, plans))
    }

    /// Notes what the policy would have brought ahead; tasks that it names are not committed yet.
    pub(super) fn take_hints(&mut self) {
        if self.is_light {
            return;
        }
        let mut hints = std::mem::take(&mut self.hints);
        self.scheduler.hints(&mut hints);
        for (worker, task) in hints.drain(..) {
            let memory = self.machine.workers[worker.0].memory;
            let row = *self.tasks.get(task);
            let slot = task.0 as usize;
            if slot >= self.hinted.len() {
                self.hinted.resize((slot + 1).next_power_of_two(), 0);
            }
            self.unhint(task, &row);
            self.count_hits(&row, memory);
            self.hinted[slot] = memory.0 as u8 + 1;
            self.planner.hint(&row, memory, 1);
            self.wishes[memory.0].push_back((task, row.index));
        }
        self.hints = hints;
    }

    /// Whether `task` asked for its data in `memory`.
    pub(super) fn is_hinted(&self, task: TaskId, memory: MemoryId) -> bool {
        self.hinted.get(task.0 as usize).is_some_and(|&hinted| hinted == memory.0 as u8 + 1)
    }

    pub(super) fn unhint(&mut self, task: TaskId, row: &Task) {
        let Some(hinted) = self.hinted.get_mut(task.0 as usize) else { return };
        if let Some(memory) = std::mem::take(hinted).checked_sub(1) {
            self.planner.hint(row, MemoryId(memory as usize), -1);
        }
    }
}
