//! Collects the records of a run, per worker, at the cost of two clock reads a task.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{Records, TaskRecord};
use crate::sync::Padded;

/// Records of a run in the making.
#[derive(Debug)]
pub(crate) struct Recorder {
    origin: Instant,
    lanes: Vec<Padded<Mutex<Vec<TaskRecord>>>>,
}

impl Recorder {
    pub(crate) fn new(workers: usize, origin: Instant) -> Self {
        let lanes = (0..workers).map(|_| Padded::default()).collect();
        Self { origin, lanes }
    }

    /// Adds `record` of a task that began at `start` and ends now.
    pub(crate) fn push(&self, start: Instant, mut record: TaskRecord) {
        record.start = start.duration_since(self.origin).as_nanos() as u64;
        record.end = self.origin.elapsed().as_nanos() as u64;
        let lane = &self.lanes[record.worker].0;
        lane.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// Adds a record whose times are known.
    pub(crate) fn note(&self, record: TaskRecord) {
        let lane = &self.lanes[record.worker].0;
        lane.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// Takes all records.
    pub(crate) fn take(&self) -> Records {
        let take = |lane: &Padded<Mutex<Vec<TaskRecord>>>| {
            std::mem::take(&mut *lane.0.lock().unwrap_or_else(PoisonError::into_inner))
        };
        Records { tasks: self.lanes.iter().flat_map(take).collect(), ..Records::default() }
    }
}
