//! What happened in a run: one record per task, from a real or a simulated engine.

mod about;
mod critical;
mod file;
mod metrics;
mod names;
mod paje;
mod perfetto;
mod recorder;
mod table;

pub use critical::{CriticalPath, CriticalTask};
pub use file::ReadError;
pub use metrics::{ClassUse, CodeletTime, EARLY_SHARE, RouteTotal};
pub(crate) use recorder::Recorder;

use crate::flow::Space;

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
    /// Step of the outermost loop of the algorithm that it belongs to.
    pub iteration: u32,
    /// Of the tasks that it waited for the one that ended last: its position in the program plus
    /// one; 0: there was none, or the engine does not say.
    pub after: u64,
    /// Start, in nanoseconds since the engine was made.
    pub start: u64,
    /// End, likewise.
    pub end: u64,
    /// How it ended.
    pub outcome: Outcome,
}

impl TaskRecord {
    /// A record of the task in slot `task`, times still to be filled in.
    pub(crate) fn new(space: &Space, task: u32, worker: usize, outcome: Outcome) -> Self {
        let data = space.task(task);
        Self {
            task: data.index,
            codelet: data.info.name,
            phase: data.phase,
            worker,
            priority: data.priority,
            iteration: space.iteration(task),
            after: space.after(task),
            start: 0,
            end: 0,
            outcome,
        }
    }

    /// Position in the program of the task that it waited for last, if that is known.
    #[must_use]
    pub fn predecessor(&self) -> Option<u64> {
        self.after.checked_sub(1)
    }

    /// Duration in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end - self.start) as f64 * 1e-9
    }
}

impl Outcome {
    /// Its name in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Why data moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// A task that holds room for its data waits for it.
    Fetch,
    /// A task will need it soon.
    Prefetch,
    /// Room was needed where it was, and it was nowhere else.
    WriteBack,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Self; 3] = [Self::Fetch, Self::Prefetch, Self::WriteBack];

    /// Its name in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Prefetch => "prefetch",
            Self::WriteBack => "write-back",
        }
    }
}

/// One transfer between two memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRecord {
    /// Number of the handle.
    pub handle: u32,
    /// Its size.
    pub bytes: u64,
    /// Number of the memory that it came from.
    pub src: usize,
    /// Number of the memory that it went to.
    pub dst: usize,
    /// Why.
    pub purpose: Purpose,
    /// When it was handed to the link, in nanoseconds since the engine was made.
    pub start: u64,
    /// End, likewise.
    pub end: u64,
}

/// Something that was counted, from a moment until the next sample of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When, in nanoseconds since the engine was made.
    pub time: u64,
    /// What.
    pub gauge: Gauge,
    /// How much from then on.
    pub value: u64,
}

/// What samples count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gauge {
    /// Bytes in buffers of a memory, by its number.
    Memory(usize),
    /// Tasks that are ready and that no worker was given yet.
    Ready,
}

/// What an engine recorded.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// One record per task, in any order.
    pub tasks: Vec<TaskRecord>,
    /// One record per transfer, in any order.
    pub transfers: Vec<TransferRecord>,
    /// Samples, those of one gauge in order of time.
    pub samples: Vec<Sample>,
}

/// What a run came to, whether it was recorded or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes moved from memory `src` to memory `dst`, at `src * memories + dst`.
    pub bytes: Vec<u64>,
    /// Transfers, likewise.
    pub transfers: Vec<u64>,
    /// Nanoseconds that they took, each from when it was handed to the link, likewise.
    pub moving: Vec<u64>,
    /// Nanoseconds that each worker computed.
    pub busy: Vec<u64>,
    /// Nanoseconds in which each worker had tasks and ran none, for want of data or of room for it.
    pub waited: Vec<u64>,
    /// Tasks that each worker ran.
    pub tasks: Vec<u64>,
    /// End of the last task, in nanoseconds.
    pub makespan: u64,
}

impl Totals {
    /// Nothing yet.
    pub(crate) fn new(workers: usize, memories: usize) -> Self {
        let pairs = vec![0; memories * memories];
        Self {
            bytes: pairs.clone(),
            transfers: pairs.clone(),
            moving: pairs,
            busy: vec![0; workers],
            waited: vec![0; workers],
            tasks: vec![0; workers],
            makespan: 0,
        }
    }

    /// Number of memories.
    fn memories(&self) -> usize {
        self.bytes.len().isqrt()
    }

    /// Counts a transfer.
    pub(crate) fn count_transfer(&mut self, record: &TransferRecord) {
        let pair = record.src * self.memories() + record.dst;
        self.bytes[pair] += record.bytes;
        self.transfers[pair] += 1;
        self.moving[pair] += record.end - record.start;
    }

    /// Counts a task of `nanoseconds` that ends at `end`.
    pub(crate) fn count_task(&mut self, worker: usize, nanoseconds: u64, end: u64) {
        self.busy[worker] += nanoseconds;
        self.tasks[worker] += 1;
        self.makespan = self.makespan.max(end);
    }

    /// What came on top of `before`, an earlier state of the same run.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        let less = |now: &mut Vec<u64>, then: &[u64]| {
            now.iter_mut().zip(then).for_each(|(now, then)| *now -= then);
        };
        less(&mut self.bytes, &before.bytes);
        less(&mut self.transfers, &before.transfers);
        less(&mut self.moving, &before.moving);
        less(&mut self.busy, &before.busy);
        less(&mut self.waited, &before.waited);
        less(&mut self.tasks, &before.tasks);
        self.makespan -= before.makespan;
        self
    }

    /// Bytes that came to memory `dst` from others.
    #[must_use]
    pub fn bytes_to(&self, dst: usize) -> u64 {
        let memories = self.memories();
        (0..memories).map(|src| self.bytes[src * memories + dst]).sum()
    }
}

impl Sample {
    /// Adds a sample of what may not have changed.
    pub(crate) fn push(samples: &mut Vec<Self>, sample: Self) {
        let last = samples.iter_mut().rev().take(8).find(|last| last.gauge == sample.gauge);
        match last {
            Some(last) if last.time == sample.time => last.value = sample.value,
            Some(last) if last.value == sample.value => {}
            _ => samples.push(sample),
        }
    }
}

/// The machine that a trace was recorded on, as far as its reader needs it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// Names of the workers, by number.
    pub workers: Vec<String>,
    /// For each worker the name of its class: workers of one class are equally fast.
    pub classes: Vec<String>,
    /// Names of the memories, by number; empty if data never moves.
    pub memories: Vec<String>,
    /// For each memory the most bytes that it holds; none: no limit.
    pub capacities: Vec<Option<u64>>,
}

impl Site {
    /// `workers` cores that share one memory.
    #[must_use]
    pub fn cores(workers: usize) -> Self {
        Self {
            workers: (0..workers).map(|number| format!("worker {number}")).collect(),
            classes: vec!["cpu".to_owned(); workers],
            memories: Vec::new(),
            capacities: Vec::new(),
        }
    }
}

/// The tasks of a run, in the order in which they started, and what moved beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// One record per task.
    pub records: Vec<TaskRecord>,
    /// One record per transfer, in the order in which they started.
    pub transfers: Vec<TransferRecord>,
    /// Samples, in order of time.
    pub samples: Vec<Sample>,
    /// Workers and memories.
    pub site: Site,
    /// Number of workers.
    pub workers: usize,
    /// Names of the phases, by number.
    pub phases: Vec<&'static str>,
    /// What was run: keys and values, in an order that suits a reader; empty if nobody said.
    pub about: Vec<(String, String)>,
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
    /// A trace of `records` on `site`, whose clock starts with the first of them.
    #[must_use]
    pub fn new(records: Records, site: Site, phases: &[&'static str]) -> Self {
        let Records { tasks: mut records, mut transfers, mut samples } = records;
        records.sort_unstable_by_key(|record| (record.start, record.worker, record.task));
        transfers.sort_unstable_by_key(|record| (record.start, record.dst, record.handle));
        samples.sort_by_key(|sample| sample.time);
        let starts = (records.first().map(|r| r.start), transfers.first().map(|t| t.start));
        let origin = starts.0.into_iter().chain(starts.1).min().unwrap_or(0);
        for record in &mut records {
            record.start -= origin;
            record.end -= origin;
        }
        for transfer in &mut transfers {
            transfer.start -= origin;
            transfer.end -= origin;
        }
        samples.iter_mut().for_each(|sample| sample.time = sample.time.saturating_sub(origin));
        let workers = site.workers.len();
        let (phases, about) = (phases.to_vec(), Vec::new());
        Self { records, transfers, samples, site, workers, phases, about }
    }

    /// Name of the phase that `record` belongs to.
    #[must_use]
    pub fn phase_of(&self, record: &TaskRecord) -> &'static str {
        self.phases.get(record.phase as usize).copied().unwrap_or("none")
    }

    /// End of the last task, in nanoseconds.
    #[must_use]
    pub fn makespan(&self) -> u64 {
        self.records.iter().map(|record| record.end).max().unwrap_or(0)
    }

    /// End of the last task, in seconds.
    #[must_use]
    pub fn makespan_seconds(&self) -> f64 {
        self.makespan() as f64 * 1e-9
    }

    /// End of the last task or transfer, in nanoseconds.
    #[must_use]
    pub fn span(&self) -> u64 {
        let last = self.transfers.iter().map(|transfer| transfer.end).max();
        self.makespan().max(last.unwrap_or(0))
    }

    /// Name of the class of `worker`.
    #[must_use]
    pub fn class_of(&self, worker: usize) -> &str {
        self.site.classes.get(worker).map_or("cpu", String::as_str)
    }

    /// Name of the worker with number `worker`.
    #[must_use]
    pub fn worker_name(&self, worker: usize) -> String {
        let name = self.site.workers.get(worker).cloned();
        name.unwrap_or_else(|| format!("worker {worker}"))
    }

    /// Name of the memory with number `memory`.
    #[must_use]
    pub fn memory_name(&self, memory: usize) -> String {
        let name = self.site.memories.get(memory).cloned();
        name.unwrap_or_else(|| format!("memory {memory}"))
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

#[cfg(test)]
mod tests;
