//! The critical path of an execution: from the task that ended last back to the first, each time to
//! the predecessor that ended last.

use std::collections::HashMap;

use tegula_runtime::trace::{TaskRecord, Trace};

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

impl CriticalPath {
    /// The critical path of this execution; none if the engine did not record which predecessor of
    /// a task ended last.
    ///
    /// Its length includes the decisions of this execution, which task ran on which class, so that
    /// another may well be shorter. What comes before its first task, its tasks and their
    /// latenesses make up the makespan.
    ///
    /// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 4.2.2, equations 4.1 and 4.2,
    /// where the length is called critical path bound; lateness: section 4.2.4.
    #[must_use]
    pub fn of(trace: &Trace) -> Option<Self> {
        if trace.records.iter().all(|record| record.after == 0) {
            return None;
        }
        // What the runtime itself adds, such as folds, has the number of the task that comes next.
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, record) in trace.records.iter().enumerate() {
            places.entry(record.task).or_default().push(place);
        }
        let parent = |record: &TaskRecord| {
            let named = places.get(&record.predecessor()?)?.iter().copied();
            let before = named.filter(|&place| trace.records[place].start < record.start);
            // Clocks of ranks may differ a little.
            before.min_by_key(|&place| trace.records[place].end.abs_diff(record.start))
        };
        let last = trace.records.iter().enumerate().max_by_key(|(_, record)| record.end);
        let mut next = last.map(|(place, _)| place);
        let mut path = Self::default();
        // Each starts before the last: what a broken file says cannot lead round in circles.
        while let Some(place) = next {
            let record = &trace.records[place];
            next = parent(record);
            let end = next.map(|parent| trace.records[parent].end);
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
