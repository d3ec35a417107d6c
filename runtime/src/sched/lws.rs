//! Locality work stealing: a queue per worker in order of priority; idle workers steal from their
//! neighbours.
//!
//! A task goes to the worker that made it ready, whose cache holds what it reads; one that is
//! ready when submitted goes to the worker that last wrote what it writes, else around in turn.

use super::{Build, Key, Place, Policy, PolicyOptions, QueuePolicy, TaskView, WorkerId};

pub(super) const POLICY: Policy = Policy {
    name: "lws",
    summary: "a queue per worker by priority; idle workers steal from their neighbours",
    build: Build::Queue(|options| Box::new(Lws::new(options))),
    eviction: "lru",
};

struct Lws {
    /// For each worker its own shard, then those of its neighbours at growing distance.
    sources: Vec<Vec<usize>>,
}

impl Lws {
    fn new(options: &PolicyOptions) -> Self {
        let workers = options.workers;
        let around = |worker| (0..workers).map(|step| (worker + step) % workers).collect();
        Self { sources: (0..workers).map(around).collect() }
    }
}

impl QueuePolicy for Lws {
    fn shards(&self) -> usize {
        self.sources.len()
    }

    fn route(&self, task: &TaskView, by: Option<WorkerId>) -> Place {
        let in_turn = || (task.index / TURN % self.sources.len() as u64) as usize;
        let shard = by.or(task.home).map_or_else(in_turn, |worker| worker.0);
        Place { shard, key: Key::by_priority(task) }
    }

    fn sources(&self, worker: WorkerId) -> &[usize] {
        &self.sources[worker.0]
    }

    fn keeps_successor(&self) -> bool {
        true
    }
}

/// Tasks in a row that go to the same worker when nothing else decides.
const TURN: u64 = 4;
