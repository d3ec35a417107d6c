//! The directory of data: for each datum its owner, its version, and which ranks hold that version.
//!
//! It is a pure function of the program. Every rank knows alike who owns and who has written a
//! datum; of who else holds it, each knows what it needs: whether it does itself, and to whom it
//! has sent what it wrote. So a task that does not concern a rank costs it little more than a new
//! version number. The owner of what a task writes computes it (Agullo et al., "Achieving high
//! performance on supercomputers with a sequential task-based programming model", IEEE TPDS 2017).

use std::collections::{BTreeMap, BTreeSet};

use super::local_state::LocalState;
use super::set::RankSets;
use super::{Owners, Rank, Spot};
use crate::types::{Access, Handle};

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
    /// Whether shares of it take something over from its contents.
    is_seeded: bool,
    /// Whether its set of receivers is that of the current version; else nobody was sent it.
    was_sent: bool,
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
    /// By datum, what this rank has to do with it.
    local_states: Vec<LocalState>,
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
            local_states: Vec::new(),
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

    /// Enters the datum `handle`, which reads as zero on every rank, and has its owner by `spot` if
    /// it has one.
    pub fn register(&mut self, handle: Handle, spot: Option<Spot>, owners: &dyn Owners) {
        let owner = spot.map_or(NONE, |spot| self.checked(owners.owner(spot, self.ranks)).0);
        let name = self.names;
        let datum =
            Datum { owner, writer: NONE, version: 0, name, is_seeded: false, was_sent: false };
        self.names += 1;
        let index = handle.index as usize;
        if index >= self.data.len() {
            self.data.resize(index + 1, datum);
            self.local_states.resize(index + 1, LocalState::NONE);
            self.receivers.resize(index + 1);
        }
        self.data[index] = datum;
        self.local_states[index] = LocalState::NONE;
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

    /// The rank that runs a task with these `accesses`: the owner of the first datum that it
    /// writes.
    ///
    /// If nobody owns what it writes, the owner of the first that it reads; else that of the first
    /// that it reduces; if nobody owns any, whoever wrote one of them last.
    #[inline]
    #[must_use]
    pub fn runner(&self, accesses: &[(Handle, Access)]) -> Rank {
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

    /// Notes a task with these `accesses` if it is none of this rank's business, and answers
    /// whether it is not: another rank owns the first datum that it writes, this one has written
    /// nothing that it reads and holds nothing that it writes, and nothing is being reduced.
    ///
    /// Most tasks of many ranks end here, so this is all that they cost. Where it is called with
    /// what a task always does, little is left of it.
    #[inline(always)]
    pub fn passes(&mut self, accesses: &[(Handle, Access)]) -> bool {
        let (mut runner, mut matters) = (NONE, false);
        for &(handle, access) in accesses {
            matters |= self.local_states[handle.index as usize].matters_to(access);
            if runner == NONE && writes(access) {
                runner = self.data[handle.index as usize].owner;
            }
        }
        if matters || runner == NONE || runner == self.me || self.me == NONE {
            return false;
        }
        for &(handle, access) in accesses {
            if writes(access) {
                let datum = &mut self.data[handle.index as usize];
                datum.version = datum.version.wrapping_add(1);
                datum.writer = runner;
            }
        }
        true
    }

    /// Notes that a task with these `accesses` runs on `runner`, and appends to `moves` what must
    /// happen before, in order.
    pub fn submit(&mut self, accesses: &[(Handle, Access)], runner: Rank, moves: &mut Vec<Move>) {
        for &(handle, access) in accesses {
            match access {
                Access::R => self.bring(handle.index, runner, moves),
                Access::RW | Access::Commute => {
                    self.bring(handle.index, runner, moves);
                    self.write(handle.index, runner, moves);
                }
                Access::W => {
                    self.fold(handle.index, moves);
                    self.write(handle.index, runner, moves);
                }
                Access::Reduce => self.reduce(handle.index, runner, moves),
                Access::Scratch => self.make_room(handle.index, runner),
            }
        }
    }

    /// A task on `runner` uses the buffer of `datum`, and nothing of what is in it.
    fn make_room(&mut self, datum: u32, runner: Rank) {
        if runner.0 == self.me {
            self.local_states[datum as usize].set(LocalState::ROOM);
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
        self.fold(handle.index, moves);
        let datum = handle.index;
        match self.owner(handle).filter(|_| !has_all) {
            Some(owner) => self.write(datum, owner, moves),
            None => {
                self.give_all(datum);
                self.hold(datum);
            }
        }
    }

    /// Every rank has a new version, which none of them wrote.
    fn give_all(&mut self, datum: u32) {
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = NONE;
        self.local_states[datum as usize].clear(LocalState::WRITTEN);
    }

    /// Notes that the contents of `handle` are not needed any more: it reads as zero on every rank.
    pub fn discard(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        self.fold(handle.index, moves);
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
    pub fn end_reduction(&mut self, handle: Handle, moves: &mut Vec<Move>) {
        self.fold(handle.index, moves);
    }

    #[inline]
    fn fold(&mut self, datum: u32, moves: &mut Vec<Move>) {
        if self.local_states[datum as usize].has(LocalState::REDUCED) {
            self.fold_shares(datum, moves);
        }
    }

    /// Whether `rank` adds to `handle` itself, and not to a share that is folded later.
    #[must_use]
    pub fn reduces_in_place(&self, handle: Handle, rank: Rank) -> bool {
        self.reduced.get(&handle.index).is_none_or(|reduced| reduced.target == rank)
    }

    fn bring(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        self.fold(datum, moves);
        self.copy(datum, to, moves);
    }

    /// Has the contents of `datum` sent to `to`, unless they are there.
    fn copy(&mut self, datum: u32, to: Rank, moves: &mut Vec<Move>) {
        let Datum { writer, name, version, .. } = self.data[datum as usize];
        let is_missing = if to.0 == self.me {
            !self.hold(datum) && writer != NONE
        } else {
            // Who else holds it matters to who sends it.
            let tells = writer == self.me || self.me == NONE;
            tells && writer != NONE && writer != to.0 && self.is_first_sent(datum, to)
        };
        if is_missing {
            let from = Rank(writer);
            moves.push(Move::Message { datum, key: Key { name, version, origin: from }, from, to });
        }
    }

    /// Notes that the current version of `datum` goes to `to`, and answers whether it does for the
    /// first time.
    fn is_first_sent(&mut self, datum: u32, to: Rank) -> bool {
        if !std::mem::replace(&mut self.data[datum as usize].was_sent, true) {
            self.receivers.clear(datum);
        }
        self.receivers.insert(datum, to)
    }

    fn write(&mut self, datum: u32, runner: Rank, moves: &mut Vec<Move>) {
        let entry = &mut self.data[datum as usize];
        entry.version = entry.version.wrapping_add(1);
        entry.writer = runner.0;
        entry.was_sent = false;
        let local = &mut self.local_states[datum as usize];
        if runner.0 == self.me {
            local.set(LocalState::CONTENTS.or(LocalState::WRITTEN));
        } else {
            local.clear(LocalState::WRITTEN);
            self.drop_mine(datum, moves);
        }
    }

    /// Notes that the current version is on this rank, and answers whether it was.
    fn hold(&mut self, datum: u32) -> bool {
        let local = &mut self.local_states[datum as usize];
        let was_here = local.has(LocalState::CONTENTS);
        local.set(LocalState::CONTENTS);
        was_here
    }

    /// Drops what this rank has of `datum`.
    fn drop_mine(&mut self, datum: u32, moves: &mut Vec<Move>) {
        let local = &mut self.local_states[datum as usize];
        if local.has(LocalState::HELD) {
            local.clear(LocalState::HELD);
            moves.push(Move::Drop { datum });
        }
    }

    #[inline]
    fn concerns(&self, from: Rank, to: Rank) -> bool {
        self.me == NONE || self.me == from.0 || self.me == to.0
    }

    /// `runner` adds to `datum`.
    fn reduce(&mut self, datum: u32, runner: Rank, moves: &mut Vec<Move>) {
        let local = &mut self.local_states[datum as usize];
        if !local.has(LocalState::REDUCED) {
            local.set(LocalState::REDUCED);
            let entry = &self.data[datum as usize];
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

    fn fold_shares(&mut self, datum: u32, moves: &mut Vec<Move>) {
        self.local_states[datum as usize].clear(LocalState::REDUCED);
        let Datum { name, version, .. } = self.data[datum as usize];
        let Reduced { target, contributors } =
            self.reduced.remove(&datum).expect("it is being reduced");
        // Those who fold at the same time begin each with another rank.
        let after = contributors.range(target..).chain(contributors.range(..target));
        for &from in after {
            if self.concerns(from, target) {
                let key = Key { name, version, origin: from };
                moves.push(Move::Share { datum, key, from, to: target });
            }
        }
        self.write(datum, target, moves);
    }
}

/// Whether such a use of a datum is by the rank that owns it.
const fn writes(access: Access) -> bool {
    matches!(access, Access::RW | Access::W | Access::Commute)
}

fn rank(number: u16) -> Option<Rank> {
    (number != NONE).then_some(Rank(number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Change;
    use super::*;

    const DATA: u32 = 4;
    const RANKS: usize = 3;

    #[derive(Clone, Debug)]
    enum Step {
        Task(Vec<(Handle, Access)>),
        Change(Change),
    }

    fn handle() -> impl Strategy<Value = Handle> {
        (0..DATA).prop_map(|index| Handle { index, generation: 0 })
    }

    fn access() -> impl Strategy<Value = Access> {
        use Access::{Commute, R, RW, Reduce, Scratch, W};
        // Few reductions, since while there is one, little can be passed.
        prop_oneof![
            6 => Just(R),
            6 => Just(RW),
            3 => Just(W),
            1 => Just(Commute),
            1 => Just(Reduce),
            1 => Just(Scratch),
        ]
    }

    fn step() -> impl Strategy<Value = Step> {
        let task = proptest::collection::hash_map(handle(), access(), 1..=DATA as usize);
        let owner = || (handle(), 0..RANKS as u16);
        let change = prop_oneof![
            owner().prop_map(|(handle, owner)| Change::SetOwner(handle, Rank(owner))),
            owner().prop_map(|(handle, to)| Change::Bring(handle, Rank(to))),
            (handle(), any::<bool>()).prop_map(|(handle, is)| Change::SetSeeded(handle, is)),
            (handle(), any::<bool>()).prop_map(|(handle, all)| Change::Assign(handle, all)),
            handle().prop_map(Change::Fold),
            handle().prop_map(Change::Spread),
            handle().prop_map(Change::Discard),
            handle().prop_map(Change::DropCopies),
        ];
        prop_oneof![
            4 => task.prop_map(|task| Step::Task(task.into_iter().collect())),
            1 => change.prop_map(Step::Change),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_passed_would_have_moved_nothing(
            steps in proptest::collection::vec(step(), 1..60),
            owned in 0..=DATA,
            me in 0..RANKS as u16,
        ) {
            let mut quick = Directory::new(Some(Rank(me)), RANKS);
            for index in 0..DATA {
                let spot = Spot { row: 0, column: 0, rows: 1, columns: 1 };
                let spot = (index < owned).then_some(spot);
                quick.register(Handle { index, generation: 0 }, spot, &());
            }
            let mut slow = Directory::new(Some(Rank(me)), RANKS);
            (slow.data, slow.local_states) = (quick.data.clone(), quick.local_states.clone());
            slow.receivers.resize(DATA as usize);
            let (mut few, mut all) = (Vec::new(), Vec::new());
            for step in steps {
                match step {
                    Step::Task(accesses) => {
                        let runner = slow.runner(&accesses);
                        slow.submit(&accesses, runner, &mut all);
                        if quick.passes(&accesses) {
                            prop_assert_ne!(runner, Rank(me));
                            prop_assert!(all.is_empty());
                        } else {
                            prop_assert_eq!(quick.runner(&accesses), runner);
                            quick.submit(&accesses, runner, &mut few);
                        }
                    }
                    Step::Change(change) => {
                        slow.apply(change, &(), &mut all);
                        quick.apply(change, &(), &mut few);
                    }
                }
                prop_assert_eq!(&few, &all);
                few.clear();
                all.clear();
            }
        }
    }
}
