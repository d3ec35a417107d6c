//! What a worker holds, and which workers have something to look at.

use std::collections::VecDeque;

use crate::platform::Worker;
use crate::sched::Scheduler;
use crate::types::TaskId;

/// What one worker holds.
#[derive(Debug, Default)]
pub(super) struct WorkerTasks {
    /// Tasks given to it that have not started, with their positions in the order of commitment.
    pub(super) committed: VecDeque<(TaskId, u64)>,
    /// How many of them, from the front, have room reserved for all their data.
    pub(super) admitted: usize,
    /// How many of them, from the front, had their data ordered.
    pub(super) prefetched: usize,
    /// The tasks that run, in the order of their starts.
    pub(super) running: Vec<TaskId>,
    /// Expected nanoseconds of all that it holds.
    pub(super) work: u64,
    /// Since when it has tasks and runs none, for want of data or of room.
    pub(super) waits_since: Option<u64>,
    /// Nanoseconds that it waited so.
    pub(super) waited: u64,
    /// How often in a row its next task was refused room.
    pub(super) refusals: u32,
}

impl WorkerTasks {
    pub(super) fn len(&self) -> usize {
        self.committed.len() + self.running.len()
    }

    /// Notes at `now` whether it waits.
    pub(super) fn note_wait(&mut self, now: u64) {
        let waits = self.running.is_empty() && !self.committed.is_empty();
        match (self.waits_since, waits) {
            (None, true) => self.waits_since = Some(now),
            (Some(since), false) => {
                self.waited += now - since;
                self.waits_since = None;
            }
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How many tasks a worker holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// It is given more when it holds fewer.
    pub(super) low: usize,
    /// What it is given most.
    pub(super) most: usize,
}

impl Ahead {
    pub(super) fn new(worker: &Worker, scheduler: &dyn Scheduler) -> Self {
        let most = scheduler.lookahead(worker.pipeline).max(worker.pipeline);
        Self { low: worker.pipeline.max(most.div_ceil(2)), most }
    }
}

/// A set of workers, taken out in the order of their numbers.
#[derive(Debug)]
pub(super) struct WorkerSet(Vec<u64>);

impl WorkerSet {
    pub(super) fn new(workers: usize) -> Self {
        Self(vec![0; workers.div_ceil(64)])
    }

    pub(super) fn wake(&mut self, worker: usize) {
        self.0[worker / 64] |= 1 << (worker % 64);
    }

    pub(super) fn next(&mut self) -> Option<usize> {
        for (word, bits) in self.0.iter_mut().enumerate() {
            if *bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return Some(64 * word + bit);
            }
        }
        None
    }
}
