//! What happened in a run: one record per task, transfer and message, from a real or a simulated
//! engine.

mod contexts;
mod file;
mod join;
mod message;
mod names;
mod recorder;
mod totals;

pub use contexts::{ContextRecords, JobRecord, ResizeRecord, WorkerMove};
pub use file::ReadError;
pub(crate) use message::AFTER_MESSAGE;
pub use message::{MessageRecord, Passage, PollRecord};
pub(crate) use recorder::Recorder;
pub use totals::{Computed, Totals};

use std::collections::HashMap;

use crate::types::Spot;

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
    /// Number of the job.
    pub job: u16,
    /// The worker that ran it.
    pub worker: usize,
    /// Its priority.
    pub priority: i32,
    /// Step of the outermost loop of the algorithm that it belongs to.
    pub iteration: u32,
    /// Where what it works on lies in its grid: the first datum with a place that it writes, or
    /// else the last that it reads.
    pub spot: Option<Spot>,
    /// Of the tasks that it waited for the one that ended last: its position in the program plus
    /// one; 0: there was none, or the engine does not say. Where it was ready as soon as the
    /// program submitted it, those are the tasks that the program itself had waited for.
    pub after: u64,
    /// Start, in nanoseconds since the engine was made.
    pub start: u64,
    /// End, likewise.
    pub end: u64,
    /// How it ended.
    pub outcome: Outcome,
}

impl TaskRecord {
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
    /// One record per message between ranks, in any order.
    pub messages: Vec<MessageRecord>,
    /// When messages were dealt with, in any order.
    pub polls: Vec<PollRecord>,
    /// The scheduling contexts, if there were any.
    pub contexts: ContextRecords,
    /// When the engine was made, in nanoseconds on the clock that its rank compares with those of
    /// others.
    pub origin: u64,
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
    /// For each worker the number of its rank; empty: there is one rank.
    pub ranks: Vec<usize>,
    /// For each rank how far its times may be off those of rank 0, in nanoseconds; empty: there is
    /// one rank.
    pub uncertainties: Vec<u64>,
}

impl Site {
    /// `workers` cores that share one memory.
    #[must_use]
    pub fn cores(workers: usize) -> Self {
        Self {
            workers: (0..workers).map(|number| format!("worker {number}")).collect(),
            classes: vec!["cpu".to_owned(); workers],
            ..Self::default()
        }
    }

    /// Number of ranks, at least 1.
    #[must_use]
    pub fn rank_count(&self) -> usize {
        self.uncertainties.len().max(1)
    }

    /// Number of the rank of `worker`.
    #[must_use]
    pub fn rank_of(&self, worker: usize) -> usize {
        self.ranks.get(worker).copied().unwrap_or(0)
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
    /// One record per message between ranks, in the order in which they began to move.
    pub messages: Vec<MessageRecord>,
    /// When messages were dealt with, in order of time.
    pub polls: Vec<PollRecord>,
    /// The scheduling contexts, if there were any.
    pub contexts: ContextRecords,
    /// Workers and memories.
    pub site: Site,
    /// Number of workers.
    pub workers: usize,
    /// Names of the phases, by number.
    pub phases: Vec<&'static str>,
    /// What was run: keys and values, in an order that suits a reader; empty if nobody said.
    pub about: Vec<(String, String)>,
    /// When its clock starts, in nanoseconds on the clock of its rank; 0 if that does not matter
    /// any more.
    pub origin: u64,
}

impl Trace {
    /// A trace of `records` on `site`, whose clock starts with the first of them.
    #[must_use]
    pub fn new(records: Records, site: Site, phases: &[&'static str]) -> Self {
        let Records { tasks, transfers, samples, messages, mut polls, contexts, origin: made } =
            records;
        let starts = tasks.iter().map(|task| task.start);
        let starts = starts.chain(transfers.iter().map(|transfer| transfer.start));
        let origin = starts.chain(messages.iter().map(MessageRecord::ready)).min().unwrap_or(0);
        polls.retain(|poll| poll.end > origin);
        let workers = site.workers.len();
        let (phases, about) = (phases.to_vec(), Vec::new());
        let mut trace = Self {
            records: tasks,
            transfers,
            samples,
            messages,
            polls,
            contexts,
            site,
            workers,
            phases,
            about,
            origin: made + origin,
        };
        trace.map_times(|time| time.saturating_sub(origin));
        trace.records.sort_unstable_by_key(|record| (record.start, record.worker, record.task));
        trace.transfers.sort_unstable_by_key(|record| (record.start, record.dst, record.handle));
        trace.samples.sort_by_key(|sample| sample.time);
        trace.messages.sort_by_key(|m| (m.start(), m.from, m.to, m.datum, m.version));
        trace.polls.sort_unstable_by_key(|poll| (poll.start, poll.rank, poll.end));
        trace
    }

    /// Replaces every time by what `map` makes of it.
    pub(crate) fn map_times(&mut self, map: impl Fn(u64) -> u64) {
        for record in &mut self.records {
            (record.start, record.end) = (map(record.start), map(record.end));
        }
        for transfer in &mut self.transfers {
            (transfer.start, transfer.end) = (map(transfer.start), map(transfer.end));
        }
        self.samples.iter_mut().for_each(|sample| sample.time = map(sample.time));
        self.contexts.resizes.iter_mut().for_each(|resize| resize.time = map(resize.time));
        for message in &mut self.messages {
            for passage in [&mut message.sent, &mut message.received].into_iter().flatten() {
                *passage = passage.map(&map);
            }
        }
        for poll in &mut self.polls {
            (poll.start, poll.end) = (map(poll.start), map(poll.end));
        }
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

    /// End of the last task, transfer or message, in nanoseconds.
    #[must_use]
    pub fn span(&self) -> u64 {
        let ends = self.transfers.iter().map(|transfer| transfer.end);
        let last = ends.chain(self.messages.iter().map(MessageRecord::end)).max();
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

    /// Names of the codelets in the order in which they first ran, and for each record the position
    /// of its own.
    #[must_use]
    pub fn codelets(&self) -> (Vec<&'static str>, Vec<usize>) {
        let mut names = Vec::new();
        let mut places = HashMap::new();
        let mut place = |name| {
            *places.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let of = self.records.iter().map(|record| place(record.codelet)).collect();
        (names, of)
    }

    /// Names of the classes in the order of their first workers, and for each worker the position
    /// of its own.
    #[must_use]
    pub fn classes(&self) -> (Vec<String>, Vec<usize>) {
        let mut names: Vec<String> = Vec::new();
        let mut of = Vec::with_capacity(self.workers);
        for worker in 0..self.workers {
            let name = self.class_of(worker);
            let known = names.iter().position(|other| other == name);
            of.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(name.to_owned());
            }
        }
        (names, of)
    }

    /// Number of ranks that workers and messages name, at least 1.
    #[must_use]
    pub fn rank_count(&self) -> usize {
        let named = self.messages.iter().map(|message| 1 + message.from.max(message.to)).max();
        self.site.rank_count().max(named.unwrap_or(1))
    }
}

#[cfg(test)]
mod tests;
