//! The shards of a queue policy, each behind a lock of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::flow::{Padded, Space, task_view};
use crate::sched::{Place, QueuePolicy, Shard, WorkerId, share};

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
    tasks: Mutex<Vec<(Entry, Place)>>,
}

/// Tasks that the outbox holds at most.
const OUTBOX: usize = 16;

#[derive(Default)]
struct Locked {
    /// Length of the shard as of the last change, to look at without the lock.
    length: AtomicUsize,
    shard: Mutex<Shard<Entry>>,
}

/// A task in a shard.
#[derive(Clone, Copy, Debug)]
struct Entry {
    task: u32,
    /// Whether it takes so little time that handing out tasks one by one would cost more.
    is_small: bool,
}

/// Operations, or bytes, of a task up to which it is small: a few microseconds.
const SMALL: f64 = 20_000.0;

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

    /// Adds `tasks`, made ready by worker `by`.
    pub(super) fn push(&self, space: &Space, tasks: &[u32], by: WorkerId) {
        for &task in tasks {
            let (entry, place) = self.entry(space, task, Some(by));
            self.insert(entry, place);
        }
    }

    /// Adds a task that was ready when it was submitted. Small ones gather in the outbox, so that
    /// the submitter does not fight for the shards over each; a worker that finds nothing
    /// elsewhere looks there.
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

    /// Spreads what is in the outbox over the shards.
    pub(super) fn empty_outbox(&self) {
        if self.outbox.0.length.load(Ordering::Acquire) > 0 {
            self.spread(self.lock_outbox());
        }
    }

    /// The tasks enter the shards before the outbox looks empty, so that no worker misses them.
    fn spread(&self, mut outbox: MutexGuard<'_, Vec<(Entry, Place)>>) {
        outbox.sort_by_key(|(_, place)| place.shard);
        for group in outbox.chunk_by(|(_, a), (_, b)| a.shard == b.shard) {
            let locked = &self.shards[group[0].1.shard].0;
            let mut queue = locked.lock();
            group.iter().for_each(|&(entry, place)| queue.push(entry, place.key));
            locked.note_length(&queue);
        }
        outbox.clear();
        self.outbox.0.length.store(0, Ordering::Release);
    }

    fn lock_outbox(&self) -> MutexGuard<'_, Vec<(Entry, Place)>> {
        self.outbox.0.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, space: &Space, task: u32, by: Option<WorkerId>) -> (Entry, Place) {
        let cost = space.task(task).cost();
        let is_small = cost.flops.max(cost.bytes) <= SMALL;
        (Entry { task, is_small }, self.policy.route(&task_view(space, task), by))
    }

    fn insert(&self, entry: Entry, place: Place) {
        let locked = &self.shards[place.shard].0;
        let mut queue = locked.lock();
        queue.push(entry, place.key);
        locked.note_length(&queue);
    }

    /// Adds the tasks that worker `me` has just made ready, except the one that it goes on with;
    /// returns that one, and whether any was added.
    pub(super) fn release(
        &self,
        space: &Space,
        ready: &mut Vec<u32>,
        me: WorkerId,
    ) -> (Option<u32>, bool) {
        let kept = if self.policy.keeps_successor() { self.keep(space, ready, me) } else { None };
        self.push(space, ready, me);
        (kept, !ready.is_empty())
    }

    /// Takes the best of `ready` out, unless a task in the worker's first source comes before it.
    fn keep(&self, space: &Space, ready: &mut Vec<u32>, me: WorkerId) -> Option<u32> {
        let own = self.policy.sources(me)[0];
        let key = |&task: &u32| self.policy.route(&task_view(space, task), Some(me)).key;
        let (position, best) = match ready.as_slice() {
            [] => return None,
            [_] if self.shards[own].0.is_empty() => return ready.pop(),
            [only] => (0, key(only)),
            several => {
                let keys = several.iter().map(key).enumerate();
                keys.max_by_key(|&(_, key)| key).expect("there are several")
            }
        };
        let locked = &self.shards[own].0;
        let waits = !locked.is_empty() && locked.lock().first_key() > Some(best);
        (!waits).then(|| ready.swap_remove(position))
    }

    /// The next task for worker `me`; where many small ones wait, some more go along to `stock`, the
    /// next one last.
    pub(super) fn pop(&self, me: WorkerId, stock: &mut Vec<u32>) -> Option<u32> {
        self.pop_shards(me, stock).or_else(|| {
            self.empty_outbox();
            self.pop_shards(me, stock)
        })
    }

    fn pop_shards(&self, me: WorkerId, stock: &mut Vec<u32>) -> Option<u32> {
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

    /// Whether there seems to be a task that worker `me` may take.
    pub(super) fn has_task_for(&self, me: WorkerId) -> bool {
        self.outbox.0.length.load(Ordering::Acquire) > 0
            || self.policy.sources(me).iter().any(|&source| !self.shards[source].0.is_empty())
    }

    /// Whether any worker may take any task.
    pub(super) fn are_shared(&self) -> bool {
        self.policy.is_work_conserving()
    }

    /// Whether there seems to be any task.
    pub(super) fn has_tasks(&self) -> bool {
        self.outbox.0.length.load(Ordering::Acquire) > 0
            || self.shards.iter().any(|shard| !shard.0.is_empty())
    }
}
