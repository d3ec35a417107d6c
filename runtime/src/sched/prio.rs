//! One queue for all workers, highest priority first.

use super::{Build, Key, Place, Policy, QueuePolicy, TaskView, WorkerId};

pub(super) const POLICY: Policy = Policy {
    name: "prio",
    summary: "one queue for all, highest priority first, then program order",
    build: Build::Queue(|_| Box::new(Prio)),
    eviction: "lru",
};

struct Prio;

impl QueuePolicy for Prio {
    fn shards(&self) -> usize {
        1
    }

    fn route(&self, task: &TaskView, _by: Option<WorkerId>) -> Place {
        Place { shard: 0, key: Key::by_priority(task) }
    }

    fn sources(&self, _worker: WorkerId) -> &[usize] {
        &[0]
    }
}
