//! Data first, as DARTS does, but with an eye on time: a task goes where it is expected to end first
//! as soon as there is too little work ahead, or where everything it reads lies anyway.
//!
//! What it takes from others, and where it differs:
//!
//! - From DARTS (Gonthier 2023, section 5.2): a site with nothing planned brings the datum that
//!   frees most work for the time of its transfer, and runs that work. Among data that free equally
//!   much now, those go first that would free more together with one other; where none frees
//!   anything, two are chosen by that rule, and not by the priority of a task.
//! - From the family of HEFT: while the pool has less work for a site than a task takes there, its
//!   transfers included, the task is allocated at once, to where it ends first. So the critical path
//!   does not wait for its data to be chosen, and few tasks spread over all workers. Moving the only
//!   replica of a datum counts several times: its later tasks would have to follow.
//! - Workers that are much slower than others, the cores beside accelerators, take what they end
//!   before the others would have come to it, and the least urgent of that.
//! - Few tasks are committed, so that plans can still change.
//! - Evicted is first what no ready task reads, then what will be used last: planned data stays, and
//!   of the rest what helps to use the data that free most.

mod choice;

use super::board::Board;
use super::{Build, HandleId, NextUse, Policy, PolicyOptions, Scheduler, TaskId, View, WorkerId};
use crate::platform::MemoryId;
use crate::random::SplitMix64;

pub(super) const POLICY: Policy = Policy {
    name: "tessera",
    summary: "as darts while work is plenty, by expected ends and priorities where it is scarce",
    build: Build::Plan(|options| Box::new(Tessera::new(options))),
    eviction: "luf",
};

/// Tasks that are committed to the workers of a memory at once.
const COMMITTED: usize = 8;

/// How many times its transfer the move of an only replica counts.
const MOVE: u64 = 4;

/// How many times longer a worker takes than others that it only helps.
const SLOW: u64 = 3;

/// Tasks in the pool that a worker beside faster ones chooses among.
const MOST_COMPARED: usize = 4096;

/// What a planned task counts against what [`choice::promise`] says, in microseconds.
const PLANNED: u32 = 1 << 26;

struct Tessera {
    board: Board,
    /// By handle, the memory where it was written last, plus 1.
    written: Vec<u8>,
    random: SplitMix64,
    /// Tasks that are being planned.
    group: Vec<TaskId>,
}

impl Tessera {
    fn new(options: &PolicyOptions) -> Self {
        Self {
            board: Board::new(true, COMMITTED),
            written: Vec::new(),
            random: SplitMix64::new(options.seed),
            group: Vec::new(),
        }
    }

    /// When a worker of `site` is expected to have run all that is planned.
    fn free_at(&self, site: usize, view: &View<'_>) -> u64 {
        let workers = &self.board.pool.sites.list[site].workers;
        let busy = workers.iter().map(|worker| view.busy_until[worker.0]);
        let first = busy.min().unwrap_or(0).max(view.now);
        first + self.board.nanoseconds(site) / workers.len() as u64
    }

    /// Time to bring what `task` lacks to `site`, plus its own; none if it cannot run there.
    fn cost(&self, task: TaskId, site: usize, view: &View<'_>) -> Option<u64> {
        let sites = &self.board.pool.sites;
        let (memory, class) = (sites.list[site].memory, sites.list[site].class);
        let duration = view.tasks.nanoseconds(task, class)?;
        let transfer = |handle: HandleId| {
            let is_kept = view.replicas.valid(handle) >> sites.lowest.0 & 1 == 1;
            view.transfer(handle, memory) * if is_kept { 1 } else { MOVE }
        };
        let inputs = view.tasks.get(task).inputs();
        let missing = inputs.filter(|&handle| !self.board.pool.is_here(handle, memory));
        Some(duration + missing.map(transfer).sum::<u64>())
    }

    /// Plans `task` for where it ends first, if it is at hand there or there is little else to do;
    /// puts it into the pool otherwise.
    fn arrive(&mut self, task: TaskId, view: &View<'_>) {
        self.board.look(task, view);
        let end = |site| {
            let (free_at, cost) = (self.free_at(site, view), self.cost(task, site, view)?);
            Some((free_at + cost, site, free_at - view.now, cost))
        };
        let best = (0..self.board.sites()).filter_map(end).min();
        let (_, site, ahead, cost) = best.expect("some worker can run each task");
        let pool = &self.board.pool;
        let is_at_hand =
            !pool.sites.holds_all(site) && pool.lacks(task, site, view.tasks) == Some(0);
        if is_at_hand || ahead + pool.work(site) / pool.sites.peers(site) <= cost {
            self.plan(task, site, view);
        } else {
            self.board.pool.enter(task, view.tasks);
        }
    }

    fn plan(&mut self, task: TaskId, site: usize, view: &View<'_>) {
        self.board.plan(task, view.tasks.get(task).priority, site, view);
    }

    /// Plans more for `site`; whether there was anything.
    fn fill(&mut self, site: usize, view: &View<'_>) -> bool {
        let mut group = std::mem::take(&mut self.group);
        if self.is_beside(site) {
            group.extend(self.beside(site, view));
            group.iter().for_each(|&task| self.board.pool.remove(task, view.tasks));
        } else {
            self.take(site, view, &mut group);
        }
        let found = !group.is_empty();
        group.drain(..).for_each(|task| self.plan(task, site, view));
        self.group = group;
        found
    }

    /// Takes what lacks nothing at `site` out of the pool; else what the best datum frees. Where all
    /// data lies, one task at a time.
    fn take(&mut self, site: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        let pool = &mut self.board.pool;
        let most = if pool.sites.holds_all(site) { 1 } else { usize::MAX };
        while group.len() < most {
            let Some(task) = pool.pop_free(site) else { break };
            pool.remove(task, view.tasks);
            group.push(task);
        }
        if group.is_empty() {
            choice::choose(pool, site, view, &mut self.random, group);
            group.truncate(most);
            group.iter().for_each(|&task| pool.remove(task, view.tasks));
        }
    }

    /// Whether `site` only helps others, which are much faster.
    fn is_beside(&self, site: usize) -> bool {
        let pool = &self.board.pool;
        let others = (0..self.board.sites()).filter(|&other| other != site);
        let least = others.map(|other| pool.work(other)).filter(|&work| work > 0).min();
        least.is_some_and(|least| pool.work(site) > SLOW * least)
    }

    /// What `site` takes beside others: the most urgent of the tasks that only it can run; else the
    /// least urgent of those that end there before the others would have come to them.
    fn beside(&self, site: usize, view: &View<'_>) -> Option<TaskId> {
        let others: Vec<(usize, u64)> = self.others(site, view).collect();
        let rank = |task: TaskId| {
            let cost = self.cost(task, site, view)?;
            let ends = others.iter().filter_map(|&(other, start)| {
                let class = self.board.pool.sites.list[other].class;
                Some(start + view.tasks.nanoseconds(task, class)?)
            });
            let priority = i64::from(view.tasks.get(task).priority);
            match ends.min() {
                None => Some((true, priority)),
                Some(end) => (view.now + cost <= end).then_some((false, -priority)),
            }
        };
        let ready = self.board.pool.ready().iter().copied().take(MOST_COMPARED);
        let ranked = ready.filter_map(|task| Some((rank(task)?, task)));
        ranked.max_by_key(|&(rank, _)| rank).map(|(_, task)| task)
    }

    /// The sites besides `site`, and when each would have run all that is ready.
    fn others<'a>(
        &'a self,
        site: usize,
        view: &'a View<'_>,
    ) -> impl Iterator<Item = (usize, u64)> + 'a {
        let pool = &self.board.pool;
        let others = (0..self.board.sites()).filter(move |&other| other != site);
        others.map(|other| {
            let rest = pool.work(other) / pool.sites.peers(other);
            (other, self.free_at(other, view) + rest)
        })
    }
}

impl Scheduler for Tessera {
    fn ready(&mut self, tasks: &[TaskId], _by: Option<WorkerId>, view: &View<'_>) {
        self.board.learn(view);
        let mut group = std::mem::take(&mut self.group);
        group.extend_from_slice(tasks);
        group.sort_by_key(|&task| std::cmp::Reverse(view.tasks.get(task).priority));
        group.drain(..).for_each(|task| self.arrive(task, view));
        self.group = group;
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.board.learn(view);
        let site = self.board.pool.sites.of(worker);
        for _ in 0..room.min(self.board.room(worker)) {
            if self.board.planned(site) == 0 && !self.fill(site, view) {
                break;
            }
            out.extend(self.board.commit(worker, view));
        }
    }

    fn backlog(&self) -> usize {
        self.board.backlog()
    }

    fn lookahead(&self, pipeline: usize) -> usize {
        pipeline.max(COMMITTED)
    }

    fn finished(&mut self, task: TaskId, worker: WorkerId, view: &View<'_>) {
        self.board.finished(worker);
        for handle in view.tasks.get(task).outputs() {
            let place = handle.0 as usize;
            if place >= self.written.len() {
                self.written.resize((place + 1).next_power_of_two(), 0);
            }
            self.written[place] = view.memory(worker).0 as u8 + 1;
        }
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.board.arrived(handle, memory, view);
    }

    fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.board.evicted(handle, memory, view);
    }

    /// Counts a planned task more than any promise, and what was only written here as 1, since it
    /// would have to be written back.
    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let is_written = self.written.get(handle.0 as usize) == Some(&(memory.0 as u8 + 1));
        let count = match self.board.next_use(handle, memory) {
            NextUse::Planned { count, .. } => count.min(32) * PLANNED,
            _ => choice::promise(&self.board.pool, handle, memory).min(PLANNED - 1),
        };
        match count + u32::from(is_written) {
            0 => NextUse::Never,
            count => NextUse::Planned { count, position: 0 },
        }
    }
}
