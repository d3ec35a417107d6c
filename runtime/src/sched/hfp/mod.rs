//! Tasks in an order made ahead, by hierarchical fair packing (Gonthier 2023, sections 3.3 and
//! 4.2).
//!
//! Tasks that became ready are collected; when a worker has nothing left, they are packed into one
//! package per site, and each package goes where it is expected to end first. `mhfp` also balances
//! the packages, lets idle workers steal half of the largest plan, and lets workers take what is at
//! hand first; `hfp` does none of that.

mod flip;
mod packing;
mod plans;

use super::nearest::Nearest;
use super::sites::Sites;
use super::{Build, HandleId, NextUse, Policy, Scheduler, TaskId, View, WorkerId};
use crate::types::MemoryId;
use packing::{Packed, Tasks, pack};
use plans::{Move, Plans};

pub(super) const HFP: Policy = Policy {
    name: "hfp",
    summary: "packages of tasks that share data, in an order made ahead",
    build: Build::Plan(|_| Box::new(Hfp::new(true, false))),
    eviction: "min",
};

pub(super) const MHFP: Policy = Policy {
    name: "mhfp",
    summary: "as hfp, balanced over memories; idle workers steal, and what is at hand comes first",
    build: Build::Plan(|_| Box::new(Hfp::new(true, true))),
    eviction: "min",
};

/// The scheduler.
pub(super) struct Hfp {
    flips: bool,
    /// Whether plans are balanced and reordered.
    adapts: bool,
    /// Ready tasks that are not planned.
    waiting: Vec<TaskId>,
    plans: Plans,
    nearest: Nearest,
}

impl Hfp {
    /// One that turns packages around, or not, and adapts its plans, or not.
    pub(super) fn new(flips: bool, adapts: bool) -> Self {
        let (waiting, plans, nearest) = (Vec::new(), Plans::default(), Nearest::default());
        Self { flips, adapts, waiting, plans, nearest }
    }

    /// Plans all tasks that wait.
    fn plan(&mut self, view: &View<'_>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable_by_key(|&task| view.tasks.get(task).index);
        let sites = self.plans.sites.list.len();
        let Packed { mut packages, alone } = pack(&self.tasks(&waiting, view), sites);
        packages.sort_by_key(|package| std::cmp::Reverse(package.len()));
        let mut is_taken = vec![false; sites];
        for package in packages {
            let tasks: Vec<TaskId> = package.iter().map(|&task| waiting[task as usize]).collect();
            let site = self.site_of(&tasks, &is_taken, view);
            is_taken[site] = true;
            tasks.into_iter().for_each(|task| self.append(task, site, view));
        }
        for task in alone.into_iter().map(|task| waiting[task as usize]) {
            let site = self.site_of(&[task], &vec![false; sites], view);
            self.append(task, site, view);
        }
        if self.adapts {
            self.balance(view);
        }
        waiting.clear();
        self.waiting = waiting;
    }

    /// The tasks with their data renumbered.
    fn tasks(&self, waiting: &[TaskId], view: &View<'_>) -> Tasks {
        let inputs = |&task: &TaskId| view.tasks.get(task).inputs().map(|h| h.0).collect();
        let mut inputs: Vec<Vec<u32>> = waiting.iter().map(inputs).collect();
        let mut handles: Vec<u32> = inputs.iter().flatten().copied().collect();
        handles.sort_unstable();
        handles.dedup();
        for handle in inputs.iter_mut().flatten() {
            *handle = handles.binary_search(handle).unwrap_or(0) as u32;
        }
        inputs.iter_mut().for_each(|data| data.sort_unstable());
        let bytes = |&handle: &u32| view.replicas.bytes(HandleId(handle)).max(1);
        let memories = self.plans.sites.list.iter().map(|site| site.memory.0);
        let capacities = memories.filter_map(|memory| view.machine.memories[memory].capacity);
        Tasks {
            bytes: handles.iter().map(bytes).collect(),
            inputs,
            capacity: capacities.min().unwrap_or(u64::MAX),
            flips: self.flips,
        }
    }

    /// Where all of `tasks` would end first, behind what is planned and with what lies there, of
    /// the sites that are not taken.
    fn site_of(&self, tasks: &[TaskId], is_taken: &[bool], view: &View<'_>) -> usize {
        let inputs = tasks.iter().flat_map(|&task| view.tasks.get(task).inputs());
        let mut inputs: Vec<HandleId> = inputs.collect();
        inputs.sort_unstable();
        inputs.dedup();
        let ends = |&site: &usize| {
            let memory = self.plans.sites.list[site].memory;
            let share = |&task| self.plans.share(task, site, view.tasks).unwrap_or(CANNOT_RUN);
            let work: u64 = tasks.iter().map(share).sum();
            let transfers: u64 = inputs.iter().map(|&handle| view.transfer(handle, memory)).sum();
            self.plans.load(site) + work + transfers
        };
        let sites = 0..is_taken.len();
        sites.filter(|&site| !is_taken[site]).min_by_key(ends).unwrap_or(0)
    }

    /// Appends `task` to the plan of `site`, or of another one if it cannot run there.
    fn append(&mut self, task: TaskId, site: usize, view: &View<'_>) {
        let can_run = |&site: &usize| self.plans.share(task, site, view.tasks).is_some();
        let others = (0..self.plans.sites.list.len()).filter(can_run);
        let other = || others.min_by_key(|&site| self.plans.load(site));
        let site = Some(site).filter(can_run).or_else(other);
        self.plans.push(task, site.expect("some worker can run each task"), view.tasks);
    }

    /// Moves tasks from the tail of the longest plan to the shortest, up to the mean of both
    /// (algorithm 8), until that moves none.
    fn balance(&mut self, view: &View<'_>) {
        let sites = self.plans.sites.list.len();
        for _ in 0..4 * sites {
            let by_load = |&site: &usize| self.plans.load(site);
            let longest = (0..sites).max_by_key(by_load).unwrap_or(0);
            let shortest = (0..sites).min_by_key(by_load).unwrap_or(0);
            let sum: u64 = (0..sites).map(|site| self.plans.load(site)).sum();
            let mean = sum / sites as u64;
            let may = |step: Move| step.left >= mean && step.given <= mean;
            if self.plans.move_tail((longest, shortest), view.tasks, may) == 0 {
                break;
            }
        }
    }

    /// Takes the tail of the longest plan for `site`, up to where both end together (section 4.1.2:
    /// half of it, by expected time).
    fn steal(&mut self, site: usize, view: &View<'_>) {
        let others = (0..self.plans.sites.list.len()).filter(|&other| other != site);
        let Some(longest) = others.max_by_key(|&other| self.plans.load(other)) else { return };
        self.plans.move_tail((longest, site), view.tasks, |step| step.given <= step.before);
    }

    fn take(&mut self, site: usize, view: &View<'_>) -> Option<TaskId> {
        let place = if self.adapts {
            let memory = self.plans.sites.list[site].memory;
            self.nearest.find(self.plans.tasks(site), memory, view)
        } else {
            0
        };
        let task = self.plans.remove(place, site, view.tasks)?;
        if self.adapts {
            self.nearest.pick(task, view);
        }
        Some(task)
    }
}

/// Time that stands for a task that cannot run at a site.
const CANNOT_RUN: u64 = 1 << 40;

impl Scheduler for Hfp {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, _view: &View<'_>) {
        self.waiting.extend_from_slice(tasks);
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        if !self.plans.sites.is_known() {
            let mut sites = Sites::default();
            sites.learn(view.machine);
            self.plans.learn(sites);
        }
        let site = self.plans.sites.of(worker);
        self.nearest.clear();
        for _ in 0..room {
            if self.plans.is_empty(site) && !self.waiting.is_empty() {
                self.plan(view);
            }
            if self.plans.is_empty(site) && self.adapts {
                self.steal(site, view);
            }
            let Some(task) = self.take(site, view) else { break };
            out.push(task);
        }
    }

    fn backlog(&self) -> usize {
        self.waiting.len() + self.plans.len()
    }

    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.plans.next_use(handle, memory)
    }
}
