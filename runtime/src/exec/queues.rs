//! The shards of a queue policy, each behind a lock of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::flow::{Padded, Space, task_view};
use crate::sched::{Key, Place, QueuePolicy, Shard, WorkerId, loot};

/// Ready tasks, spread as a policy says.
pub(super) struct Queues {
    policy: Box<dyn QueuePolicy>,
    shards: Vec<Padded<Locked>>,
}

#[derive(Default)]
struct Locked {
    /// Length of the shard as of the last change, to look at without the lock.
    length: AtomicUsize,
    shard: Mutex<Shard>,
}

impl Locked {
    fn lock(&self) -> MutexGuard<'_, Shard> {
        self.shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.length.load(Ordering::Relaxed) == 0
    }

    fn note_length(&self, shard: &Shard) {
        self.length.store(shard.len(), Ordering::Relaxed);
    }
}

impl Queues {
    pub(super) fn new(policy: Box<dyn QueuePolicy>) -> Self {
        let shards = (0..policy.shards()).map(|_| Padded::default()).collect();
        Self { policy, shards }
    }

    /// Adds `tasks`, made ready by worker `by`.
    pub(super) fn push(&self, space: &Space, tasks: &[u32], by: Option<WorkerId>) {
        for &task in tasks {
            let Place { shard, key } = self.policy.route(&task_view(space, task), by);
            self.insert(shard, &[(task, key)]);
        }
    }

    fn insert(&self, shard: usize, tasks: &[(u32, Key)]) {
        let locked = &self.shards[shard].0;
        let mut queue = locked.lock();
        tasks.iter().for_each(|&(task, key)| queue.push(task, key));
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
        self.push(space, ready, Some(me));
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

    /// The next task for worker `me`. From a shard that is not its first source it takes some
    /// more along, if there are many, into the first, and says so by calling `moved`.
    pub(super) fn pop(&self, me: WorkerId, moved: impl FnOnce()) -> Option<u32> {
        let sources = self.policy.sources(me);
        for &source in sources {
            let locked = &self.shards[source].0;
            if locked.is_empty() {
                continue;
            }
            let mut queue = locked.lock();
            let Some((task, _)) = queue.pop() else { continue };
            if source == sources[0] {
                locked.note_length(&queue);
                return Some(task);
            }
            let along = loot(queue.len());
            let along: Vec<(u32, Key)> = (0..along).map_while(|_| queue.pop()).collect();
            locked.note_length(&queue);
            drop(queue);
            if !along.is_empty() {
                self.insert(sources[0], &along);
                moved();
            }
            return Some(task);
        }
        None
    }

    /// Whether there seems to be a task that worker `me` may take.
    pub(super) fn has_task_for(&self, me: WorkerId) -> bool {
        self.policy.sources(me).iter().any(|&source| !self.shards[source].0.is_empty())
    }

    /// Whether any worker may take any task.
    pub(super) fn are_shared(&self) -> bool {
        self.policy.is_work_conserving()
    }

    /// Whether there seems to be any task.
    pub(super) fn has_tasks(&self) -> bool {
        self.shards.iter().any(|shard| !shard.0.is_empty())
    }
}
