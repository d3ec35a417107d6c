//! How idle workers wait: they search a while, then sleep, and no wake-up is lost.
//!
//! A worker without work is *searching* (it looks into the shards again and again) or *asleep*.
//! Who publishes a task wakes a sleeper only if nobody is searching; a searcher that finds a task
//! and was the last one wakes the next, if there is more. Two orders matter. A publisher makes the
//! task visible, then reads the counters; a worker about to sleep changes the counters, then looks
//! for tasks once more: so at least one of them sees the other. And who wakes a sleeper counts it
//! as searching at once, so that the next publisher does not wake it again.

use crate::sync::{AtomicUsize, Condvar, Mutex, Ordering, fence, lock};

/// Counts of idle workers and the place where they sleep.
#[derive(Debug)]
pub(super) struct Sleep {
    searching: AtomicUsize,
    asleep: AtomicUsize,
    /// Wake-ups that were granted and not yet taken.
    granted: Mutex<usize>,
    wake: Condvar,
}

impl Sleep {
    pub(super) fn new() -> Self {
        Self {
            searching: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            granted: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// The calling worker has no work and begins to search.
    pub(super) fn begin_search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// The calling worker stops searching; true if nobody searches any more, so that the caller
    /// must [`publish`](Self::publish) if it sees more tasks.
    pub(super) fn end_search(&self) -> bool {
        let last = self.searching.fetch_sub(1, Ordering::SeqCst) == 1;
        fence(Ordering::SeqCst);
        last
    }

    /// The searching caller sleeps until it is woken or `has_reason` finds a reason to stay up,
    /// which it looks for before it sleeps and whenever it is stirred; it is searching again
    /// afterwards.
    ///
    /// Any sleeper may take a wake-up that was granted, even one that another thread was notified
    /// of; so whoever waits for something special must find it with `has_reason`.
    pub(super) fn sleep(&self, has_reason: impl Fn() -> bool) {
        let mut granted = lock(&self.granted);
        self.asleep.fetch_add(1, Ordering::SeqCst);
        self.searching.fetch_sub(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        while *granted == 0 {
            if has_reason() {
                self.asleep.fetch_sub(1, Ordering::SeqCst);
                self.searching.fetch_add(1, Ordering::SeqCst);
                return;
            }
            granted = self.wake.wait(granted).unwrap_or_else(|poison| poison.into_inner());
        }
        *granted -= 1;
    }

    /// Tasks that any worker may take were made visible before this call: sees to it that somebody
    /// looks for them.
    pub(super) fn publish(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 && self.searching.load(Ordering::SeqCst) == 0 {
            self.grant(1);
        }
    }

    /// Whether any worker is without work.
    pub(super) fn is_anyone_idle(&self) -> bool {
        self.searching.load(Ordering::Relaxed) > 0 || self.asleep.load(Ordering::Relaxed) > 0
    }

    /// Something happened that concerns a certain worker: wakes all sleepers, since any may be it.
    pub(super) fn wake_all(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 {
            self.grant(usize::MAX);
        }
    }

    fn grant(&self, most: usize) {
        let mut granted = lock(&self.granted);
        let woken = self.asleep.load(Ordering::SeqCst).min(most);
        if woken == 0 {
            return;
        }
        self.asleep.fetch_sub(woken, Ordering::SeqCst);
        self.searching.fetch_add(woken, Ordering::SeqCst);
        *granted += woken;
        if most == 1 {
            self.wake.notify_one();
        } else {
            self.wake.notify_all();
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize as Count};

    use super::*;

    /// Takes a task if there is one.
    fn take(tasks: &Count) -> bool {
        let taken = |left: usize| left.checked_sub(1);
        tasks.fetch_update(Ordering::AcqRel, Ordering::Acquire, taken).is_ok()
    }

    /// What an idle worker does, its search cut to one look.
    fn idle(sleep: &Sleep, over: impl Fn() -> bool, found: impl Fn() -> bool) {
        sleep.begin_search();
        while !found() && !over() {
            sleep.sleep(|| over() || found());
        }
        if sleep.end_search() && found() {
            sleep.publish();
        }
    }

    /// Two tasks are published while two workers fall asleep: both tasks are taken, and all end
    /// when told to. Loom reports a lost wake-up as a deadlock.
    #[test]
    fn no_published_task_is_slept_through() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let sleep = Arc::new(Sleep::new());
            let tasks = Arc::new(Count::new(0));
            let left = Arc::new(Count::new(2));
            let workers: Vec<_> = (0..2)
                .map(|_| {
                    let (sleep, tasks, left) = (sleep.clone(), tasks.clone(), left.clone());
                    loom::thread::spawn(move || {
                        let over = || left.load(Ordering::SeqCst) == 0;
                        while !over() {
                            if take(&tasks) {
                                if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                                    sleep.wake_all();
                                }
                            } else {
                                idle(&sleep, over, || tasks.load(Ordering::SeqCst) > 0);
                            }
                        }
                    })
                })
                .collect();
            for _ in 0..2 {
                tasks.fetch_add(1, Ordering::SeqCst);
                sleep.publish();
            }
            workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
        });
    }

    /// A worker completes the last task while the submitter falls asleep waiting for it, and goes
    /// idle itself: the submitter wakes up, whoever takes the wake-up that was granted.
    #[test]
    fn the_waiter_is_woken_by_the_last_task() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let sleep = Arc::new(Sleep::new());
            let done = Arc::new(AtomicBool::new(false));
            let stop = Arc::new(AtomicBool::new(false));
            let worker = {
                let (sleep, done, stop) = (sleep.clone(), done.clone(), stop.clone());
                loom::thread::spawn(move || {
                    done.store(true, Ordering::SeqCst);
                    sleep.wake_all();
                    idle(&sleep, || stop.load(Ordering::SeqCst), || false);
                })
            };
            idle(&sleep, || done.load(Ordering::SeqCst), || false);
            stop.store(true, Ordering::SeqCst);
            sleep.wake_all();
            worker.join().expect("no panic");
        });
    }
}
