//! Events of a simulated cluster, one time after the other: what all nodes and the network between
//! them do.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::DerefMut;

use super::ClusterOptions;
use super::member::Member;
use super::wire::{Arrival, NetworkMessage, Wire};

/// What a rank waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// At most `unfinished` of `submitted` tasks are left.
    Run { submitted: u64, unfinished: u64 },
    /// So many messages have come or gone.
    Settled(u64),
    /// The barrier with this number has ended.
    Barrier(u32),
}

impl Until {
    /// Whether it is so for `member`.
    pub(super) fn holds(self, member: &mut Member) -> bool {
        match self {
            Self::Run { submitted, unfinished } => member.has_run(submitted, unfinished),
            Self::Settled(count) => member.has_settled(count),
            Self::Barrier(number) => member.has_left_barrier(number),
        }
    }
}

pub(super) struct World {
    clock: u64,
    wire: Wire,
    /// When something of a node's own ends: those entries count that `planned` repeats.
    agenda: BinaryHeap<Reverse<(u64, usize)>>,
    planned: Vec<u64>,
    /// Ranks that something has happened to at this time.
    touched: BTreeSet<usize>,
    arrivals: Vec<Arrival>,
}

impl World {
    pub(super) fn new(options: &ClusterOptions) -> Self {
        Self {
            clock: 0,
            wire: Wire::new(options),
            agenda: BinaryHeap::new(),
            planned: vec![u64::MAX; options.nodes.len()],
            touched: BTreeSet::new(),
            arrivals: Vec::new(),
        }
    }

    /// The program of `rank` may have given it something to do.
    pub(super) fn touch(&mut self, rank: usize) {
        self.touched.insert(rank);
    }

    /// Goes on until what some ranks wait for is so, and says which. Tasks that they submit then
    /// are there before anything else is decided at that time.
    ///
    /// # Panics
    /// If nothing is left to happen.
    pub(super) fn run<M: DerefMut<Target = Member>>(
        &mut self,
        members: &mut [M],
        waits: &[Option<Until>],
    ) -> Vec<usize> {
        loop {
            let ranks = self.settle(members);
            let woken = find_woken(&ranks, members, waits);
            if !woken.is_empty() {
                return woken;
            }
            self.go_on(members, waits);
            let woken = find_woken(&self.touched, members, waits);
            if !woken.is_empty() {
                return woken;
            }
        }
    }

    /// Has the ranks that something has happened to do what they can; says which.
    fn settle<M: DerefMut<Target = Member>>(&mut self, members: &mut [M]) -> BTreeSet<usize> {
        let ranks = std::mem::take(&mut self.touched);
        for &rank in &ranks {
            members[rank].settle(self.clock, &mut self.wire);
            let next = members[rank].node.next();
            if next != self.planned[rank] {
                self.planned[rank] = next;
                self.agenda.push(Reverse((next, rank)));
            }
        }
        ranks
    }

    /// Goes on to the next time at which something happens, and has it happen.
    fn go_on<M: DerefMut<Target = Member>>(&mut self, members: &mut [M], waits: &[Option<Until>]) {
        self.forget_old_plans();
        let node = self.agenda.peek().map_or(u64::MAX, |Reverse((time, _))| *time);
        let now = self.clock;
        self.clock = node.min(self.wire.next());
        if self.clock == u64::MAX {
            self.clock = now;
            let stuck = |&rank: &usize| members[rank].refuse_stuck();
            let stuck: Vec<usize> = (0..waits.len()).filter(stuck).collect();
            if !stuck.is_empty() {
                self.touched.extend(stuck);
                return;
            }
            let waits: Vec<_> =
                waits.iter().enumerate().filter(|(_, wait)| wait.is_some()).collect();
            panic!("nothing runs or moves on any node, and ranks wait: {waits:?}");
        }
        if self.wire.next() == self.clock {
            self.take_arrivals(members);
        }
        while let Some(&Reverse((time, rank))) = self.agenda.peek() {
            if time > self.clock {
                return;
            }
            self.agenda.pop();
            if self.planned[rank] == time {
                self.planned[rank] = u64::MAX;
                members[rank].step(time);
                self.touched.insert(rank);
            }
        }
    }

    fn forget_old_plans(&mut self) {
        while let Some(&Reverse((time, rank))) = self.agenda.peek()
            && self.planned[rank] != time
        {
            self.agenda.pop();
        }
    }

    fn take_arrivals<M: DerefMut<Target = Member>>(&mut self, members: &mut [M]) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.wire.advance(self.clock, &mut arrivals);
        let Self { clock, touched, .. } = self;
        for arrival in arrivals.drain(..) {
            match arrival {
                Arrival::Frame { from, to, item } => {
                    let to = usize::from(to.0);
                    members[to].handle(from, item, *clock);
                    touched.insert(to);
                }
                Arrival::Message(NetworkMessage { from, to, number, key, bytes, .. }) => {
                    let (from, to) = (usize::from(from.0), usize::from(to.0));
                    members[from].has_sent(number, bytes, *clock);
                    members[to].has_received(key, bytes, *clock);
                    touched.extend([from, to]);
                }
            }
        }
        self.arrivals = arrivals;
    }
}

/// Those of `ranks` for which what they wait for is so.
fn find_woken<M: DerefMut<Target = Member>>(
    ranks: &BTreeSet<usize>,
    members: &mut [M],
    waits: &[Option<Until>],
) -> Vec<usize> {
    let is_woken =
        |rank: &usize| waits[*rank].is_some_and(|until| until.holds(&mut members[*rank]));
    ranks.iter().copied().filter(is_woken).collect()
}
