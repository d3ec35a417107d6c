//! Ordered plans, one per site, and where in them each datum is used next.

use std::collections::VecDeque;

use crate::sched::sites::Sites;
use crate::sched::{NextUse, Tasks};
use crate::types::{HandleId, MemoryId, TaskId};

#[derive(Default)]
pub(super) struct Plans {
    pub(super) sites: Sites,
    /// By site, the tasks with their positions, which grow.
    lists: Vec<VecDeque<(u64, TaskId)>>,
    /// By site, the expected nanoseconds of its plan.
    loads: Vec<u64>,
    /// By handle and memory, the positions of the tasks that use it, in order.
    uses: Vec<VecDeque<u64>>,
    positions: u64,
}

impl Plans {
    pub(super) fn learn(&mut self, sites: Sites) {
        self.lists = vec![VecDeque::new(); sites.list.len()];
        self.loads = vec![0; sites.list.len()];
        self.sites = sites;
    }

    pub(super) fn tasks(&self, site: usize) -> impl DoubleEndedIterator<Item = TaskId> + '_ {
        self.lists[site].iter().map(|&(_, task)| task)
    }

    pub(super) fn is_empty(&self, site: usize) -> bool {
        self.lists[site].is_empty()
    }

    /// Number of planned tasks.
    pub(super) fn len(&self) -> usize {
        self.lists.iter().map(VecDeque::len).sum()
    }

    /// Expected time of the plan of `site`, shared by its workers.
    pub(super) fn load(&self, site: usize) -> u64 {
        self.loads[site] / self.sites.list[site].workers.len() as u64
    }

    /// Expected time that `task` adds to the plan of `site`; none if it cannot run there.
    pub(super) fn share(&self, task: TaskId, site: usize, tasks: &Tasks) -> Option<u64> {
        let site = &self.sites.list[site];
        let time = tasks.nanoseconds(task, site.class)?;
        Some(time / site.workers.len() as u64)
    }

    fn uses_mut(&mut self, handle: HandleId, memory: MemoryId) -> &mut VecDeque<u64> {
        let place = handle.0 as usize * self.sites.memories + memory.0;
        if place >= self.uses.len() {
            let length = (place + self.sites.memories).next_power_of_two();
            self.uses.resize_with(length, VecDeque::new);
        }
        &mut self.uses[place]
    }

    /// Appends `task` to the plan of `site`.
    pub(super) fn push(&mut self, task: TaskId, site: usize, tasks: &Tasks) {
        let (memory, class) = (self.sites.list[site].memory, self.sites.list[site].class);
        self.positions += 1;
        let position = self.positions;
        self.lists[site].push_back((position, task));
        self.loads[site] += tasks.nanoseconds(task, class).unwrap_or(0);
        for handle in tasks.get(task).inputs() {
            self.uses_mut(handle, memory).push_back(position);
        }
    }

    /// Takes the task at `place` out of the plan of `site`.
    pub(super) fn remove(&mut self, place: usize, site: usize, tasks: &Tasks) -> Option<TaskId> {
        let (memory, class) = (self.sites.list[site].memory, self.sites.list[site].class);
        let (position, task) = self.lists[site].remove(place)?;
        self.loads[site] -= tasks.nanoseconds(task, class).unwrap_or(0);
        for handle in tasks.get(task).inputs() {
            let uses = self.uses_mut(handle, memory);
            if let Ok(place) = uses.binary_search(&position) {
                uses.remove(place);
            }
        }
        Some(task)
    }

    pub(super) fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let uses = self.uses.get(handle.0 as usize * self.sites.memories + memory.0);
        match uses.and_then(|uses| Some((uses.len(), *uses.front()?))) {
            Some((count, position)) => NextUse::Planned { count: count as u32, position },
            None => NextUse::Never,
        }
    }

    /// Moves tasks from the tail of one plan to another, as long as `may` allows the next one, and
    /// leaves them in their order; says how many.
    pub(super) fn move_tail(
        &mut self,
        (from, to): (usize, usize),
        tasks: &Tasks,
        may: impl Fn(Move) -> bool,
    ) -> usize {
        let (mut count, mut left, mut given) = (0, self.load(from), self.load(to));
        for task in self.tasks(from).rev() {
            let Some(more) = self.share(task, to, tasks) else { break };
            let before = left;
            left = left.saturating_sub(self.share(task, from, tasks).unwrap_or(0));
            given += more;
            if !may(Move { before, left, given }) {
                break;
            }
            count += 1;
        }
        let start = self.lists[from].len() - count;
        for _ in 0..count {
            if let Some(task) = self.remove(start, from, tasks) {
                self.push(task, to, tasks);
            }
        }
        count
    }
}

/// What moving one more task comes to, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// The plan that it comes from, with it.
    pub(super) before: u64,
    /// The same, without it.
    pub(super) left: u64,
    /// The plan that it goes to, with it.
    pub(super) given: u64,
}
