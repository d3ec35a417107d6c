//! Handles, and what the submitter remembers of each: who uses it now and who did before.

use crate::types::Access;

/// A task as the submitter remembers it: a slot and how often it had been used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskRef {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// Most tasks that one group remembers; a join task then stands for them.
pub(crate) const GROUP: usize = 8;

/// A short list of tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    length: u8,
    tasks: [TaskRef; GROUP],
}

impl Group {
    pub(crate) const EMPTY: Self =
        Self { length: 0, tasks: [TaskRef { slot: 0, generation: 0 }; GROUP] };

    pub(crate) fn tasks(&self) -> &[TaskRef] {
        &self.tasks[..self.length as usize]
    }

    pub(crate) fn is_full(&self) -> bool {
        self.length as usize == GROUP
    }

    pub(crate) fn push(&mut self, task: TaskRef) {
        self.tasks[self.length as usize] = task;
        self.length += 1;
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(TaskRef) -> bool) {
        let all = *self;
        self.length = 0;
        all.tasks().iter().filter(|&&task| keep(task)).for_each(|&task| self.push(task));
    }
}

/// The users of one handle, as the submitter sees them.
///
/// Tasks that use the handle in a compatible way form a group and do not wait for each other; all
/// of them wait for the group before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandleState {
    pub(crate) generation: u32,
    pub(crate) mode: Access,
    pub(crate) before: Group,
    pub(crate) group: Group,
}

impl HandleState {
    pub(crate) fn new(generation: u32) -> Self {
        Self { generation, mode: Access::R, before: Group::EMPTY, group: Group::EMPTY }
    }

    /// Whether a task with `mode` joins the current group.
    pub(crate) fn joins(&self, mode: Access) -> bool {
        self.mode == mode && matches!(mode, Access::R | Access::Commute | Access::Reduce)
    }
}
