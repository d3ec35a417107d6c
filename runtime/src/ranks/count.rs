//! Messages and bytes of a program under an owner map, without running it.

use std::collections::HashMap;

use super::program::{Change, Step};
use super::{Directory, Move, Owners, Program, Rank};

/// Versions that were sent, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Versions of data, each counted once for every rank that received it.
    pub messages: u64,
    /// Bytes of them all.
    pub bytes: u64,
}

impl Traffic {
    pub(super) fn count(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// What a program sends over `ranks` ranks, and what each of them sends: exactly what a flow sends
/// in which nothing fails.
#[must_use]
pub fn count(program: &Program, ranks: usize, owners: &dyn Owners) -> (Traffic, Vec<Traffic>) {
    let (mut all, mut each) = (Traffic::default(), vec![Traffic::default(); ranks]);
    each_message(program, ranks, owners, |from, _, bytes| {
        all.count(bytes);
        each[usize::from(from.0)].count(bytes);
    });
    (all, each)
}

/// Tells `sent` of each version that a program sends over `ranks` ranks: who sends it, who receives
/// it, and its bytes.
pub fn each_message(
    program: &Program,
    ranks: usize,
    owners: &dyn Owners,
    mut sent: impl FnMut(Rank, Rank, u64),
) {
    let mut directory = Directory::new(None, ranks);
    let mut bytes_of = HashMap::new();
    let mut moves = Vec::new();
    let mut is_presumed = false;
    for step in program.steps() {
        match step {
            Step::Task(accesses) => {
                directory.submit(accesses, directory.runner(accesses), &mut moves);
            }
            Step::Change(change) => {
                match change {
                    Change::Register { handle, bytes, .. } => {
                        bytes_of.insert(handle.index, bytes as u64);
                    }
                    Change::Presume(is_so) => is_presumed = is_so,
                    _ => {}
                }
                directory.apply(change, owners, &mut moves);
            }
        }
        for step in moves.drain(..).filter(|_| !is_presumed) {
            if let Move::Message { datum, from, to, .. } | Move::Share { datum, from, to, .. } =
                step
            {
                sent(from, to, bytes_of[&datum]);
            }
        }
    }
}
