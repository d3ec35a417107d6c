//! A queue per worker; each task goes to one drawn at random and stays there.

use super::{Key, Place, Policy, PolicyOptions, QueuePolicy, TaskView, WorkerId};

pub(super) const POLICY: Policy = Policy {
    name: "random",
    summary: "each task to a worker drawn at random, no stealing",
    build: |options| Box::new(Random::new(options)),
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

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a bijection that scatters its argument.
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
