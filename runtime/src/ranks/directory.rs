//! The directory of data: for each datum its owner, its version, and which ranks hold that version.
//!
//! It is a pure function of the program and the same on every rank, which reads from it what
//! concerns itself. The owner of what a task writes computes it (Agullo et al., "Achieving high
//! performance on supercomputers with a sequential task-based programming model", IEEE TPDS 2017).

use std::collections::{BTreeMap, BTreeSet};

use super::set::RankSets;
use super::{Owners, Rank, Spot};
use crate::flow::{Access, Handle};

/// What a message carries: a version of a datum, or what one rank adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Number of the datum, in the order in which the program has named them.
    pub name: u32,
    /// Version: how often it was written before.
    pub version: u32,
    /// The rank whose share of a reduction it is, or else the one that wrote the version.
    pub origin: Rank,
}

/// What must happen before a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The current version goes from one rank to another.
    Message {
        /// The datum, by the number of its handle.
        datum: u32,
        /// What it carries.
        key: Key,
        /// Who has it.
        from: Rank,
        /// Who needs it.
        to: Rank,
    },
    /// What one rank has added to its private copy of a datum goes to where all is folded.
    Share {
        /// The datum, by the number of its handle.
        datum: u32,
        /// What it carries.
        key: Key,
        /// Whose share it is.
        from: Rank,
        /// Where it is folded.
        to: Rank,
    },
    /// This rank's copy is of no use any more.
    Drop {
        /// The datum, by the number of its handle.
        datum: u32,
    },
}

/// No rank: a datum that nobody owns, or that every rank holds.
const NONE: u16 = u16::MAX;

#[derive(Clone, Copy, Debug)]
struct Datum {
    owner: u16,
    /// The rank that wrote the current version; none if every rank has it from the program.
    writer: u16,
    version: u32,
    name: u32,
    /// Whether tasks add to it side by side.
    is_reduced: bool,
    /// Whether shares of it take something over from its contents.
    is_seeded: bool,
}

/// A running reduction.
#[derive(Clone, Debug)]
struct Reduced {
    /// Where it is folded.
    target: Rank,
    contributors: BTreeSet<Rank>,
}

/// Who has what; see the module.
pub struct Directory {
    me: Option<Rank>,
    ranks: usize,
    data: Vec<Datum>,
    copies: RankSets,
    reduced: BTreeMap<u32, Reduced>,
    names: u32,
}

impl std::fmt::Debug for Directory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directory").field("me", &self.me).finish_non_exhaustive()
    }
}

impl Directory {
    /// A directory for `ranks` ranks that tells of the moves that concern `me`, or of all messages.
    #[must_use]
    pub fn new(me: Option<Rank>, ranks: usize) -> Self {
        Self {
            me,
            ranks,
            data: Vec::new(),
            copies: RankSets::new(ranks),
            reduced: BTreeMap::new(),
            names: 0,
        }
    }

    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Enters the datum `handle`, which reads as zero on every rank, and has its owner by `spot` if it
    /// has one.
    pub fn register(&mut self, handle: Handle, spot: Option<Spot>, owners: &dyn Owners) {
        let owner = spot.map_or(NONE, |spot| self.checked(owners.owner(spot, self.ranks)).0);
        let name = self.names;
        let datum =
            Datum { owner, writer: NONE, version: 0, name, is_reduced: false, is_seeded: false };
        self.names += 1;
        let index = handle.index as usize;
        if index >= self.data.len() {
            self.data.resize(index + 1, datum);
            self.copies.resize(index + 1);
        }
        self.data[index] = datum;
        self.copies.set_all(handle.index);
    }

    fn checked(&self, rank: Rank) -> Rank {
        assert!(usize::from(rank.0) < self.ranks, "rank {rank} of {} ranks", self.ranks);
        rank
    }

    /// From now on, tasks that write `handle` run on `owner`; the contents follow when they are
    /// needed there.
    pub fn set_owner(&mut self, handle: Handle, owner: Rank) {
        self.data[handle.index as usize].owner = self.checked(owner).0;
    }

    /// Says whether shares of reductions on `handle` take something over from its contents.
    pub fn set_seeded(&mut self, handle: Handle, is_seeded: bool) {
        self.data[handle.index as usize].is_seeded = is_seeded;
    }

    /// The owner of `handle`, if it has one.
    #[must_use]
    pub fn owner(&self, handle: Handle) -> Option<Rank> {
        rank(self.data[handle.index as usize].owner)
    }

    /// The rank that runs a task with these `accesses`: the owner of the first datum that it writes.
    ///
    /// If nobody owns what it writes, the owner of the first that it reads; else that of the first that it
    /// reduces; if nobody owns any, whoever wrote one of them last.
    #[inline]
    #[must_use]
    pub fn runner(&self, accesses: &[(Handle, Access)]) -> Rank {
        let writes = |access| matches!(access, Access::RW | Access::W | Access::Commute);
        let first = self.first(accesses, writes, |datum| datum.owner);
        first.unwrap_or_else(|| self.runner_beside(accesses))
    }

    /// The runner of a task that writes nothing that is owned.
    fn runner_beside(&self, accesses: &[(Handle, Access)]) -> Rank {
        let owner = |datum: &Datum| datum.owner;
        let read = self.first(accesses, |access| access == Access::R, owner);
        let reduced = || self.first(accesses, |access| access == Access::Reduce, owner);
        let held =
            || self.first(accesses, |access| access != Access::Scratch, |datum| datum.writer);
        read.or_else(reduced).or_else(held).unwrap_or(Rank(0))
    }

    /// What `of` says of the first datum that is used as `is_meant`, and of which it says anything.
    #[inline]
    fn first(
        &self,
        accesses: &[(Handle, Access)],
        is_meant: impl Fn(Access) -> bool,
        of: impl Fn(&Datum) -> u16,
    ) -> Option<Rank> {
        let meant = accesses.iter().filter(|(_, access)| is_meant(*access));
        meant.filter_map(|(handle, _)| rank(of(&self.data[handle.index as usize]))).next()
    }

    /// Notes that a task with these `accesses` runs on `runner`, and appends to `moves` what must
    /// happen before, in order.
    #[inline]
    pub fn submit(&mut self, accesses: &[(Handle, Access)], runner: Rank, moves: &mut Vec<Move>) {
        for &(handle, access) in accesses {
            match access {
                Access::R | Access::RW | Access::Commute => self.bring(handle.index, runner, moves),
                Access::Reduce => self.reduce(handle.index, runner, moves),
                Access::W => self.fold(handle, moves),
                Access::Scratch => {}
            }
        }
        for &(handle, access) in accesses {
            if matches!(access, Access::W | Access::RW | Access::Commute) {
                self.write(handle.index, runner, moves);
            }
        }
    }

    /// Has the current version of `handle` brought to every rank.
    pub fn spread(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        for to in 0..self.ranks as u16 {
            self.bring(handle.index, Rank(to), moves);
        }
    }

    /// Notes that the program itself gives `handle` its contents: on its owner, or on every rank if
    /// nobody owns it or the program `has_all` of it everywhere.
    pub fn assign(&mut self, handle: Handle, has_all: bool, moves: &mut Vec<Move>) {
        self.fold(handle, moves);
        let datum = handle.index;
        match self.owner(handle).filter(|_| !has_all) {
            Some(owner) => self.write(datum, owner, moves),
            None => self.give_all(datum),
        }
    }

    /// Every rank has a new version, which none of them wrote.
    fn give_all(&mut self, datum: u32) {
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = NONE;
        self.copies.set_all(datum);
    }

    /// Notes that the contents of `handle` are not needed any more: it reads as zero on every rank.
    pub fn discard(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        self.fold(handle, moves);
        self.give_all(handle.index);
    }

    /// Drops all copies of the current version but that of the rank that wrote it, from where it is
    /// sent again if need be.
    pub fn drop_copies(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        let datum = handle.index;
        if let Some(writer) = rank(self.data[datum as usize].writer) {
            self.note_drop(datum, writer, moves);
            self.copies.set_one(datum, writer);
        }
    }

    /// Ends a reduction on `handle`: every share goes to where they are folded.
    pub fn fold(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        if self.data[handle.index as usize].is_reduced {
            self.end_reduction(handle.index, moves);
        }
    }

    /// Whether `rank` adds to `handle` itself, and not to a share that is folded later.
    #[must_use]
    pub fn reduces_in_place(&self, handle: Handle, rank: Rank) -> bool {
        self.reduced.get(&handle.index).is_none_or(|reduced| reduced.target == rank)
    }

    /// Whether `rank` holds the current version of `handle`.
    #[must_use]
    pub fn holds(&self, handle: Handle, rank: Rank) -> bool {
        self.copies.contains(handle.index, rank)
    }

    #[inline]
    fn bring(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        if self.data[datum as usize].is_reduced {
            self.end_reduction(datum, moves);
        }
        self.copy(datum, to, moves);
    }

    /// Has the contents of `datum` sent to `to`, unless they are there.
    #[inline]
    fn copy(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        if self.copies.contains(datum, to) {
            return;
        }
        self.copies.insert(datum, to);
        let Datum { writer, version, name, .. } = self.data[datum as usize];
        let from = Rank(writer);
        if self.concerns(from, to) {
            let key = Key { name, version, origin: from };
            moves.push(Move::Message { datum, key, from, to });
        }
    }

    #[inline]
    fn write(&mut self, datum: u32, runner: Rank, moves: &mut Vec<Move>) {
        self.note_drop(datum, runner, moves);
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = runner.0;
        self.copies.set_one(datum, runner);
    }

    /// Notes that this rank's copy goes, unless it is that of `kept`.
    #[inline]
    fn note_drop(&self, datum: u32, kept: Rank, moves: &mut Vec<Move>) {
        if self.me.is_some_and(|me| me != kept && self.copies.contains(datum, me)) {
            moves.push(Move::Drop { datum });
        }
    }

    #[inline]
    fn concerns(&self, from: Rank, to: Rank) -> bool {
        self.me.is_none_or(|me| me == from || me == to)
    }

    /// `runner` adds to `datum`.
    fn reduce(&mut self, datum: u32, runner: Rank, moves: &mut Vec<Move>) {
        let entry = &mut self.data[datum as usize];
        if !entry.is_reduced {
            entry.is_reduced = true;
            let target = rank(entry.writer).or(rank(entry.owner)).unwrap_or(runner);
            self.reduced.insert(datum, Reduced { target, contributors: BTreeSet::new() });
        }
        let reduced = self.reduced.get_mut(&datum).expect("it is being reduced");
        if reduced.target != runner {
            reduced.contributors.insert(runner);
            if self.data[datum as usize].is_seeded {
                self.copy(datum, runner, moves);
            }
        }
    }

    fn end_reduction(&mut self, datum: u32, moves: &mut Vec<Move>) {
        let entry = &mut self.data[datum as usize];
        entry.is_reduced = false;
        let Datum { name, version, .. } = *entry;
        let Reduced { target, contributors } =
            self.reduced.remove(&datum).expect("it is being reduced");
        for from in contributors {
            if self.concerns(from, target) {
                let key = Key { name, version, origin: from };
                moves.push(Move::Share { datum, key, from, to: target });
            }
        }
        self.write(datum, target, moves);
    }
}

fn rank(number: u16) -> Option<Rank> {
    (number != NONE).then_some(Rank(number))
}
