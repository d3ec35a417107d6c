//! Data first, as DARTS does, where data is what is short; by expected ends and priorities where it
//! is not; and each task on the kind of worker that is best at it, compared with other tasks.
//!
//! What it takes from others, and where it differs:
//!
//! - From DARTS (Gonthier 2023, section 5.2): ready tasks wait in a pool. A site with nothing
//!   planned brings the datum that frees most work for the time of its transfer, and runs that
//!   work. Among data that free equally much, the more urgent goes first, then the one that would
//!   free more together with one other; where none frees anything, two are chosen by that rule, or
//!   on cores above a disk as DARTS chooses them.
//! - From the family of HEFT: a task that others have made ready, in a program with priorities,
//!   does not wait in the pool: it is planned for where it ends first, transfers included, before
//!   what is less urgent. So the critical path does not wait for its data to be chosen. That goes
//!   on until a memory throws out what a ready task reads, or writes anything back for want of
//!   room, or data lies on a disk for want of it from the start: from then on its order follows the
//!   data, since an order by priorities would bring the same data again and again.
//! - Moving the only replica of a datum counts several times: its later tasks would have to follow.
//! - From HeteroPrio (Agullo et al., "Task-based FMM for heterogeneous architectures", Concurrency
//!   and Computation 28, 2016): workers that are much slower than others, such as the cores beside
//!   accelerators, are only given tasks at which they lose less than on average. Without such a
//!   task they help out. See [`beside`].
//! - Few tasks are committed, so that plans can change: as many as hide transfers where tasks still
//!   become urgent, else a share of what is left.
//! - Planned data stays. Of the rest, what ready tasks read; in a program with priorities, whose
//!   tasks are seldom ready, what was used last.

mod choice;
mod known;
mod slow;

use super::board::Board;
use super::{Build, HandleId, NextUse, Policy, PolicyOptions, Scheduler, TaskId, View, WorkerId};
use crate::memory::Replica;
use crate::random::SplitMix64;
use crate::types::MemoryId;
use known::Known;

pub(super) const POLICY: Policy = Policy {
    name: "tessera",
    summary: "as darts where data is short, by expected ends and priorities where it is not",
    build: Build::Plan(|options| Box::new(Tessera::new(options))),
    eviction: "luf",
};

/// Most tasks that are committed to the workers of a memory at once, as in DARTS: more than the
/// pipeline, so that transfers are ordered early. A product that begins a new step needs so many:
/// the first data of a step free little.
const COMMITTED: usize = 30;

/// The same where the memory is short: more would pin data that is used late. They come some at a
/// time, once half of them are left.
const COMMITTED_TIGHT: usize = 12;

/// A worker is committed at most its share of the tasks that are left, divided by this: so that all
/// end together (as in guided self-scheduling; Polychronopoulos, Kuck, 1987).
const SHARES: usize = 2;

/// How many times its transfer the move of an only replica counts. On average 5 is as good as 10;
/// with 1 data wanders between memories, with 16 few tasks crowd on one worker.
const MOVE: u64 = 8;

struct Tessera {
    board: Board,
    known: Known,
    random: SplitMix64,
    /// Tasks that are being planned.
    group: Vec<TaskId>,
}

impl Tessera {
    fn new(options: &PolicyOptions) -> Self {
        Self {
            board: Board::new(true, COMMITTED),
            known: Known::default(),
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

    /// Expected time of `task` at `site`, without transfers; none if it cannot run there.
    fn duration(&self, task: TaskId, site: usize, view: &View<'_>) -> Option<u64> {
        view.tasks.nanoseconds(task, self.board.pool.sites.list[site].class)
    }

    /// Time to bring what `task` lacks to `site`, plus its own; none if it cannot run there.
    fn cost(&self, task: TaskId, site: usize, view: &View<'_>) -> Option<u64> {
        let sites = &self.board.pool.sites;
        let memory = sites.list[site].memory;
        let duration = self.duration(task, site, view)?;
        let transfer = |handle: HandleId| {
            let is_kept = view.replicas.valid(handle) >> sites.lowest.0 & 1 == 1;
            view.transfer(handle, memory) * if is_kept { 1 } else { MOVE }
        };
        let inputs = view.tasks.get(task).inputs();
        let missing = inputs.filter(|&handle| !self.board.pool.is_here(handle, memory));
        Some(duration + missing.map(transfer).sum::<u64>())
    }

    /// Whether what `site` runs is ordered by priorities, and not by data.
    fn is_by_priority(&self, site: usize) -> bool {
        self.known.has_priorities && !self.is_tight(site)
    }

    /// Whether the memory of `site` is short.
    fn is_tight(&self, site: usize) -> bool {
        self.known.is_tight(self.board.pool.sites.list[site].memory)
    }

    /// Plans `task`, which is ready by the end of another one or not, for where it ends first, if
    /// it is urgent or at hand there or there is little else to do; puts it into the pool
    /// otherwise.
    fn arrive(&mut self, task: TaskId, is_released: bool, view: &View<'_>) {
        self.board.look(task, view);
        self.note_times(task, view);
        let end = |site| {
            let cost = self.cost(task, site, view)?;
            let is_apt = !self.known.has_priorities || self.is_apt(task, site, view);
            is_apt.then(|| (self.free_at(site, view) + cost, site, cost))
        };
        let best = (0..self.board.sites()).filter_map(end).min();
        let (end, site, cost) = best.expect("some worker can run each task");
        let pool = &self.board.pool;
        let is_at_hand =
            !pool.sites.holds_all(site) && pool.lacks(task, site, view.tasks) == Some(0);
        let ahead = end - cost - view.now + pool.work(site) / pool.sites.peers(site);
        let is_soon = self.known.has_priorities || ahead <= cost;
        if is_at_hand || is_released && is_soon && !self.is_tight(site) {
            self.plan(task, site, view);
        } else {
            self.board.pool.enter(task, view.tasks);
        }
    }

    /// Plans `task` for `site`: before what is less urgent, or, where the order follows the data,
    /// after all that was planned so.
    fn plan(&mut self, task: TaskId, site: usize, view: &View<'_>) {
        let priority = view.tasks.get(task).priority;
        let place = if self.is_by_priority(site) { priority } else { i32::MAX };
        self.board.plan(task, place, site, view);
    }

    /// Plans more for `site`; whether there was anything.
    fn fill(&mut self, site: usize, view: &View<'_>) -> bool {
        let mut group = std::mem::take(&mut self.group);
        if self.is_helper(site) {
            group.extend(self.helps_with(site, view));
            group.iter().for_each(|&task| self.board.pool.remove(task, view.tasks));
        } else {
            self.take(site, view, &mut group);
        }
        if group.is_empty() {
            group.extend(self.help(site, view));
        }
        let found = !group.is_empty();
        group.drain(..).for_each(|task| self.plan(task, site, view));
        self.group = group;
        found
    }

    /// Takes what lacks nothing at `site` out of the pool; else what the best datum frees. Where
    /// all data lies, one task at a time.
    fn take(&mut self, site: usize, view: &View<'_>, group: &mut Vec<TaskId>) {
        let pool = &mut self.board.pool;
        let most = if pool.sites.holds_all(site) { 1 } else { usize::MAX };
        while group.len() < most {
            let Some(task) = pool.pop_free(site) else { break };
            pool.remove(task, view.tasks);
            group.push(task);
        }
        if group.is_empty() {
            // Above a disk an urgent task is worth more than two data that are soon used again.
            let memory = pool.sites.list[site].memory;
            let by_urgency = memory == MemoryId::RAM && self.known.is_tight(memory);
            choice::choose(pool, site, by_urgency, view, &mut self.random, group);
            group.truncate(most);
            group.iter().for_each(|&task| pool.remove(task, view.tasks));
        }
    }

    /// How many tasks `worker` may be given now.
    fn room(&self, worker: WorkerId, view: &View<'_>) -> usize {
        let pipeline = view.machine.workers[worker.0].pipeline;
        if self.is_by_priority(self.board.pool.sites.of(worker)) {
            return self.board.room(worker, pipeline);
        }
        let is_tight = self.known.is_tight(view.memory(worker));
        let window = self.board.share(worker, if is_tight { COMMITTED_TIGHT } else { COMMITTED });
        if is_tight && self.board.held(worker) >= window.div_ceil(2).max(pipeline) {
            return 0;
        }
        let share = self.board.backlog() / (SHARES * view.machine.workers.len());
        self.board.room(worker, pipeline.max(share.min(window)))
    }
}

impl Scheduler for Tessera {
    fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>, view: &View<'_>) {
        self.board.learn(view);
        self.known.note_priorities(tasks, view);
        let mut group = std::mem::take(&mut self.group);
        group.extend_from_slice(tasks);
        self.known.note_disk(view);
        // Above a disk what others made ready together stays together.
        if !self.known.is_tight(MemoryId::RAM) {
            group.sort_by_key(|&task| std::cmp::Reverse(view.tasks.get(task).priority));
        }
        group.drain(..).for_each(|task| self.arrive(task, by.is_some(), view));
        self.group = group;
    }

    fn refill(&mut self, worker: WorkerId, room: usize, view: &View<'_>, out: &mut Vec<TaskId>) {
        self.board.learn(view);
        let site = self.board.pool.sites.of(worker);
        for _ in 0..room.min(self.room(worker, view)) {
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
        self.known.note_written(task, view.memory(worker), view);
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        self.board.arrived(handle, memory, view);
    }

    fn evicted(&mut self, handle: HandleId, memory: MemoryId, view: &View<'_>) {
        let is_planned = self.board.next_use(handle, memory) != NextUse::Never;
        let is_written_back = view.replicas.state(handle, memory) == Replica::Leaving;
        if is_planned || is_written_back || !self.board.pool.readers(handle).is_empty() {
            self.known.note_tight(memory);
        }
        self.board.evicted(handle, memory, view);
    }

    /// Planned tasks count most, then whether any ready task reads it, then that it was only
    /// written here, since it would have to be written back. Where tasks differ in priority, most
    /// of what will be read is read by tasks that are not ready, of which nothing is known: there
    /// planned tasks alone count, and of the rest what was not used for the longest time goes.
    fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        let planned = match self.board.next_use(handle, memory) {
            NextUse::Planned { count, .. } => count,
            _ if self.known.has_priorities => return NextUse::Never,
            _ => 0,
        };
        let is_read = !self.board.pool.readers(handle).is_empty();
        let is_written = self.known.is_written(handle, memory);
        match 4 * planned + 2 * u32::from(is_read) + u32::from(is_written) {
            0 => NextUse::Never,
            count => NextUse::Planned { count, position: 0 },
        }
    }
}
