//! A program as the directory sees it, to be replayed under other owner maps.

use super::{Directory, Move, Owners, Rank, Spot};
use crate::types::{Access, Handle};

/// Something beside tasks that a program does and all ranks note.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Names a datum.
    Register {
        /// Its handle.
        handle: Handle,
        /// Its bytes.
        bytes: usize,
        /// Its place, if it has one.
        spot: Option<Spot>,
    },
    /// Gives a datum another owner.
    SetOwner(Handle, Rank),
    /// Says whether shares of a reduction take something over from a datum.
    SetSeeded(Handle, bool),
    /// Ends a reduction.
    Fold(Handle),
    /// Reads a datum on every rank.
    Spread(Handle),
    /// Reads a datum on one rank.
    Bring(Handle, Rank),
    /// Gives a datum its contents: on every rank (true), or on that of its owner.
    Assign(Handle, bool),
    /// Needs a datum no more.
    Discard(Handle),
    /// Needs copies of a datum no more.
    DropCopies(Handle),
    /// Takes what follows for granted, or no longer: what moves then is not sent.
    Presume(bool),
}

impl Directory {
    /// Notes `change`, and appends what must happen for it to `moves`.
    pub fn apply(&mut self, change: Change, owners: &dyn Owners, moves: &mut Vec<Move>) {
        match change {
            Change::Register { handle, spot, .. } => self.register(handle, spot, owners),
            Change::SetOwner(handle, owner) => self.set_owner(handle, owner),
            Change::SetSeeded(handle, is_seeded) => self.set_seeded(handle, is_seeded),
            Change::Fold(handle) => self.end_reduction(handle, moves),
            Change::Spread(handle) => self.spread(handle, moves),
            Change::Bring(handle, to) => self.deliver(handle, to, moves),
            Change::Assign(handle, has_all) => self.assign(handle, has_all, moves),
            Change::Discard(handle) => self.discard(handle, moves),
            Change::DropCopies(handle) => self.drop_copies(handle, moves),
            Change::Presume(_) => {}
        }
    }
}

/// What a program did, in order; see [`count`](super::count()).
#[derive(Clone, Debug, Default)]
pub struct Program {
    noted: Vec<Noted>,
    accesses: Vec<(Handle, Access)>,
}

#[derive(Clone, Copy, Debug)]
enum Noted {
    /// A task with so many of the accesses.
    Task(u8),
    Change(Change),
}

/// One thing that a program did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// Submitted a task with these accesses.
    Task(&'a [(Handle, Access)]),
    /// Something else.
    Change(Change),
}

impl Program {
    /// Notes a task.
    pub(crate) fn submit(&mut self, accesses: &[(Handle, Access)]) {
        self.accesses.extend_from_slice(accesses);
        self.noted.push(Noted::Task(accesses.len() as u8));
    }

    /// Notes something else.
    pub(crate) fn push(&mut self, change: Change) {
        self.noted.push(Noted::Change(change));
    }

    /// What it did.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let mut rest = &self.accesses[..];
        self.noted.iter().map(move |noted| match *noted {
            Noted::Change(change) => Step::Change(change),
            Noted::Task(count) => {
                let (accesses, others) = rest.split_at(usize::from(count));
                rest = others;
                Step::Task(accesses)
            }
        })
    }
}
