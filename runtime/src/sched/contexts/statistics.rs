//! What is counted of a context, by class of workers: since it began, and in the window of time
//! from which its speed is taken.

use crate::types::ClassId;

/// What workers of one class did for one context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Tasks.
    pub tasks: u64,
    /// Their operations.
    pub flops: f64,
    /// Nanoseconds that they took.
    pub busy: u64,
}

impl Work {
    fn add(&mut self, flops: f64, busy: u64) {
        self.tasks += 1;
        self.flops += flops;
        self.busy += busy;
    }
}

/// What is counted of a context.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// When its first task was handed over; none: none was yet.
    pub began: Option<u64>,
    /// Tasks that were handed over.
    pub submitted: u64,
    /// Tasks that were given to workers.
    pub committed: u64,
    /// Bytes of its data that were moved between memories.
    pub bytes: u64,
    /// By class, since the beginning.
    pub all: Vec<Work>,
    /// By class, since [`window_start`](Self::window_start).
    pub window: Vec<Work>,
    /// When the window began.
    pub window_start: u64,
    /// By class, operations and expected nanoseconds of tasks that were done anywhere and could
    /// have run there: what the class would have made of them.
    expected: Vec<(f64, u64)>,
}

impl Statistics {
    /// Of a context on a machine with `classes` classes of workers.
    pub(super) fn new(classes: usize) -> Self {
        Self {
            began: None,
            submitted: 0,
            committed: 0,
            bytes: 0,
            all: vec![Work::default(); classes],
            window: vec![Work::default(); classes],
            window_start: 0,
            expected: vec![(0.0, 0); classes],
        }
    }

    /// Counts a task of `flops` operations that a worker of `class` ran for `busy` nanoseconds, and
    /// that is expected to take `nanoseconds` on each class (`u64::MAX`: it does not run there).
    pub(super) fn count(&mut self, class: ClassId, flops: f64, busy: u64, nanoseconds: &[u64]) {
        self.all[class.0].add(flops, busy);
        self.window[class.0].add(flops, busy);
        for ((all_flops, all), &time) in self.expected.iter_mut().zip(nanoseconds) {
            if time != u64::MAX {
                (*all_flops, *all) = (*all_flops + flops, *all + time);
            }
        }
    }

    /// Begins a window at `now`.
    pub(super) fn open_window(&mut self, now: u64) {
        self.window.fill(Work::default());
        self.window_start = now;
    }

    /// Tasks done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.all.iter().map(|work| work.tasks).sum()
    }

    /// Operations done.
    #[must_use]
    pub fn flops(&self) -> f64 {
        self.all.iter().map(|work| work.flops).sum()
    }

    /// Tasks done in the window.
    #[must_use]
    pub fn window_tasks(&self) -> u64 {
        self.window.iter().map(|work| work.tasks).sum()
    }

    /// Operations per second in the window, which ends now.
    #[must_use]
    pub fn observed(&self, now: u64) -> f64 {
        let flops: f64 = self.window.iter().map(|work| work.flops).sum();
        flops * 1e9 / (now - self.window_start).max(1) as f64
    }

    /// Operations per second of a worker of `class` while it runs tasks of this context: of the
    /// window, else of the whole run, else what it is expected to do on tasks such as were done.
    #[must_use]
    pub fn speed(&self, class: ClassId) -> Option<f64> {
        let of = |flops: f64, nanoseconds: u64| {
            (nanoseconds > 0 && flops > 0.0).then(|| flops * 1e9 / nanoseconds as f64)
        };
        let measured = |work: &Work| of(work.flops, work.busy);
        let (flops, nanoseconds) = self.expected[class.0];
        measured(&self.window[class.0])
            .or_else(|| measured(&self.all[class.0]))
            .or_else(|| of(flops, nanoseconds))
    }
}
