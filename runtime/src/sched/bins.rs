//! The shards of a queue policy where workers differ in what they can run: each shard is split by
//! the classes that can run its tasks, so that no worker looks through tasks that are not for it.

use crate::types::ClassId;

use super::{Key, Shard, TaskId, View};

/// Shards of ready tasks.
#[derive(Debug)]
pub(super) struct Bins {
    /// The sets of classes that were met: for each class, whether it can run such tasks.
    kinds: Vec<Vec<bool>>,
    /// By kind and shard.
    bins: Vec<Vec<Shard<TaskId>>>,
    shards: usize,
    arrivals: u64,
}

impl Bins {
    pub(super) fn new(shards: usize) -> Self {
        Self { kinds: Vec::new(), bins: Vec::new(), shards, arrivals: 0 }
    }

    fn kind(&mut self, task: TaskId, view: &View<'_>) -> usize {
        let can_run = |class| view.tasks.nanoseconds(task, ClassId(class)).is_some();
        let classes = 0..view.machine.classes.len();
        let is_its = |kind: &Vec<bool>| classes.clone().all(|class| kind[class] == can_run(class));
        self.kinds.iter().position(is_its).unwrap_or_else(|| {
            self.kinds.push(classes.map(can_run).collect());
            self.bins.push((0..self.shards).map(|_| Shard::default()).collect());
            self.bins.len() - 1
        })
    }

    pub(super) fn push(&mut self, shard: usize, task: TaskId, key: Key, view: &View<'_>) {
        let kind = self.kind(task, view);
        self.bins[kind][shard].push_as(self.arrivals, task, key);
        self.arrivals += 1;
    }

    /// Takes the first task of `shard` that workers of `class` can run.
    pub(super) fn pop(&mut self, shard: usize, class: ClassId) -> Option<TaskId> {
        let kinds = (0..self.bins.len()).filter(|&kind| self.kinds[kind][class.0]);
        let ranked = kinds.filter_map(|kind| Some((self.bins[kind][shard].first_rank()?, kind)));
        let (_, kind) = ranked.max()?;
        self.bins[kind][shard].pop()
    }

    /// The key of the first task of `shard`.
    pub(super) fn first_key(&self, shard: usize) -> Option<Key> {
        self.bins.iter().filter_map(|bins| bins[shard].first_key()).max()
    }
}
