//! What a node spends beside its tasks: on submitting and on deciding, and on memory that is new.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::dispatch::Operation;

/// What is counted beside tasks and transfers; nothing, unless told otherwise.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Seconds that the program takes to submit a task, which is not there before. Over ranks each
    /// submits the tasks of all.
    pub submission_seconds: f64,
    /// What decisions take.
    pub deciding: Deciding,
    /// Bytes of the host's memory that the system gives in a second when tasks first write them;
    /// buffers that are used again cost nothing. None: it takes no time.
    pub new_bytes_per_second: Option<f64>,
}

/// What the decisions of a policy take. A node makes one at a time, and what was decided happens
/// when it has been.
#[derive(Clone, Debug, Default)]
pub enum Deciding {
    /// No time.
    #[default]
    Free,
    /// What they take here by a clock, which tells nanoseconds, noted in the table: never twice the
    /// same.
    Measured(fn() -> u64, Arc<Mutex<DecisionTimes>>),
    /// What a table says.
    Known(Arc<DecisionTimes>),
}

/// How long a policy decides for each task that it starts, by the number of tasks that are ready:
/// means over 1, 2 and 3, 4 to 7, and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionTimes {
    /// Tasks started, and nanoseconds of all that was decided, by the power of two.
    counted: Vec<(u64, u64)>,
}

impl DecisionTimes {
    /// A table of rows as [`rows`](Self::rows) has them.
    pub fn new(rows: impl IntoIterator<Item = (usize, u64, f64)>) -> Self {
        let mut times = Self::default();
        for (ready, decisions, seconds) in rows {
            times.note(ready, decisions, (1e9 * seconds * decisions as f64).round() as u64);
        }
        times
    }

    /// For each power of two of ready tasks that was seen: that number, the tasks that were
    /// started, and the seconds for each of them.
    pub fn rows(&self) -> impl Iterator<Item = (usize, u64, f64)> + '_ {
        let seen = self.counted.iter().enumerate().filter(|(_, (decisions, _))| *decisions > 0);
        seen.map(|(power, &(decisions, nanoseconds))| {
            (1 << power, decisions, 1e-9 * nanoseconds as f64 / decisions as f64)
        })
    }

    /// Seconds of all decisions.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        1e-9 * self.counted.iter().map(|(_, nanoseconds)| *nanoseconds as f64).sum::<f64>()
    }

    fn note(&mut self, ready: usize, decisions: u64, nanoseconds: u64) {
        let power = ready.max(1).ilog2() as usize;
        if power >= self.counted.len() {
            self.counted.resize(power + 1, (0, 0));
        }
        self.counted[power].0 += decisions;
        self.counted[power].1 += nanoseconds;
    }

    /// Nanoseconds for a task with so many ready ones: of the nearest number that was seen.
    fn of(&self, ready: usize) -> f64 {
        let power = ready.max(1).ilog2() as usize;
        let seen = self.rows().min_by_key(|(number, ..)| power.abs_diff(number.ilog2() as usize));
        seen.map_or(0.0, |(.., seconds)| 1e9 * seconds)
    }
}

/// The one who decides on a node: when it is done with what it was given, and what it still has to
/// order.
#[derive(Debug, Default)]
pub(super) struct Decider {
    deciding: Deciding,
    /// When it is done.
    done: u64,
    /// Nanoseconds for each task that is started now.
    each: u64,
    /// Nanoseconds that decisions have taken since they were counted last.
    taken: u64,
    /// Transfers that it has decided on, with the times when it has.
    ordered: VecDeque<(u64, Operation)>,
}

impl Decider {
    pub(super) fn new(deciding: Deciding) -> Self {
        Self { deciding, ..Self::default() }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self.deciding, Deciding::Free)
    }

    /// The time, if it is to be measured.
    pub(super) fn begin(&self) -> Option<u64> {
        match self.deciding {
            Deciding::Measured(clock, _) => Some(clock()),
            Deciding::Free | Deciding::Known(_) => None,
        }
    }

    /// Something of the policy that began then has ended.
    pub(super) fn end(&mut self, begin: Option<u64>) {
        let end = self.begin();
        self.taken += begin.zip(end).map_or(0, |(begin, end)| end.saturating_sub(begin));
    }

    /// It has decided at `now`, where so many tasks were ready, to [start](Self::start) so many.
    pub(super) fn decide(&mut self, now: u64, ready: usize, tasks: u64) {
        let taken = match &self.deciding {
            Deciding::Free => return,
            Deciding::Measured(_, times) => {
                let taken = std::mem::take(&mut self.taken);
                let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
                times.note(ready, tasks, taken);
                taken
            }
            Deciding::Known(times) => (times.of(ready) * tasks as f64).round() as u64,
        };
        self.done = self.done.max(now);
        match taken.checked_div(tasks) {
            Some(each) => self.each = each,
            None => self.done += taken,
        }
    }

    /// When the next task that it has decided on at `now` starts.
    pub(super) fn start(&mut self, now: u64) -> u64 {
        self.done = self.done.max(now) + self.each;
        self.done
    }

    /// Has `operation` happen when what was decided is done.
    pub(super) fn order(&mut self, operation: Operation) {
        self.ordered.push_back((self.done, operation));
    }

    /// What is to happen at `now`, one by one.
    pub(super) fn due(&mut self, now: u64) -> Option<Operation> {
        let is_due = self.ordered.front().is_some_and(|(time, _)| *time <= now);
        is_due.then(|| self.ordered.pop_front().expect("there is one").1)
    }

    /// When something that was ordered happens next; `u64::MAX` if nothing is.
    pub(super) fn next(&self) -> u64 {
        self.ordered.front().map_or(u64::MAX, |(time, _)| *time)
    }
}

/// When tasks are submitted.
#[derive(Debug)]
pub(super) struct Submission {
    /// Nanoseconds for each.
    each: f64,
    /// The time, and the task of the program, from which on the program submits.
    since: (u64, u64),
    /// Tasks that are not there yet, in the order of their times.
    held: BinaryHeap<Reverse<(u64, u64, u32)>>,
}

impl Submission {
    pub(super) fn new(seconds: f64) -> Self {
        Self { each: 1e9 * seconds, since: (0, 0), held: BinaryHeap::new() }
    }

    /// When the task at `index` of the program is there.
    fn time_of(&self, index: u64) -> u64 {
        let (time, first) = self.since;
        time + (self.each * index.saturating_sub(first) as f64).round() as u64
    }

    /// The program has waited until `now`, and goes on with the task at `index`.
    pub(super) fn resume(&mut self, index: u64, now: u64) {
        self.since = (self.time_of(index).max(now), index);
    }

    /// Keeps of `tasks` those back that are not there at `now`.
    pub(super) fn hold(&mut self, tasks: &mut Vec<u32>, index_of: impl Fn(u32) -> u64, now: u64) {
        if self.each <= 0.0 {
            return;
        }
        tasks.retain(|&task| {
            let index = index_of(task);
            let time = self.time_of(index + 1);
            let is_there = time <= now;
            if !is_there {
                self.held.push(Reverse((time, index, task)));
            }
            is_there
        });
    }

    /// Adds the tasks that are there at `now` to `tasks`.
    pub(super) fn release(&mut self, now: u64, tasks: &mut Vec<u32>) {
        while let Some(&Reverse((time, _, task))) = self.held.peek()
            && time <= now
        {
            self.held.pop();
            tasks.push(task);
        }
    }

    /// When the next of those that are held is there; `u64::MAX` if none is.
    pub(super) fn next(&self) -> u64 {
        self.held.peek().map_or(u64::MAX, |Reverse((time, ..))| *time)
    }
}
