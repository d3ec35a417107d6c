//! The directory of data: for each datum its owner, its version, and which ranks hold that version.
//!
//! It is a pure function of the program. Every rank knows alike who owns and who has written a datum; of who
//! else holds it, each knows what it needs: whether it does itself, and to whom it has sent what it wrote.
//! So a task that does not concern a rank costs it little more than a new version number. The
//! owner of what a task writes computes it (Agullo et al., "Achieving high performance on supercomputers with a
//! sequential task-based programming model", IEEE TPDS 2017).

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

/// No rank: nobody owns a datum, or every rank holds it, or all messages are told.
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
    /// What this rank has of it.
    here: Here,
    /// Whether its set of receivers is that of the current version; else nobody was sent it.
    was_sent: bool,
}

/// What a rank has of a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Here {
    /// Nothing, though every rank may hold it: it then reads as zero.
    Nothing,
    /// A buffer at most, since a task has used it as scratch.
    Room,
    /// The current version.
    Contents,
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
    /// This rank; none if it tells of all messages.
    me: u16,
    ranks: usize,
    data: Vec<Datum>,
    /// By datum, to whom its current version goes; kept of what this rank has written, or of all.
    receivers: RankSets,
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
            me: me.map_or(NONE, |me| me.0),
            ranks,
            data: Vec::new(),
            receivers: RankSets::new(ranks),
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
        let datum = Datum {
            owner,
            writer: NONE,
            version: 0,
            name,
            is_reduced: false,
            is_seeded: false,
            here: Here::Nothing,
            was_sent: false,
        };
        self.names += 1;
        let index = handle.index as usize;
        if index >= self.data.len() {
            self.data.resize(index + 1, datum);
            self.receivers.resize(index + 1);
        }
        self.data[index] = datum;
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
        accesses.iter().find_map(|&(handle, access)| {
            if is_meant(access) { rank(of(&self.data[handle.index as usize])) } else { None }
        })
    }

    /// Notes that a task with these `accesses` runs on `runner`, and appends to `moves` what must
    /// happen before, in order.
    #[inline]
    pub fn submit(&mut self, accesses: &[(Handle, Access)], runner: Rank, moves: &mut Vec<Move>) {
        let is_theirs = self.me != NONE && runner.0 != self.me;
        for &(handle, access) in accesses {
            // What this rank neither runs nor has written, nor holds if it changes, costs no more than this.
            let entry = &mut self.data[handle.index as usize];
            let is_aside = is_theirs && entry.writer != self.me && !entry.is_reduced;
            match access {
                Access::R if is_aside => {}
                Access::RW if is_aside && entry.here == Here::Nothing => {
                    entry.version = entry.version.wrapping_add(1);
                    entry.writer = runner.0;
                }
                Access::R => self.bring(handle.index, runner, moves),
                Access::RW | Access::Commute => {
                    self.bring(handle.index, runner, moves);
                    self.write(handle.index, runner, moves);
                }
                Access::W => {
                    self.fold(handle, moves);
                    self.write(handle.index, runner, moves);
                }
                Access::Reduce => self.reduce(handle.index, runner, moves),
                Access::Scratch => self.make_room(handle.index, runner),
            }
        }
    }

    /// A task on `runner` uses the buffer of `datum`, and nothing of what is in it.
    fn make_room(&mut self, datum: u32, runner: Rank) {
        let here = &mut self.data[datum as usize].here;
        if runner.0 == self.me && *here == Here::Nothing {
            *here = Here::Room;
        }
    }

    /// Has the current version of `handle` brought to every rank.
    pub fn spread(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        for to in 0..self.ranks as u16 {
            self.bring(handle.index, Rank(to), moves);
        }
    }

    /// Has the current version of `handle` brought to `to`.
    pub fn deliver(&mut self, handle: Handle, to: Rank, moves: &mut Vec<Move>) {
        self.bring(handle.index, to, moves);
    }

    /// Notes that the program itself gives `handle` its contents: on its owner, or on every rank if
    /// nobody owns it or the program `has_all` of it everywhere.
    pub fn assign(&mut self, handle: Handle, has_all: bool, moves: &mut Vec<Move>) {
        self.fold(handle, moves);
        let datum = handle.index;
        match self.owner(handle).filter(|_| !has_all) {
            Some(owner) => self.write(datum, owner, moves),
            None => {
                self.give_all(datum);
                self.data[datum as usize].here = Here::Contents;
            }
        }
    }

    /// Every rank has a new version, which none of them wrote.
    fn give_all(&mut self, datum: u32) {
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = NONE;
    }

    /// Notes that the contents of `handle` are not needed any more: it reads as zero on every rank.
    pub fn discard(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        self.fold(handle, moves);
        self.drop_mine(handle.index, moves);
        self.give_all(handle.index);
    }

    /// Drops all copies of the current version but that of the rank that wrote it, from where it is
    /// sent again if need be.
    pub fn drop_copies(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        let entry = &mut self.data[handle.index as usize];
        if entry.writer != NONE {
            entry.was_sent = false;
            if entry.writer != self.me {
                self.drop_mine(handle.index, moves);
            }
        }
    }

    /// Ends a reduction on `handle`: every share goes to where they are folded.
    #[inline]
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

    fn bring(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        if self.data[datum as usize].is_reduced {
            self.end_reduction(datum, moves);
        }
        self.copy(datum, to, moves);
    }

    /// Has the contents of `datum` sent to `to`, unless they are there.
    fn copy(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        let entry = &mut self.data[datum as usize];
        let writer = entry.writer;
        let is_missing = if to.0 == self.me {
            let had = std::mem::replace(&mut entry.here, Here::Contents);
            had != Here::Contents && writer != NONE
        } else {
            // Who else holds it matters to who sends it.
            let tells = writer == self.me || self.me == NONE;
            tells && writer != NONE && writer != to.0 && {
                if !std::mem::replace(&mut entry.was_sent, true) {
                    self.receivers.clear(datum);
                }
                self.receivers.insert(datum, to)
            }
        };
        if is_missing {
            let from = Rank(writer);
            let key = Key { name: entry.name, version: entry.version, origin: from };
            moves.push(Move::Message { datum, key, from, to });
        }
    }

    fn write(&mut self, datum: u32, runner: Rank, moves: &mut Vec<Move>) {
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = runner.0;
        entry.was_sent = false;
        if runner.0 == self.me {
            entry.here = Here::Contents;
        } else if entry.here != Here::Nothing {
            self.drop_mine(datum, moves);
        }
    }

    /// Drops what this rank has of `datum`.
    fn drop_mine(&mut self, datum: u32, moves: &mut Vec<Move>) {
        let had = std::mem::replace(&mut self.data[datum as usize].here, Here::Nothing);
        if had != Here::Nothing {
            moves.push(Move::Drop { datum });
        }
    }

    #[inline]
    fn concerns(&self, from: Rank, to: Rank) -> bool {
        self.me == NONE || self.me == from.0 || self.me == to.0
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
        if reduced.target == runner {
            self.make_room(datum, runner);
        } else {
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
