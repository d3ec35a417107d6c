//! What an engine counts of a run, recorded or not.

use std::ptr;

use super::TransferRecord;

/// How long workers of a class computed tasks of a codelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The codelet.
    pub codelet: &'static str,
    /// The class, by number.
    pub class: usize,
    /// Nanoseconds of all workers together.
    pub nanoseconds: u64,
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
    /// Time of tasks by codelet and class; counted in simulations. A codelet may stand there more
    /// than once.
    pub computed: Vec<Computed>,
    /// By memory, data that tasks read and that were there, or were coming for another task, when
    /// they were given to a worker of it (or were planned for it and asked for their data); counted
    /// where there are contexts.
    pub hits: Vec<u64>,
    /// By memory, data that had to be brought for them.
    pub misses: Vec<u64>,
    /// Events of real runs, such as the end of a task, after which may be decided.
    pub events: u64,
    /// Those of them that came while another thread decided, which was left with them.
    pub conflicts: u64,
    /// Nanoseconds in which a thread of a real run decided what runs where and what moves, where
    /// there are several memories or limits of them.
    pub deciding: u64,
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
            computed: Vec::new(),
            hits: vec![0; memories],
            misses: vec![0; memories],
            events: 0,
            conflicts: 0,
            deciding: 0,
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

    /// Counts time of tasks of `codelet` on workers of `class`.
    pub(crate) fn count_computed(&mut self, codelet: &'static str, class: usize, time: u64) {
        let is_it = |known: &&mut Computed| known.class == class && ptr::eq(known.codelet, codelet);
        match self.computed.iter_mut().find(is_it) {
            Some(known) => known.nanoseconds += time,
            None => self.computed.push(Computed { codelet, class, nanoseconds: time }),
        }
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
        for (now, before) in self.computed.iter_mut().zip(&before.computed) {
            now.nanoseconds -= before.nanoseconds;
        }
        less(&mut self.hits, &before.hits);
        less(&mut self.misses, &before.misses);
        self.events -= before.events;
        self.conflicts -= before.conflicts;
        self.deciding -= before.deciding;
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
