//! Dependency edges: the lock-free list of successors of a task.
//!
//! An edge lives in the slot of its *successor*, so it needs no allocation, and is named by a
//! number from which the successor follows. One thread, the submitter, pushes; one thread, the
//! worker that completes the task, closes the list and takes what is in it. A push that comes too
//! late sees that the list is closed: the predecessor is done and there is nothing to wait for.

use crate::sync::{AtomicU32, Ordering};

/// Most predecessors that one task waits for directly; join tasks gather more.
pub(crate) const EDGES: usize = 8;

const EMPTY: u32 = u32::MAX;
const CLOSED: u32 = u32::MAX - 1;

/// Edge number `position` of the task in slot `task`.
pub(crate) fn edge_number(task: u32, position: usize) -> u32 {
    task * EDGES as u32 + position as u32
}

/// The slot of the successor that edge `number` belongs to.
pub(crate) fn edge_task(number: u32) -> u32 {
    number / EDGES as u32
}

/// The edges that one task can hang on its predecessors: the number of the next edge in the list.
#[derive(Debug)]
pub(crate) struct Edges([AtomicU32; EDGES]);

impl Edges {
    pub(crate) fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(EMPTY)))
    }

    pub(crate) fn next(&self, number: u32) -> &AtomicU32 {
        &self.0[number as usize % EDGES]
    }
}

/// The successors of one task: a list that is open until the task completes.
#[derive(Debug)]
pub(crate) struct Successors(AtomicU32);

impl Successors {
    /// A closed list: that of a task which is done.
    pub(crate) fn closed() -> Self {
        Self(AtomicU32::new(CLOSED))
    }

    /// Opens the list of a task that is about to be submitted.
    pub(crate) fn open(&self) {
        self.0.store(EMPTY, Ordering::Relaxed);
    }

    /// Whether the task has completed; what it wrote is then visible.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }

    /// Hangs the edge `number`, whose link is `next`, on the list; false if the list is closed.
    pub(crate) fn push(&self, number: u32, next: &AtomicU32) -> bool {
        let mut head = self.0.load(Ordering::Acquire);
        loop {
            if head == CLOSED {
                return false;
            }
            next.store(head, Ordering::Relaxed);
            match self.0.compare_exchange(head, number, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => head = now,
            }
        }
    }

    /// Closes the list and calls `each` with the numbers of its edges, the newest first.
    ///
    /// `next` finds the link of an edge; it is read before `each` is called, since `each` may let
    /// the successor run, end, and have its slot used again.
    pub(crate) fn close<'a>(&self, next: impl Fn(u32) -> &'a AtomicU32, mut each: impl FnMut(u32)) {
        let mut edge = self.0.swap(CLOSED, Ordering::AcqRel);
        while edge != EMPTY {
            debug_assert_ne!(edge, CLOSED, "a task completed twice");
            let following = next(edge).load(Ordering::Relaxed);
            each(edge);
            edge = following;
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;

    use super::*;

    struct Shared {
        first: Successors,
        second: Successors,
        edges: Edges,
        pending: AtomicU32,
        /// What the predecessors wrote, without synchronisation of its own.
        data: [AtomicU32; 2],
        runs: AtomicU32,
    }

    const BIAS: u32 = 1 << 30;

    impl Shared {
        fn complete(&self, which: usize) {
            self.data[which].store(1, Ordering::Relaxed);
            let list = if which == 0 { &self.first } else { &self.second };
            list.close(
                |edge| self.edges.next(edge),
                |_| {
                    if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
                        self.run();
                    }
                },
            );
        }

        fn run(&self) {
            let seen = self.data.iter().map(|data| data.load(Ordering::Relaxed)).sum::<u32>();
            assert_eq!(seen, 2, "a predecessor's writes are not visible");
            self.runs.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One task is hung on two predecessors while both complete on other threads: it runs exactly
    /// once, after both, and sees what they wrote.
    #[test]
    fn a_successor_runs_once_and_sees_its_predecessors() {
        loom::model(|| {
            let shared = Arc::new(Shared {
                first: Successors::closed(),
                second: Successors::closed(),
                edges: Edges::new(),
                pending: AtomicU32::new(BIAS),
                data: [AtomicU32::new(0), AtomicU32::new(0)],
                runs: AtomicU32::new(0),
            });
            shared.first.open();
            shared.second.open();
            let workers: Vec<_> = (0..2)
                .map(|which| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || shared.complete(which))
                })
                .collect();
            let mut hung = 0;
            for list in [&shared.first, &shared.second] {
                let edge = edge_number(0, hung as usize);
                hung += u32::from(list.push(edge, shared.edges.next(edge)));
            }
            if hung == 0 || shared.pending.fetch_sub(BIAS - hung, Ordering::AcqRel) == BIAS - hung {
                shared.run();
            }
            workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
            assert_eq!(shared.runs.load(Ordering::Relaxed), 1);
        });
    }
}
