//! Ready tasks that no plan holds, and for each datum what bringing it to a memory would free.
//!
//! Counters follow every change, so that the best datum is found without looking at tasks.

mod members;
mod score;

use std::collections::BinaryHeap;

use super::sites::Sites;
use super::{HandleId, TaskId, Tasks};
use crate::types::MemoryId;
use members::Members;
use score::{Score, Tally};

/// Number of inputs that a task lacks, where the task cannot run.
const CANNOT_RUN: u8 = u8::MAX;

/// Where a ready task is noted.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    is_ready: bool,
    /// Place in the list of ready tasks.
    place: u32,
    /// Places in the lists of readers of its inputs.
    places: [u32; 8],
    /// Its inputs.
    inputs: [u32; 8],
    count: u8,
}

/// A task that lacks nothing: priority, position in the program from the end, slot.
type Free = (i32, u64, TaskId);

#[derive(Default)]
pub(super) struct Pool {
    pub(super) sites: Sites,
    /// Whether tasks that lack nothing come in order of priority.
    by_priority: bool,
    /// By handle, the memories where it is or will be, a bit each.
    here: Vec<u32>,
    /// By handle, the ready tasks that read it.
    readers: Vec<Vec<TaskId>>,
    /// By handle and site.
    scores: Vec<Score>,
    /// By site, the data that would free tasks.
    gains: Vec<Members>,
    /// By site, tasks that lacked nothing when they were noted.
    free: Vec<BinaryHeap<Free>>,
    /// Data that ready tasks read.
    wanted: Members,
    ready: Vec<TaskId>,
    /// By site, the ready tasks that can run there.
    work: Vec<Tally>,
    /// By slot.
    rows: Vec<Row>,
    /// By slot and site.
    missing: Vec<u8>,
}

impl Pool {
    pub(super) fn new(by_priority: bool) -> Self {
        Self { by_priority, ..Self::default() }
    }

    pub(super) fn learn(&mut self, sites: Sites) {
        self.gains = vec![Members::default(); sites.list.len()];
        self.free = vec![BinaryHeap::new(); sites.list.len()];
        self.work = vec![Tally::default(); sites.list.len()];
        self.sites = sites;
    }

    /// Makes room for `handle`.
    pub(super) fn reserve(&mut self, handle: HandleId) {
        if handle.0 as usize >= self.here.len() {
            let handles = (handle.0 as usize + 1).next_power_of_two();
            self.here.resize(handles, 0);
            self.readers.resize_with(handles, Vec::new);
            self.scores.resize(handles * self.gains.len(), Score::default());
        }
    }

    fn reserve_task(&mut self, task: TaskId) {
        if task.0 as usize >= self.rows.len() {
            let slots = (task.0 as usize + 1).next_power_of_two();
            self.rows.resize(slots, Row::default());
            self.missing.resize(slots * self.gains.len(), CANNOT_RUN);
        }
    }

    /// Whether `handle` is or will be in `memory`.
    pub(super) fn is_here(&self, handle: HandleId, memory: MemoryId) -> bool {
        self.here[handle.0 as usize] >> memory.0 & 1 == 1
    }

    pub(super) fn ready(&self) -> &[TaskId] {
        &self.ready
    }

    /// Time of all ready tasks that can run at `site`.
    pub(super) fn work(&self, site: usize) -> u64 {
        self.work[site].time
    }

    /// The ready tasks that read `handle`.
    pub(super) fn readers(&self, handle: HandleId) -> &[TaskId] {
        self.readers.get(handle.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Data that would free tasks at `site`.
    pub(super) fn gains(&self, site: usize) -> &[HandleId] {
        self.gains[site].as_slice()
    }

    /// Data that ready tasks read.
    pub(super) fn wanted(&self) -> &[HandleId] {
        self.wanted.as_slice()
    }

    pub(super) fn score(&self, handle: HandleId, site: usize) -> &Score {
        &self.scores[handle.0 as usize * self.gains.len() + site]
    }

    /// What `task` lacks in `memory`.
    pub(super) fn lacking(
        &self,
        task: TaskId,
        memory: MemoryId,
    ) -> impl Iterator<Item = HandleId> + '_ {
        let row = &self.rows[task.0 as usize];
        let inputs = row.inputs[..row.count as usize].iter().map(|&handle| HandleId(handle));
        inputs.filter(move |&handle| !self.is_here(handle, memory))
    }

    /// How many inputs `task` lacks at `site`; none if it cannot run there.
    pub(super) fn missing(&self, task: TaskId, site: usize) -> Option<u8> {
        let missing = self.missing[task.0 as usize * self.gains.len() + site];
        (missing != CANNOT_RUN).then_some(missing)
    }

    /// How many inputs `task`, which need not be in the pool, lacks at `site`.
    pub(super) fn lacks(&self, task: TaskId, site: usize, tasks: &Tasks) -> Option<u8> {
        let site = &self.sites.list[site];
        tasks.nanoseconds(task, site.class)?;
        let inputs = tasks.get(task).inputs();
        Some(inputs.filter(|&handle| !self.is_here(handle, site.memory)).count() as u8)
    }

    /// Adds a task.
    pub(super) fn enter(&mut self, task: TaskId, tasks: &Tasks) {
        self.reserve_task(task);
        let mut row = Row { is_ready: true, place: self.ready.len() as u32, ..Row::default() };
        self.ready.push(task);
        for (input, handle) in tasks.get(task).inputs().enumerate() {
            let readers = &mut self.readers[handle.0 as usize];
            if readers.is_empty() {
                self.wanted.add(handle);
            }
            row.inputs[input] = handle.0;
            row.count += 1;
            row.places[input] = readers.len() as u32;
            readers.push(task);
        }
        self.rows[task.0 as usize] = row;
        for site in 0..self.gains.len() {
            let missing = self.lacks(task, site, tasks).unwrap_or(CANNOT_RUN);
            self.missing[task.0 as usize * self.gains.len() + site] = missing;
            self.change_left(task, site, tasks, true);
            self.count(task, site, tasks, true);
        }
    }

    /// Takes a task out.
    pub(super) fn remove(&mut self, task: TaskId, tasks: &Tasks) {
        for site in 0..self.gains.len() {
            self.change_left(task, site, tasks, false);
            self.count(task, site, tasks, false);
        }
        let row = std::mem::take(&mut self.rows[task.0 as usize]);
        self.ready.swap_remove(row.place as usize);
        if let Some(&moved) = self.ready.get(row.place as usize) {
            self.rows[moved.0 as usize].place = row.place;
        }
        for (input, handle) in tasks.get(task).inputs().enumerate() {
            self.forget_reader(handle, row.places[input], tasks);
        }
    }

    fn forget_reader(&mut self, handle: HandleId, place: u32, tasks: &Tasks) {
        let readers = &mut self.readers[handle.0 as usize];
        readers.swap_remove(place as usize);
        if let Some(&moved) = readers.get(place as usize) {
            let input = tasks.get(moved).inputs().position(|other| other == handle);
            self.rows[moved.0 as usize].places[input.expect("it reads the datum")] = place;
        }
        if readers.is_empty() {
            self.wanted.remove(handle);
        }
    }

    fn change_left(&mut self, task: TaskId, site: usize, tasks: &Tasks, more: bool) {
        let class = self.sites.list[site].class;
        let Some(time) = tasks.nanoseconds(task, class) else { return };
        self.work[site].change(time, more);
        for handle in tasks.get(task).inputs() {
            let score = &mut self.scores[handle.0 as usize * self.gains.len() + site];
            score.left.change(time, more);
        }
    }

    /// Counts `task` for what it lacks at `site`, or no longer.
    fn count(&mut self, task: TaskId, site: usize, tasks: &Tasks, more: bool) {
        let Some(missing) = self.missing(task, site) else { return };
        if missing == 0 && more {
            let row = tasks.get(task);
            let priority = if self.by_priority { row.priority } else { 0 };
            self.note_free((priority, u64::MAX - row.index, task), site);
        }
        if missing == 0 || missing > 2 {
            return;
        }
        let place = &self.sites.list[site];
        let (memory, time) = (place.memory, tasks.nanoseconds(task, place.class).unwrap_or(0));
        for handle in tasks.get(task).inputs() {
            if self.is_here(handle, memory) {
                continue;
            }
            let score = &mut self.scores[handle.0 as usize * self.gains.len() + site];
            if missing == 2 {
                score.pairs.change(time, more);
                continue;
            }
            score.alone.change(time, more);
            match (more, score.alone.count) {
                (true, 1) => self.gains[site].add(handle),
                (false, 0) => self.gains[site].remove(handle),
                _ => {}
            }
        }
    }

    /// Notes that a task lacks nothing; drops notes that no longer hold when they are many.
    fn note_free(&mut self, free: Free, site: usize) {
        if self.free[site].len() > 64 + 2 * self.ready.len() {
            let mut notes = std::mem::take(&mut self.free[site]);
            notes.retain(|&(.., task)| self.is_free(task, site));
            self.free[site] = notes;
        }
        self.free[site].push(free);
    }

    fn is_free(&self, task: TaskId, site: usize) -> bool {
        self.rows[task.0 as usize].is_ready && self.missing(task, site) == Some(0)
    }

    /// A task that lacks nothing at `site`.
    pub(super) fn pop_free(&mut self, site: usize) -> Option<TaskId> {
        while let Some((.., task)) = self.free[site].pop() {
            if self.is_free(task, site) {
                return Some(task);
            }
        }
        None
    }

    /// Notes that `handle` is or will be in `memory`, or no longer.
    pub(super) fn set_here(
        &mut self,
        handle: HandleId,
        memory: MemoryId,
        is_here: bool,
        tasks: &Tasks,
    ) {
        if self.is_here(handle, memory) == is_here {
            return;
        }
        let readers = std::mem::take(&mut self.readers[handle.0 as usize]);
        let count = self.gains.len();
        let is_there = |pool: &Self, site: usize| pool.sites.list[site].memory == memory;
        for site in 0..count {
            if is_there(self, site) {
                readers.iter().for_each(|&task| self.count(task, site, tasks, false));
            }
        }
        self.here[handle.0 as usize] ^= 1 << memory.0;
        for site in 0..count {
            if !is_there(self, site) {
                continue;
            }
            for &task in &readers {
                let missing = &mut self.missing[task.0 as usize * count + site];
                match *missing {
                    CANNOT_RUN => continue,
                    _ if is_here => *missing -= 1,
                    _ => *missing += 1,
                }
                self.count(task, site, tasks, true);
            }
        }
        self.readers[handle.0 as usize] = readers;
    }
}
