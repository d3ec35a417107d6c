//! The critical path of an execution: from the task that ended last back to the first, each time to
//! the predecessor that ended last.

use std::collections::HashMap;

use super::{Records, TaskRecord, Trace};

/// A task on the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalTask {
    /// Position of its record in the trace.
    pub record: usize,
    /// Time from the end of its last predecessor to its start, in nanoseconds; none for the first.
    pub lateness: Option<u64>,
}

/// The path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriticalPath {
    /// Its tasks, in order of time.
    pub tasks: Vec<CriticalTask>,
    /// Time before the first of them starts, in seconds.
    pub start_seconds: f64,
    /// The sum of their durations, in seconds.
    pub seconds: f64,
    /// The sum of their latenesses, in seconds.
    pub late_seconds: f64,
}

impl Records {
    /// Lets each task that was ready when it was submitted come after the one that ended last of
    /// those that the program had waited for; `waits` are, in their order, the numbers of tasks
    /// submitted when it had waited for all of them.
    ///
    /// An evaluation that follows another needs none of its data, but the program reads the outcome
    /// of one before it submits the next.
    pub(crate) fn follow_waits(&mut self, waits: &[u64]) {
        self.tasks.sort_unstable_by_key(|record| record.task);
        let mut waits = waits.iter().peekable();
        // End and name of the task that ended last so far; the name of the one that the program
        // waited for.
        let (mut last, mut awaited) = ((0, 0), 0);
        for record in &mut self.tasks {
            while waits.next_if(|&&wait| wait <= record.task).is_some() {
                awaited = last.1;
            }
            last = last.max((record.end, record.task + 1));
            if record.after == 0 {
                record.after = awaited;
            }
        }
    }
}

impl Trace {
    /// The critical path of this execution; none if the engine did not record which predecessor of
    /// a task ended last.
    ///
    /// Its length includes the decisions of this execution, which task ran on which class, so that
    /// another may well be shorter. What comes before its first task, its tasks and their latenesses
    /// make up the makespan.
    ///
    /// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.2, equations 4.1 and 4.2,
    /// where the length is called critical path bound; lateness: section 4.2.4.
    #[must_use]
    pub fn critical_path(&self) -> Option<CriticalPath> {
        if self.records.iter().all(|record| record.after == 0) {
            return None;
        }
        let places: HashMap<u64, usize> =
            self.records.iter().enumerate().map(|(place, record)| (record.task, place)).collect();
        let parent = |record: &TaskRecord| places.get(&record.predecessor()?).copied();
        let last = self.records.iter().enumerate().max_by_key(|(_, record)| record.end);
        let mut next = last.map(|(place, _)| place);
        let mut path = CriticalPath::default();
        // A path is no longer than the trace: what a broken file says cannot lead round in circles.
        while let Some(place) = next.filter(|_| path.tasks.len() < self.records.len()) {
            let record = &self.records[place];
            next = parent(record);
            let end = next.map(|parent| self.records[parent].end);
            let lateness = end.map(|end| record.start.saturating_sub(end));
            path.tasks.push(CriticalTask { record: place, lateness });
            path.start_seconds = 1e-9 * record.start as f64;
            path.seconds += record.seconds();
            path.late_seconds += lateness.unwrap_or(0) as f64 * 1e-9;
        }
        path.tasks.reverse();
        Some(path)
    }
}
