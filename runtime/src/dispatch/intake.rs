//! Ready tasks of a flow as rows for the dispatcher.

use super::{Dispatcher, NoPlace};
use crate::flow::{MAX_ACCESSES, Space};
use crate::memory::rounded;
use crate::sched::Task;
use crate::types::{Access, ClassId, HandleId, TaskId};

impl Dispatcher {
    /// Enters the ready task `task` of `space`, which only the classes run that `runs` holds for.
    ///
    /// # Errors
    /// If it fits no memory of a worker that can run it.
    pub(crate) fn take_in(
        &mut self,
        space: &Space,
        task: u32,
        runs: &dyn Fn(ClassId) -> bool,
    ) -> Result<(), NoPlace> {
        let data = space.task(task);
        let mut handles = [(HandleId(0), false, false); MAX_ACCESSES];
        let (mut count, mut scratch_bytes) = (0, 0);
        for (handle, access) in data.accesses() {
            let (reads, writes) = match access {
                Access::R => (true, false),
                Access::W => (false, true),
                Access::RW | Access::Commute => (true, true),
                // A private copy of the worker, where data need not be moved.
                Access::Reduce => continue,
                Access::Scratch => {
                    scratch_bytes += rounded(space.handles.get(handle).bytes()) as u64;
                    continue;
                }
            };
            let handle = HandleId(handle);
            self.enter_handle(space, handle);
            handles[count] = (handle, reads, writes);
            count += 1;
        }
        let mut row = Task::new(data.index, data.priority, &handles[..count]);
        let cost = data.cost();
        row.scratch_bytes = scratch_bytes;
        if self.has_contexts {
            self.tasks.note(TaskId(task), space.job(task), cost.flops);
        }
        self.enter(TaskId(task), row, data.info.name, cost, runs)
    }

    /// Enters a handle of `space` whose contents the program has given itself.
    pub(crate) fn place(&mut self, space: &Space, handle: HandleId) {
        if !self.is_light {
            self.enter_handle(space, handle);
            self.planner.place(handle);
        }
    }

    /// Enters a handle of `space`.
    pub(crate) fn enter_handle(&mut self, space: &Space, handle: HandleId) {
        if !self.is_light {
            let bytes = rounded(space.handles.get(handle.0).bytes()) as u64;
            self.planner.enter(handle, bytes);
        }
    }
}
