//! A program as the directory sees it, to be replayed under other owner maps.

use super::{Directory, Move, Owners, Rank, Spot};
use crate::flow::{Access, Handle};

/// Something that a program does and all ranks note.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change<'a> {
    /// Names a datum.
    Register {
        /// Its handle.
        handle: Handle,
        /// Its bytes.
        bytes: usize,
        /// Its place, if it has one.
        spot: Option<Spot>,
    },
    /// Submits a task with these accesses.
    Submit(&'a [(Handle, Access)]),
    /// Gives a datum another owner.
    SetOwner(Handle, Rank),
    /// Says whether shares of a reduction take something over from a datum.
    SetSeeded(Handle, bool),
    /// Ends a reduction.
    Fold(Handle),
    /// Reads a datum on every rank.
    Spread(Handle),
    /// Gives a datum its contents: on every rank (true), or on that of its owner.
    Assign(Handle, bool),
    /// Needs a datum no more.
    Discard(Handle),
    /// Needs copies of a datum no more.
    DropCopies(Handle),
}

impl Directory {
    /// Notes `change`, and appends what must happen for it to `moves`. Answers who runs it, if it is a
    /// task.
    pub fn apply(
        &mut self,
        change: &Change<'_>,
        owners: &dyn Owners,
        moves: &mut Vec<Move>,
    ) -> Option<Rank> {
        match *change {
            Change::Register { handle, spot, .. } => self.register(handle, spot, owners),
            Change::SetSeeded(handle, is_seeded) => self.set_seeded(handle, is_seeded),
            Change::Submit(accesses) => {
                let runner = self.runner(accesses);
                self.submit(accesses, runner, moves);
                return Some(runner);
            }
            Change::SetOwner(handle, owner) => self.set_owner(handle, owner),
            Change::Fold(handle) => self.fold(handle, moves),
            Change::Spread(handle) => self.spread(handle, moves),
            Change::Assign(handle, has_all) => self.assign(handle, has_all, moves),
            Change::Discard(handle) => self.discard(handle, moves),
            Change::DropCopies(handle) => self.drop_copies(handle, moves),
        }
        None
    }
}

/// What a program did, in order; see [`count`](super::count()).
#[derive(Clone, Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    accesses: Vec<(Handle, Access)>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many of the accesses.
    Submit(u8),
    Other(Change<'static>),
}

impl Program {
    /// Notes `change`.
    pub(crate) fn push(&mut self, change: &Change<'_>) {
        let step = match *change {
            Change::Submit(accesses) => {
                self.accesses.extend_from_slice(accesses);
                Step::Submit(accesses.len() as u8)
            }
            Change::Register { handle, bytes, spot } => {
                Step::Other(Change::Register { handle, bytes, spot })
            }
            Change::SetOwner(handle, owner) => Step::Other(Change::SetOwner(handle, owner)),
            Change::SetSeeded(handle, is_seeded) => {
                Step::Other(Change::SetSeeded(handle, is_seeded))
            }
            Change::Fold(handle) => Step::Other(Change::Fold(handle)),
            Change::Spread(handle) => Step::Other(Change::Spread(handle)),
            Change::Assign(handle, has_all) => Step::Other(Change::Assign(handle, has_all)),
            Change::Discard(handle) => Step::Other(Change::Discard(handle)),
            Change::DropCopies(handle) => Step::Other(Change::DropCopies(handle)),
        };
        self.steps.push(step);
    }

    /// What it did.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let mut first = 0;
        self.steps.iter().map(move |step| match *step {
            Step::Other(change) => change,
            Step::Submit(length) => {
                let accesses = &self.accesses[first..first + usize::from(length)];
                first += usize::from(length);
                Change::Submit(accesses)
            }
        })
    }

    /// Number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Submit(_))).count()
    }
}
