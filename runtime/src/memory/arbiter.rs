//! Commuting: a task takes the arbiters of all handles that it commutes on at once, or none.
//!
//! A task that would keep some while it waits for another would have others wait for what nobody
//! works on, and these again others. A task that cannot go is queued at one arbiter that is held,
//! and tries again when that one is left. So no task waits for an arbiter that is free, and no
//! tasks wait for each other.

use std::collections::VecDeque;

use crate::sync::{Guard, Mutex, lock};

/// Who may use a handle with the mode `Commute`: one task at a time, the others in a queue.
#[derive(Debug, Default)]
pub(crate) struct Arbiter(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    is_held: bool,
    waiting: VecDeque<u32>,
}

impl Arbiter {
    /// Takes all `arbiters`, `MOST` at most, which come in one order for all tasks, for `task`, or
    /// queues it at the first of them that is held; says whether they were taken.
    pub(crate) fn take_all<'a, const MOST: usize>(
        task: u32,
        arbiters: impl Iterator<Item = &'a Self>,
    ) -> bool {
        let mut free: [Option<Guard<'a, Queue>>; MOST] = [const { None }; MOST];
        for (arbiter, place) in arbiters.zip(&mut free) {
            let mut queue = lock(&arbiter.0);
            if queue.is_held {
                queue.waiting.push_back(task);
                return false;
            }
            *place = Some(queue);
        }
        free.iter_mut().flatten().for_each(|queue| queue.is_held = true);
        true
    }

    /// Leaves them. Tasks that are queued there `try_again`, which says whether they could.
    pub(crate) fn leave_all<'a>(
        arbiters: impl Iterator<Item = &'a Self> + Clone,
        mut try_again: impl FnMut(u32) -> bool,
        ready: &mut Vec<u32>,
    ) {
        for arbiter in arbiters.clone() {
            let mut queue = lock(&arbiter.0);
            debug_assert!(queue.is_held, "an arbiter was left that nobody holds");
            queue.is_held = false;
        }
        for arbiter in arbiters {
            while let Some(task) = arbiter.next() {
                if try_again(task) {
                    ready.push(task);
                }
            }
        }
    }

    /// The first task in the queue, which it leaves, unless the arbiter is held.
    fn next(&self) -> Option<u32> {
        let mut queue = lock(&self.0);
        if queue.is_held { None } else { queue.waiting.pop_front() }
    }
}

#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering};

    use super::Arbiter;

    /// Three tasks, each of which needs two of three arbiters, on threads of their own.
    struct Shared {
        arbiters: [Arbiter; 3],
        inside: [AtomicUsize; 3],
        done: AtomicUsize,
    }

    impl Shared {
        /// The two arbiters of a task, in their order.
        fn needed(task: u32) -> [usize; 2] {
            [[0, 1], [1, 2], [0, 2]][task as usize]
        }

        fn of(&self, task: u32) -> impl Iterator<Item = &Arbiter> + Clone {
            Self::needed(task).into_iter().map(|place| &self.arbiters[place])
        }

        fn run(&self, task: u32) {
            let mut ready = Vec::new();
            ready.extend(Arbiter::take_all::<2>(task, self.of(task)).then_some(task));
            while let Some(task) = ready.pop() {
                for place in Self::needed(task) {
                    assert_eq!(self.inside[place].fetch_add(1, Ordering::Relaxed), 0, "alone");
                }
                for place in Self::needed(task) {
                    self.inside[place].fetch_sub(1, Ordering::Relaxed);
                }
                self.done.fetch_add(1, Ordering::Relaxed);
                let again = |task| Arbiter::take_all::<2>(task, self.of(task));
                Arbiter::leave_all(self.of(task), again, &mut ready);
            }
        }
    }

    #[test]
    fn all_tasks_run_each_alone() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new(Shared {
                arbiters: Default::default(),
                inside: Default::default(),
                done: AtomicUsize::new(0),
            });
            let threads: Vec<_> = (1..3)
                .map(|task| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || shared.run(task))
                })
                .collect();
            shared.run(0);
            threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
            assert_eq!(shared.done.load(Ordering::Relaxed), 3, "all have run");
        });
    }
}
