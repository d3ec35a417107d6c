//! How many tiles an algorithm sends under a map of owners, counted without its tasks; of any
//! program, those of its tasks.
//!
//! The owner of a tile runs the tasks that write it. A message is one version of a tile on its way
//! to one rank, which keeps it: however many tasks read it there, it is sent once. The count is
//! that of [`count`](super::count()) over the recorded program of the same algorithm.

mod cholesky;
mod lu;
mod qr;
mod redistribution;
mod set;
mod syrk;

pub use cholesky::cholesky;
pub use lu::lu;
pub use qr::qr;
pub use redistribution::redistribution;
use set::RankSet;
pub use syrk::syrk;
use tegula_runtime::ranks::{Owners, Program, each_message};

/// Messages, by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// What each rank sends.
    pub sent: Vec<u64>,
    /// What each rank receives.
    pub received: Vec<u64>,
}

impl Messages {
    fn none(ranks: usize) -> Self {
        Self { sent: vec![0; ranks], received: vec![0; ranks] }
    }

    /// Those of a recorded program over `ranks` ranks, and their bytes.
    #[must_use]
    pub fn of(program: &Program, ranks: usize, owners: &dyn Owners) -> (Self, u64) {
        let (mut messages, mut all) = (Self::none(ranks), 0);
        each_message(program, ranks, owners, |from, to, bytes| {
            messages.pass(usize::from(from.0), usize::from(to.0));
            all += bytes;
        });
        (messages, all)
    }

    /// All messages.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sent.iter().sum()
    }

    /// Counts a version that `from` sends to each of `to` but itself.
    fn send(&mut self, from: usize, to: &RankSet) {
        to.ranks().for_each(|rank| self.pass(from, rank));
    }

    /// Counts a version that goes from one rank to another, or stays.
    fn pass(&mut self, from: usize, to: usize) {
        if from != to {
            self.sent[from] += 1;
            self.received[to] += 1;
        }
    }
}

#[cfg(test)]
mod tests;
