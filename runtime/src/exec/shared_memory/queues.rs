//! The shards of a queue policy, each behind a lock of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::flow::{Space, task_view};
use crate::sched::{Place, QueuePolicy, Shard, share, successor};
use crate::sync::Padded;
use crate::types::WorkerId;

/// Ready tasks, spread as a policy says.
pub(super) struct Queues {
    policy: Box<dyn QueuePolicy>,
    shards: Vec<Padded<Locked>>,
    /// Small tasks that the submitter has not spread over the shards yet.
    outbox: Padded<Outbox>,
    workers: usize,
}

/// Tasks with their places, to be looked at without the lock like a shard.
#[derive(Default)]
struct Outbox {
    length: AtomicUsize,
    tasks: Mutex<Vec<Routed>>,
}

/// Tasks that the outbox holds at most.
const OUTBOX: usize = 32;

#[derive(Default)]
struct Locked {
    /// Length of the shard as of the last change, to look at without the lock.
    length: AtomicUsize,
    shard: Mutex<Shard<Entry>>,
}

/// A task on its way into a shard.
pub(super) type Routed = (Entry, Place);

/// A task in a shard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    task: u32,
    /// Whether it takes so little time that handing out tasks one by one would cost more.
    is_small: bool,
}

impl Locked {
    fn lock(&self) -> MutexGuard<'_, Shard<Entry>> {
        self.shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.length.load(Ordering::Relaxed) == 0
    }

    fn note_length(&self, shard: &Shard<Entry>) {
        self.length.store(shard.len(), Ordering::Relaxed);
    }
}

impl Queues {
    pub(super) fn new(policy: Box<dyn QueuePolicy>, workers: usize) -> Self {
        let shards = (0..policy.shards()).map(|_| Padded::default()).collect();
        Self { policy, shards, outbox: Padded::default(), workers }
    }

    /// Adds `tasks`, made ready by worker `by`. `routed` is empty before and after.
    pub(super) fn push(
        &self,
        space: &Space,
        tasks: &[u32],
        by: WorkerId,
        routed: &mut Vec<Routed>,
    ) {
        routed.extend(tasks.iter().map(|&task| self.entry(space, task, Some(by))));
        self.insert_all(routed);
    }

    /// Adds a task that was ready when it was submitted. Small ones gather in the outbox, so that
    /// the submitter does not fight for the shards over each; it empties the outbox when that is
    /// full or when it submits no more, and a worker that has searched the shards for a while does.
    pub(super) fn submit(&self, space: &Space, task: u32) {
        let (entry, place) = self.entry(space, task, None);
        if !entry.is_small {
            self.insert(entry, place);
            return;
        }
        let mut outbox = self.lock_outbox();
        outbox.push((entry, place));
        if outbox.len() == OUTBOX {
            self.spread(outbox);
        } else {
            self.outbox.0.length.store(outbox.len(), Ordering::Relaxed);
        }
    }

    /// Adds a task that a message has made ready.
    pub(super) fn arrive(&self, space: &Space, task: u32) {
        let (entry, place) = self.entry(space, task, None);
        self.insert(entry, place);
    }

    /// Spreads what is in the outbox over the shards.
    pub(super) fn empty_outbox(&self) {
        if self.has_outbox() {
            self.spread(self.lock_outbox());
        }
    }

    /// The tasks enter the shards before the outbox looks empty, so that no worker misses them.
    fn spread(&self, mut outbox: MutexGuard<'_, Vec<Routed>>) {
        self.insert_all(&mut outbox);
        self.outbox.0.length.store(0, Ordering::Release);
    }

    /// Moves all of `routed` into the shards, each of which is locked once.
    fn insert_all(&self, routed: &mut Vec<Routed>) {
        routed.sort_by_key(|(_, place)| place.shard);
        for group in routed.chunk_by(|(_, a), (_, b)| a.shard == b.shard) {
            let locked = &self.shards[group[0].1.shard].0;
            let mut queue = locked.lock();
            group.iter().for_each(|&(entry, place)| queue.push(entry, place.key));
            locked.note_length(&queue);
        }
        routed.clear();
    }

    fn lock_outbox(&self) -> MutexGuard<'_, Vec<Routed>> {
        self.outbox.0.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, space: &Space, task: u32, by: Option<WorkerId>) -> Routed {
        let is_small = space.task(task).cost().is_small();
        (Entry { task, is_small }, self.policy.route(&task_view(space, task), by))
    }

    fn insert(&self, entry: Entry, place: Place) {
        let locked = &self.shards[place.shard].0;
        let mut queue = locked.lock();
        queue.push(entry, place.key);
        locked.note_length(&queue);
    }

    /// Adds the tasks that worker `me` has just made ready, except the one that it goes on with;
    /// returns that one, and whether any was added. `routed` is empty before and after.
    pub(super) fn release(
        &self,
        space: &Space,
        ready: &[u32],
        me: WorkerId,
        routed: &mut Vec<Routed>,
    ) -> (Option<u32>, bool) {
        let own = &self.shards[self.policy.sources(me)[0]].0;
        let keeps = self.policy.keeps_successor();
        if keeps && ready.len() == 1 && own.is_empty() {
            return (Some(ready[0]), false);
        }
        routed.extend(ready.iter().map(|&task| self.entry(space, task, Some(me))));
        let kept = if keeps {
            let keys = routed.iter().map(|(_, place)| place.key);
            let waiting = || if own.is_empty() { None } else { own.lock().first_key() };
            successor(keys, waiting).map(|best| routed.swap_remove(best).0.task)
        } else {
            None
        };
        let any = !routed.is_empty();
        self.insert_all(routed);
        (kept, any)
    }

    /// The next task for worker `me`; where many small ones wait, some more go along to `stock`,
    /// the next one last.
    pub(super) fn pop(&self, me: WorkerId, stock: &mut Vec<u32>) -> Option<u32> {
        for &source in self.policy.sources(me) {
            let locked = &self.shards[source].0;
            if locked.is_empty() {
                continue;
            }
            let mut queue = locked.lock();
            let Some(entry) = queue.pop() else { continue };
            if entry.is_small {
                for _ in 0..share(queue.len(), self.workers) {
                    if queue.first().is_some_and(|entry| entry.is_small) {
                        stock.extend(queue.pop().map(|entry| entry.task));
                    }
                }
                stock.reverse();
            }
            locked.note_length(&queue);
            return Some(entry.task);
        }
        None
    }

    /// Whether there seems to be a task in the shards that worker `me` takes from.
    pub(super) fn has_task_for(&self, me: WorkerId) -> bool {
        self.policy.sources(me).iter().any(|&source| !self.shards[source].0.is_empty())
    }

    /// Whether there seems to be a task in the outbox.
    pub(super) fn has_outbox(&self) -> bool {
        self.outbox.0.length.load(Ordering::Acquire) > 0
    }

    /// Whether any worker may take any task.
    pub(super) fn are_shared(&self) -> bool {
        self.policy.is_work_conserving()
    }

    /// Whether there seems to be any task.
    pub(super) fn has_tasks(&self) -> bool {
        self.has_outbox() || self.shards.iter().any(|shard| !shard.0.is_empty())
    }
}
