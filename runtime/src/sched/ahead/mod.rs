//! Tasks in an order made ahead (Gonthier 2023, sections 3.2, 3.3, 4.1.2 and 4.2).
//!
//! Tasks that became ready are collected; when a worker has nothing left, they are put in order, in
//! one package per site, and each package goes where it is expected to end first. The policies
//! differ in how packages are made, and in what becomes of them afterwards: `mhfp` balances the
//! packages; under it and `partition` idle workers steal half of the largest plan, and workers take
//! what is at hand first; the others do none of that.

mod flip;
mod mst;
mod packing;
mod partition;
mod plans;
mod rcm;
mod tasks;

use super::nearest::Nearest;
use super::sites::Sites;
use super::{Build, HandleId, NextUse, Policy, Scheduler, TaskId, View, WorkerId};
use crate::types::MemoryId;
use packing::{How, pack};
use plans::{Move, Plans};
use tasks::{Packed, Tasks};

pub(super) const HFP: Policy = Policy {
    name: "hfp",
    summary: "packages of tasks that share data, in an order made ahead",
    build: Build::Plan(|_| Box::new(Ahead::new(&FAIR))),
    eviction: "min",
};

pub(super) const HFP_FAST: Policy = Policy {
    name: "hfp-fast",
    summary: "as hfp; at first any two tasks that share a datum make a package",
    build: Build::Plan(|_| {
        Box::new(Ahead::new(&Method {
            pack: |tasks, count| pack(tasks, count, How { starts_fast: true, ..How::FAIR }),
            ..FAIR
        }))
    }),
    eviction: "min",
};

pub(super) const MHFP: Policy = Policy {
    name: "mhfp",
    summary: "as hfp, balanced over memories; idle workers steal, and what is at hand comes first",
    build: Build::Plan(|_| Box::new(Ahead::new(&ADAPTED))),
    eviction: "min",
};

pub(super) const MHFP_TWICE: Policy = Policy {
    name: "mhfp2",
    summary: "as mhfp; the tasks of each package are packed once more",
    build: Build::Plan(|_| Box::new(Ahead::new(&Method { pack: twice, ..ADAPTED }))),
    eviction: "min",
};

pub(super) const MHFP_INTERLACED: Policy = Policy {
    name: "mhfp-interlaced",
    summary: "as mhfp; a package begins in its middle and goes to both ends in turn",
    build: Build::Plan(|_| Box::new(Ahead::new(&Method { pack: interlaced, ..ADAPTED }))),
    eviction: "min",
};

pub(super) const RCM: Policy = Policy {
    name: "rcm",
    summary: "tasks that share data near each other: the reverse Cuthill-McKee order",
    build: Build::Plan(|_| Box::new(Ahead::new(&Method { pack: rcm::rcm, ..FAIR }))),
    eviction: "lru",
};

pub(super) const MST: Policy = Policy {
    name: "mst",
    summary: "each task behind one that it shares most with: a maximum spanning tree",
    build: Build::Plan(|_| Box::new(Ahead::new(&Method { pack: mst::mst, ..FAIR }))),
    eviction: "lru",
};

pub(super) const PARTITION: Policy = Policy {
    name: "partition",
    summary: "parts that read few data in common; idle workers steal, what is at hand comes first",
    build: Build::Plan(|_| {
        let pack = partition::partition;
        Box::new(Ahead::new(&Method { pack, balances: false, ..ADAPTED }))
    }),
    eviction: "lru",
};

/// Makes so many packages of tasks.
type Pack = fn(&Tasks, usize) -> Packed;

/// What a policy does with tasks.
#[derive(Clone, Copy)]
pub(super) struct Method {
    pack: Pack,
    /// Whether packages are then balanced.
    balances: bool,
    /// Whether idle workers steal, and workers take first what lacks the fewest bytes.
    adapts: bool,
}

/// Hierarchical fair packing.
const FAIR: Method =
    Method { pack: |tasks, count| pack(tasks, count, How::FAIR), balances: false, adapts: false };

/// The same without turning packages around (section 3.3.5).
#[cfg(test)]
pub(super) const STRAIGHT: Method =
    Method { pack: |tasks, count| pack(tasks, count, How { flips: false, ..How::FAIR }), ..FAIR };

/// The same for several memories.
const ADAPTED: Method = Method { balances: true, adapts: true, ..FAIR };

/// Packages whose tasks are packed once more, each by itself (section 4.2.2: mHFP^2).
fn twice(tasks: &Tasks, count: usize) -> Packed {
    let Packed { mut packages, alone } = pack(tasks, count, How::FAIR);
    for package in &mut packages {
        let again = pack(&tasks.part(package), 1, How::FAIR);
        let order = again.packages.concat().into_iter().chain(again.alone);
        *package = order.map(|place| package[place as usize]).collect();
    }
    Packed { packages, alone }
}

/// Packages that run from their middle to both ends in turn, so that what is used again comes early
/// (section 4.2.2).
fn interlaced(tasks: &Tasks, count: usize) -> Packed {
    let mut packed = pack(tasks, count, How::FAIR);
    for package in &mut packed.packages {
        let (before, behind) = package.split_at(package.len() / 2);
        let (mut before, mut behind) = (before.iter().rev(), behind.iter());
        let mut order: Vec<u32> = behind.next().copied().into_iter().collect();
        loop {
            let two = [behind.next(), before.next()];
            if two == [None, None] {
                break;
            }
            order.extend(two.into_iter().flatten());
        }
        *package = order;
    }
    packed
}

/// The scheduler.
pub(super) struct Ahead {
    method: Method,
    /// Ready tasks that are not planned.
    waiting: Vec<TaskId>,
    plans: Plans,
    nearest: Nearest,
}

impl Ahead {
    pub(super) fn new(method: &Method) -> Self {
        let (waiting, plans, nearest) = (Vec::new(), Plans::default(), Nearest::default());
        Self { method: *method, waiting, plans, nearest }
    }

    /// Plans all tasks that wait.
    fn plan(&mut self, view: &View<'_>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable_by_key(|&task| view.tasks.get(task).index);
        let sites = self.plans.sites.list.len();
        let tasks = self.tasks(&waiting, view);
        let Packed { mut packages, alone } = (self.method.pack)(&tasks, sites);
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
        if self.method.balances {
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
            nanoseconds: waiting.iter().map(|&task| self.mean_time(task, view)).collect(),
            capacity: capacities.min().unwrap_or(u64::MAX),
        }
    }

    /// Expected time of `task` in the mean of the sites that run it, at least 1.
    fn mean_time(&self, task: TaskId, view: &View<'_>) -> u64 {
        let sites = self.plans.sites.list.iter();
        let times = sites.filter_map(|site| view.tasks.nanoseconds(task, site.class));
        let (sum, count) = times.fold((0, 0), |(sum, count), time| (sum + time, count + 1));
        (sum / count.max(1)).max(1)
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
        let place = if self.method.adapts {
            let memory = self.plans.sites.list[site].memory;
            self.nearest.find(self.plans.tasks(site), memory, view)
        } else {
            0
        };
        let task = self.plans.remove(place, site, view.tasks)?;
        if self.method.adapts {
            self.nearest.pick(task, view);
        }
        Some(task)
    }
}

/// Time that stands for a task that cannot run at a site.
const CANNOT_RUN: u64 = 1 << 40;

impl Scheduler for Ahead {
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
            if self.plans.is_empty(site) && self.method.adapts {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of `n` by `n` strips.
    fn product(n: u32) -> Tasks {
        Tasks {
            inputs: (0..n * n).map(|task| vec![task / n, n + task % n]).collect(),
            nanoseconds: vec![10; (n * n) as usize],
            bytes: vec![1; 2 * n as usize],
            capacity: 4,
        }
    }

    #[test]
    fn every_method_keeps_every_task() {
        let methods: [(&str, Pack); 7] = [
            ("hfp", FAIR.pack),
            ("fast", |tasks, count| pack(tasks, count, How { starts_fast: true, ..How::FAIR })),
            ("twice", twice),
            ("interlaced", interlaced),
            ("rcm", rcm::rcm),
            ("mst", mst::mst),
            ("partition", partition::partition),
        ];
        for (n, count) in [(0, 1), (1, 2), (3, 1), (8, 3), (15, 4)] {
            for (name, pack) in methods {
                let Packed { packages, alone } = pack(&product(n), count);
                assert!(packages.len() <= count, "{name}: {} packages", packages.len());
                let mut all = [packages.concat(), alone].concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..n * n), "{name}, {n}, {count}");
            }
        }
    }

    /// Of eight tasks in a row, one in the middle first, then those behind and before it in turn.
    #[test]
    fn packages_may_run_from_their_middle() {
        let tasks = Tasks {
            inputs: vec![vec![0]; 8],
            nanoseconds: vec![1; 8],
            bytes: vec![1],
            capacity: 1,
        };
        let order = (FAIR.pack)(&tasks, 1).packages.concat();
        let places = [4, 5, 3, 6, 2, 7, 1, 0];
        let expected: Vec<u32> = places.iter().map(|&place| order[place]).collect();
        assert_eq!(interlaced(&tasks, 1).packages, [expected]);
    }
}
