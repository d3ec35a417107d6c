//! One queue for all workers, first come first served.

use super::{Build, Key, Place, Policy, QueuePolicy, TaskView, WorkerId};

pub(super) const POLICY: Policy = Policy {
    name: "eager",
    summary: "one queue for all, first ready first run",
    build: Build::Queue(|_| Box::new(Eager)),
    eviction: "lru",
};

struct Eager;

impl QueuePolicy for Eager {
    fn shards(&self) -> usize {
        1
    }

    fn route(&self, _task: &TaskView, _by: Option<WorkerId>) -> Place {
        Place { shard: 0, key: Key::EQUAL }
    }

    fn sources(&self, _worker: WorkerId) -> &[usize] {
        &[0]
    }
}
