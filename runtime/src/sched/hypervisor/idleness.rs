//! How many workers a context can use, from the time that they were idle (Hugo 2014, section 4.6).
//!
//! The thesis draws the formula and does not print it. Read from the drawing: of `n` workers that
//! were idle for `t` seconds together in a period, `n - t / period` were of use.

/// The most workers that a context could use.
pub(in crate::sched) fn useful(workers: usize, idle_seconds: f64, period_seconds: f64) -> usize {
    let used = workers as f64 - idle_seconds / period_seconds;
    (used.round() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::useful;

    #[test]
    fn idle_time_counts_as_workers_that_were_not_needed() {
        assert_eq!(useful(8, 0.0, 1.0), 8);
        assert_eq!(useful(8, 3.4, 1.0), 5);
        assert_eq!(useful(8, 16.0, 2.0), 1, "one stays");
    }
}
