//! What is learnt of the program while it runs.

use crate::sched::View;
use crate::types::{HandleId, MemoryId, TaskId};

#[derive(Default)]
pub(super) struct Known {
    /// Whether tasks differ in priority.
    pub(super) has_priorities: bool,
    /// The priority of some task.
    priority: Option<i32>,
    /// Memories, a bit each, that had no room for what a ready task reads.
    tight: u32,
    /// By handle, the memory where it was written last, plus 1.
    written: Vec<u8>,
    /// By site, the time that all tasks would take there; and where each takes the least.
    times: Vec<u64>,
    least: u64,
}

impl Known {
    /// Notes the priorities of tasks that become ready.
    pub(super) fn note_priorities(&mut self, tasks: &[TaskId], view: &View<'_>) {
        for &task in tasks {
            let priority = view.tasks.get(task).priority;
            self.has_priorities |= *self.priority.get_or_insert(priority) != priority;
        }
    }

    /// Notes how long a task takes at each site, if it can run at all of them.
    pub(super) fn note_times(&mut self, sites: usize, time: impl Fn(usize) -> Option<u64>) {
        let Some(least) = (0..sites).map(&time).min().flatten() else { return };
        self.times.resize(sites, 0);
        for (site, sum) in self.times.iter_mut().enumerate() {
            *sum += time(site).unwrap_or(0);
        }
        self.least += least;
    }

    /// How many times longer a task takes at `site` than where it takes the least, on average.
    pub(super) fn slowness(&self, site: usize) -> f64 {
        self.times.get(site).map_or(1.0, |&time| time as f64 / self.least.max(1) as f64)
    }

    pub(super) fn note_tight(&mut self, memory: MemoryId) {
        self.tight |= 1 << memory.0;
    }

    /// Notes whether data lies on a disk, for which the RAM had no room then.
    pub(super) fn note_disk(&mut self, view: &View<'_>) {
        let lowest = view.machine.lowest();
        if lowest != MemoryId::RAM && !view.replicas.residents(lowest).is_empty() {
            self.note_tight(MemoryId::RAM);
        }
    }

    /// Whether `memory` once had no room for what a ready task reads.
    pub(super) fn is_tight(&self, memory: MemoryId) -> bool {
        self.tight >> memory.0 & 1 == 1
    }

    /// Notes that `task` was run in `memory`.
    pub(super) fn note_written(&mut self, task: TaskId, memory: MemoryId, view: &View<'_>) {
        for handle in view.tasks.get(task).outputs() {
            let place = handle.0 as usize;
            if place >= self.written.len() {
                self.written.resize((place + 1).next_power_of_two(), 0);
            }
            self.written[place] = memory.0 as u8 + 1;
        }
    }

    /// Whether `handle` was written in `memory` last.
    pub(super) fn is_written(&self, handle: HandleId, memory: MemoryId) -> bool {
        self.written.get(handle.0 as usize) == Some(&(memory.0 as u8 + 1))
    }
}
