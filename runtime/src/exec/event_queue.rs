//! A state and the queue of events that it has not seen: threads post without ever waiting for one
//! another, and whoever has the state deals with what all have posted (flat combining).
//!
//! Who posts an event while another thread has the state leaves it to that one, which looks at the
//! list once more after it has let the state go.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::{Guard, Mutex, lock};

/// A state, and the events that it has not seen yet.
pub(super) struct EventQueue<S, E> {
    inside: Mutex<Inside<S, E>>,
    events: Mutex<Vec<E>>,
    /// Posted events, and those of them that were left to another thread. Only counted by these.
    posted: AtomicU64,
    left: AtomicU64,
}

struct Inside<S, E> {
    state: S,
    /// Room for the events that are dealt with.
    taken: Vec<E>,
}

impl<S, E> EventQueue<S, E> {
    pub(super) fn new(state: S) -> Self {
        let inside = Inside { state, taken: Vec::new() };
        let (posted, left) = Default::default();
        Self { inside: Mutex::new(inside), events: Mutex::new(Vec::new()), posted, left }
    }

    /// Notes an event that whoever has the state next deals with.
    pub(super) fn note(&self, event: E) {
        lock(&self.events).push(event);
    }

    /// Notes an event, and sees to it that somebody deals with it by `step`.
    pub(super) fn post(&self, event: E, step: impl Fn(&mut S, &mut Vec<E>)) {
        self.note(event);
        self.posted.fetch_add(1, Ordering::Relaxed);
        if !self.drain(step) {
            self.left.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many events were posted, and how many of them another thread was left with, which had
    /// the state.
    pub(super) fn conflicts(&self) -> (u64, u64) {
        (self.posted.load(Ordering::Relaxed), self.left.load(Ordering::Relaxed))
    }

    /// Waits for the state, deals with what happened so far, does `work`, and deals with what
    /// happens meanwhile.
    pub(super) fn with<T>(
        &self,
        step: impl Fn(&mut S, &mut Vec<E>),
        work: impl FnOnce(&mut S) -> T,
    ) -> T {
        let mut inside = lock(&self.inside);
        self.deal(&mut inside, &step);
        let result = work(&mut inside.state);
        drop(inside);
        self.drain(step);
        result
    }

    /// Deals with all events unless another thread is at it, which then looks once more. Says
    /// whether this one was at it.
    pub(super) fn drain(&self, step: impl Fn(&mut S, &mut Vec<E>)) -> bool {
        let mut has_dealt = false;
        while let Some(mut inside) = self.try_lock() {
            self.deal(&mut inside, &step);
            drop(inside);
            has_dealt = true;
            if lock(&self.events).is_empty() {
                break;
            }
        }
        has_dealt
    }

    fn deal(&self, inside: &mut Inside<S, E>, step: impl Fn(&mut S, &mut Vec<E>)) {
        std::mem::swap(&mut inside.taken, &mut lock(&self.events));
        step(&mut inside.state, &mut inside.taken);
        debug_assert!(inside.taken.is_empty(), "an event was not dealt with");
    }

    /// The state, unless another thread has it.
    fn try_lock(&self) -> Option<Guard<'_, Inside<S, E>>> {
        match self.inside.try_lock() {
            Ok(inside) => Some(inside),
            Err(std::sync::TryLockError::Poisoned(poison)) => Some(poison.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;

    use super::*;

    /// Adds the events up, and gives other threads a chance in between.
    fn count(state: &mut u32, events: &mut Vec<u32>) {
        loom::thread::yield_now();
        *state += events.drain(..).sum::<u32>();
    }

    /// Every event is dealt with by the time that those who post are done, whoever does it.
    #[test]
    fn no_event_stays_behind() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new(0));
            let other = queue.clone();
            let thread = loom::thread::spawn(move || {
                other.post(1, count);
                other.post(2, count);
            });
            queue.with(count, |state| *state += 4);
            queue.post(8, count);
            thread.join().unwrap();
            assert!(lock(&queue.events).is_empty(), "an event was forgotten");
            assert_eq!(lock(&queue.inside).state, 15);
            let (posted, left) = queue.conflicts();
            assert!(posted == 3 && left <= 2, "{left} of {posted}");
        });
    }
}
