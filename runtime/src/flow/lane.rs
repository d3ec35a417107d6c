//! The way back from a worker to the submitter: slots that can be used again, and a count.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::sync::Padded;

/// Slots that the ring of a lane holds.
const RING: u64 = 2048;

/// What one worker gives back. The worker writes, the submitter reads.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Numbers of free slots, in order; a ring, so that sixteen travel on one cache line.
    ring: Box<[AtomicU32]>,
    worker: Padded<WorkerSide>,
    /// How many the submitter has taken from the ring.
    taken: Padded<AtomicU64>,
    /// Slots that found the ring full.
    rest: Mutex<VecDeque<u32>>,
    /// Whether there are any of those; written under the lock.
    has_rest: AtomicBool,
}

#[derive(Debug, Default)]
struct WorkerSide {
    /// How many the worker has put into the ring.
    given: AtomicU64,
    /// Tasks that the worker completed.
    completed: AtomicU64,
}

impl Lane {
    pub(crate) fn new() -> Self {
        Self {
            ring: (0..RING).map(|_| AtomicU32::new(0)).collect(),
            worker: Padded::default(),
            taken: Padded::default(),
            rest: Mutex::default(),
            has_rest: AtomicBool::new(false),
        }
    }

    fn place(&self, number: u64) -> &AtomicU32 {
        &self.ring[(number % RING) as usize]
    }

    /// Gives slot `task` back. Called by the worker.
    pub(crate) fn give(&self, task: u32) {
        let given = self.worker.0.given.load(Ordering::Relaxed);
        if given - self.taken.0.load(Ordering::Acquire) < RING {
            self.place(given).store(task, Ordering::Relaxed);
            self.worker.0.given.store(given + 1, Ordering::Release);
        } else {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            rest.push_back(task);
            self.has_rest.store(true, Ordering::Relaxed);
        }
    }

    /// Takes all slots that were given back. Called by the submitter.
    pub(crate) fn take(&self, mut each: impl FnMut(u32)) {
        let (taken, given) =
            (self.taken.0.load(Ordering::Relaxed), self.worker.0.given.load(Ordering::Acquire));
        (taken..given).for_each(|number| each(self.place(number).load(Ordering::Relaxed)));
        self.taken.0.store(given, Ordering::Release);
        if self.has_rest.load(Ordering::Relaxed) {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            self.has_rest.store(false, Ordering::Relaxed);
            rest.drain(..).for_each(each);
        }
    }

    /// Counts one task more as completed. Called by the worker, after its slot was given back.
    pub(crate) fn count_completed(&self) {
        let completed = &self.worker.0.completed;
        completed.store(completed.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// Tasks that the worker completed; what they wrote is visible.
    pub(crate) fn completed(&self) -> u64 {
        self.worker.0.completed.load(Ordering::Acquire)
    }
}
