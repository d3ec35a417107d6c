//! What happened in a run: one record per task, from a real or a simulated engine.

mod export;
mod recorder;

pub(crate) use recorder::Recorder;

use crate::flow::TaskData;

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its kernel did its work.
    Done,
    /// Its kernel failed.
    Failed,
    /// It did not run, since what it reads was spoiled by a failure.
    Skipped,
}

/// One task of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// Position in the program.
    pub task: u64,
    /// Name of the codelet.
    pub codelet: &'static str,
    /// Number of the phase.
    pub phase: u8,
    /// The worker that ran it.
    pub worker: usize,
    /// Its priority.
    pub priority: i32,
    /// Start, in nanoseconds since the engine was made.
    pub start: u64,
    /// End, likewise.
    pub end: u64,
    /// How it ended.
    pub outcome: Outcome,
}

impl TaskRecord {
    /// A record of the task that `data` describes, times still to be filled in.
    pub(crate) fn new(data: &TaskData, worker: usize, outcome: Outcome) -> Self {
        let TaskData { index: task, phase, priority, .. } = *data;
        Self { task, codelet: data.info.name, phase, worker, priority, start: 0, end: 0, outcome }
    }

    /// Duration in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end - self.start) as f64 * 1e-9
    }
}

/// The tasks of a run, in the order in which they started.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// One record per task.
    pub records: Vec<TaskRecord>,
    /// Number of workers.
    pub workers: usize,
    /// Names of the phases, by number.
    pub phases: Vec<&'static str>,
}

/// When a phase ran, and for how long in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// Name of the phase.
    pub phase: &'static str,
    /// Time spent in its tasks, summed over workers, in seconds.
    pub busy_seconds: f64,
    /// Start of its first task, in seconds since the trace began.
    pub start_seconds: f64,
    /// End of its last task, likewise.
    pub end_seconds: f64,
}

impl Trace {
    /// A trace of `records`, whose clock starts at the first of them.
    #[must_use]
    pub fn new(mut records: Vec<TaskRecord>, workers: usize, phases: &[&'static str]) -> Self {
        records.sort_unstable_by_key(|record| (record.start, record.worker, record.task));
        let origin = records.first().map_or(0, |record| record.start);
        for record in &mut records {
            record.start -= origin;
            record.end -= origin;
        }
        Self { records, workers, phases: phases.to_vec() }
    }

    /// Name of the phase that `record` belongs to.
    #[must_use]
    pub fn phase_of(&self, record: &TaskRecord) -> &'static str {
        self.phases.get(record.phase as usize).copied().unwrap_or("none")
    }

    /// End of the last task, in seconds.
    #[must_use]
    pub fn makespan_seconds(&self) -> f64 {
        self.records.iter().map(|record| record.end).max().unwrap_or(0) as f64 * 1e-9
    }

    /// Times of every phase that has tasks, in the order in which the phases were named.
    #[must_use]
    pub fn phase_times(&self) -> Vec<PhaseTime> {
        let mut times: Vec<Option<PhaseTime>> = vec![None; self.phases.len().max(1)];
        for record in &self.records {
            let (start, end) = (record.start as f64 * 1e-9, record.end as f64 * 1e-9);
            let time = times[record.phase as usize].get_or_insert(PhaseTime {
                phase: self.phase_of(record),
                busy_seconds: 0.0,
                start_seconds: start,
                end_seconds: end,
            });
            time.busy_seconds += record.seconds();
            time.start_seconds = time.start_seconds.min(start);
            time.end_seconds = time.end_seconds.max(end);
        }
        times.into_iter().flatten().collect()
    }
}
