//! Orders of tasks that are given, as a scheduler.

use std::collections::VecDeque;

use crate::sched::{NextUse, Scheduler, View};
use crate::types::{HandleId, MemoryId, TaskId, WorkerId};

use super::program::Program;

/// For each worker the tasks that it runs, in order.
pub(super) struct Order {
    tasks: Vec<VecDeque<TaskId>>,
    inputs: Vec<Vec<HandleId>>,
    left: usize,
}

impl Order {
    /// Worker `w` runs `order[w]`, and its data lies in memory `w + 1`.
    pub(super) fn new(program: &Program, order: Vec<Vec<usize>>) -> Self {
        let handles = |step: &super::program::Step| {
            step.handles.iter().map(|&(handle, ..)| HandleId(handle as u32)).collect()
        };
        Self {
            left: order.iter().map(Vec::len).sum(),
            inputs: program.steps.iter().map(handles).collect(),
            tasks: order
                .into_iter()
                .map(|tasks| tasks.into_iter().map(|task| TaskId(task as u32)).collect())
                .collect(),
        }
    }
}

impl Scheduler for Order {
    fn ready(&mut self, _tasks: &[TaskId], _by: Option<WorkerId>, _view: &View<'_>) {}

    fn refill(&mut self, worker: WorkerId, room: usize, _view: &View<'_>, out: &mut Vec<TaskId>) {
        let tasks = &mut self.tasks[worker.0];
        let count = room.min(tasks.len());
        self.left -= count;
        out.extend(tasks.drain(..count));
    }

    fn backlog(&self) -> usize {
        self.left
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let tasks = self.tasks[memory.0 - 1].iter().enumerate();
        let mut users = tasks.filter(|(_, task)| self.inputs[task.0 as usize].contains(&handle));
        match users.next() {
            Some((first, _)) => {
                NextUse::Planned { count: 1 + users.count() as u32, position: first as u64 }
            }
            None => NextUse::Never,
        }
    }
}
