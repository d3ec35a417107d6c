//! What bringing a datum to a site would do.

/// Some tasks.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sched) struct Tally {
    pub(in crate::sched) count: u32,
    /// Expected nanoseconds of all of them.
    pub(in crate::sched) time: u64,
}

impl Tally {
    /// Counts a task of `time` nanoseconds, or no longer.
    pub(super) fn change(&mut self, time: u64, more: bool) {
        if more {
            (self.count, self.time) = (self.count + 1, self.time + time);
        } else {
            (self.count, self.time) = (self.count - 1, self.time - time);
        }
    }
}

/// The ready tasks that read a datum and can run at a site, by what they lack there.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sched) struct Score {
    /// Nothing else: S0.
    pub(in crate::sched) alone: Tally,
    /// One more datum: S1.
    pub(in crate::sched) pairs: Tally,
    /// Whatever they lack.
    pub(in crate::sched) left: Tally,
}
