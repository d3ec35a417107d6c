//! The first task in a list that lacks the fewest bytes (Gonthier 2023, algorithm 2).

use crate::types::MemoryId;

use super::{HandleId, TaskId, View};

/// Most tasks that are looked at. More find hardly better ones and cost microseconds.
const MOST_COMPARED: usize = 512;

/// Picks what is at hand in one memory for a worker that takes several tasks.
#[derive(Default)]
pub(super) struct Nearest {
    /// Data of tasks that were just picked.
    promised: Vec<HandleId>,
}

impl Nearest {
    /// Forgets what was picked, since it is committed now.
    pub(super) fn clear(&mut self) {
        self.promised.clear();
    }

    /// Notes that `task` is picked.
    pub(super) fn pick(&mut self, task: TaskId, view: &View<'_>) {
        self.promised.extend(view.tasks.get(task).inputs());
    }

    /// The place in `tasks` of the first one that lacks the fewest bytes.
    pub(super) fn find(
        &self,
        tasks: impl Iterator<Item = TaskId>,
        memory: MemoryId,
        view: &View<'_>,
    ) -> usize {
        let (mut best, mut least) = (0, u64::MAX);
        for (place, task) in tasks.take(MOST_COMPARED).enumerate() {
            let missing = self.missing(task, memory, view);
            if missing < least {
                (best, least) = (place, missing);
            }
            if least == 0 {
                break;
            }
        }
        best
    }

    /// The place in `tasks` of the first one that lacks nothing, or that of the first of all.
    pub(super) fn at_hand(
        &self,
        tasks: impl Iterator<Item = TaskId>,
        memory: MemoryId,
        view: &View<'_>,
    ) -> usize {
        let mut tasks = tasks.take(MOST_COMPARED);
        tasks.position(|task| self.missing(task, memory, view) == 0).unwrap_or(0)
    }

    /// Bytes that `task` lacks in `memory`, those aside that committed tasks bring.
    fn missing(&self, task: TaskId, memory: MemoryId, view: &View<'_>) -> u64 {
        let replicas = view.replicas;
        let is_lacking = |handle: HandleId| {
            !replicas.is_here(handle, memory)
                && replicas.committed(handle, memory) == 0
                && !self.promised.contains(&handle)
        };
        let inputs = view.tasks.get(task).inputs();
        inputs.filter(|&handle| is_lacking(handle)).map(|handle| replicas.bytes(handle)).sum()
    }
}
