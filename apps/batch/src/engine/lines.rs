//! Transfers that share the file system: each goes as fast as the link of its node, or slower where
//! all of them together would be faster than the file system.
//!
//! All transfers have one rate at any time, so that they end in the order of what is left of them.
//! They end in whole seconds.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What is transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Transfer {
    /// A file to a node.
    Load { node: u32, file: u32 },
    /// What a job leaves.
    Output { job: u32 },
}

/// Gigabytes, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gigabytes(f64);

impl Eq for Gigabytes {}

impl PartialOrd for Gigabytes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Gigabytes {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Gigabytes that are as good as none.
const NOTHING: f64 = 1e-9;

/// The transfers under way.
#[derive(Debug)]
pub(super) struct Lines {
    link: f64,
    shared: f64,
    /// Gigabytes that a transfer would have got that began with the simulation.
    delivered: f64,
    now: i64,
    /// At which `delivered` each ends.
    queue: BinaryHeap<Reverse<(Gigabytes, u64, Transfer)>>,
    count: u64,
}

impl Lines {
    /// No transfers, over links of this rate and a file system of that of all of them together.
    pub(super) fn new(link: f64, shared: f64) -> Self {
        Self { link, shared, delivered: 0.0, now: 0, queue: BinaryHeap::new(), count: 0 }
    }

    fn rate(&self) -> f64 {
        self.link.min(self.shared / self.queue.len().max(1) as f64)
    }

    fn advance(&mut self, now: i64) {
        self.delivered += self.rate() * (now - self.now).max(0) as f64;
        self.now = now;
    }

    /// A transfer of so many gigabytes begins.
    pub(super) fn begin(&mut self, now: i64, gigabytes: f64, transfer: Transfer) {
        self.advance(now);
        self.count += 1;
        let end = Gigabytes(self.delivered + gigabytes);
        self.queue.push(Reverse((end, self.count, transfer)));
    }

    /// When the next one ends, if nothing changes before.
    pub(super) fn next(&self) -> Option<i64> {
        let Reverse((end, ..)) = self.queue.peek()?;
        let left = (end.0 - self.delivered - NOTHING).max(0.0);
        Some(self.now + (left / self.rate()).ceil() as i64)
    }

    /// The next transfer that has ended, if one has.
    pub(super) fn ended(&mut self, now: i64) -> Option<Transfer> {
        self.advance(now);
        let Reverse((end, ..)) = self.queue.peek()?;
        if end.0 > self.delivered + NOTHING {
            return None;
        }
        self.queue.pop().map(|Reverse((_, _, transfer))| transfer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Transfer};

    #[test]
    fn transfers_share_what_the_file_system_gives() {
        let of = |job| Transfer::Output { job };
        let mut lines = Lines::new(1.0, 1.5);
        // Alone at 1 GB/s, two at 0.75, three at 0.5.
        lines.begin(0, 10.0, of(1));
        assert_eq!(lines.next(), Some(10));
        lines.begin(4, 3.0, of(2));
        assert_eq!((lines.next(), lines.ended(7)), (Some(8), None));
        lines.begin(7, 0.4, of(3));
        // Job 2 has 0.75 left, job 1 3.75.
        assert_eq!((lines.next(), lines.ended(8)), (Some(8), Some(of(3))));
        assert_eq!(lines.ended(8), None);
        assert_eq!((lines.next(), lines.ended(9)), (Some(9), Some(of(2))));
        // 3.75 - 0.5 - 0.75 are left of job 1.
        assert_eq!((lines.next(), lines.ended(11), lines.ended(12)), (Some(12), None, Some(of(1))));
        assert_eq!(lines.next(), None);
    }
}
