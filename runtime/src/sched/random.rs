//! A queue per worker; each task goes to one drawn at random and stays there.

use super::{Build, Key, Place, Policy, PolicyOptions, QueuePolicy, TaskView, WorkerId};
use crate::random::mix;

pub(super) const POLICY: Policy = Policy {
    name: "random",
    summary: "each task to a worker drawn at random, no stealing",
    build: Build::Queue(|options| Box::new(Random::new(options))),
    eviction: "lru",
};

struct Random {
    seed: u64,
    sources: Vec<usize>,
}

impl Random {
    fn new(options: &PolicyOptions) -> Self {
        Self { seed: options.seed, sources: (0..options.workers).collect() }
    }
}

impl QueuePolicy for Random {
    fn shards(&self) -> usize {
        self.sources.len()
    }

    fn route(&self, task: &TaskView, _by: Option<WorkerId>) -> Place {
        let draw = mix(self.seed ^ mix(task.index));
        let shard = ((u128::from(draw) * self.sources.len() as u128) >> 64) as usize;
        Place { shard, key: Key::by_priority(task) }
    }

    fn sources(&self, worker: WorkerId) -> &[usize] {
        std::slice::from_ref(&self.sources[worker.0])
    }

    fn is_work_conserving(&self) -> bool {
        false
    }
}
