//! Barriers: points of the program that no rank leaves before all have come.

use std::collections::BTreeMap;

use super::Operation;
use crate::ranks::Item;
use crate::types::Rank;

/// What a rank contributes to a barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contribution {
    /// What all must agree on.
    pub agreed: u64,
    /// What is added up over all ranks.
    pub amounts: [u64; 2],
    /// The smallest, by its bytes, is what all get.
    pub bytes: Vec<u8>,
}

/// What a barrier has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// A rank that does not agree with rank 0, and its value; rank 0 and its own if all agree.
    pub dissent: (Rank, u64),
    /// The sums.
    pub amounts: [u64; 2],
    /// The smallest of the contributions.
    pub bytes: Vec<u8>,
}

/// Barriers that have not ended, or whose outcome nobody has asked for.
#[derive(Debug)]
pub(super) struct Barrier {
    me: Rank,
    ranks: usize,
    next: u32,
    /// On rank 0, what has been contributed to each.
    contributions: BTreeMap<u32, Vec<(Rank, Contribution)>>,
    outcomes: BTreeMap<u32, Outcome>,
}

impl Barrier {
    pub(super) fn new(me: Rank, ranks: usize) -> Self {
        let (contributions, outcomes) = (BTreeMap::new(), BTreeMap::new());
        Self { me, ranks, next: 0, contributions, outcomes }
    }

    /// This rank enters the next one.
    pub(super) fn enter(&mut self, contribution: Contribution, out: &mut Vec<Operation>) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        if self.me == Rank(0) {
            self.arrive(self.me, number, contribution, out);
        } else {
            let Contribution { agreed, amounts, bytes } = contribution;
            let item = Item::EnterBarrier { number, agreed, amounts, bytes };
            out.push(Operation::SendItem { to: Rank(0), item });
        }
        number
    }

    /// A rank has entered; on rank 0. With the last one, all are told the outcome.
    pub(super) fn arrive(
        &mut self,
        from: Rank,
        number: u32,
        contribution: Contribution,
        out: &mut Vec<Operation>,
    ) {
        let all = self.contributions.entry(number).or_default();
        all.push((from, contribution));
        if all.len() < self.ranks {
            return;
        }
        let mut all = self.contributions.remove(&number).expect("it is there");
        all.sort_by_key(|(rank, _)| *rank);
        let expected = all[0].1.agreed;
        let odd = all.iter().find(|(_, contribution)| contribution.agreed != expected);
        let dissent =
            odd.map_or((Rank(0), expected), |(rank, contribution)| (*rank, contribution.agreed));
        let mut amounts = [0u64; 2];
        for (_, contribution) in &all {
            amounts.iter_mut().zip(contribution.amounts).for_each(|(sum, amount)| *sum += amount);
        }
        let bytes =
            all.into_iter().map(|(_, contribution)| contribution.bytes).min().unwrap_or_default();
        for to in (1..self.ranks as u16).map(Rank) {
            let item = Item::LeaveBarrier { number, dissent, amounts, bytes: bytes.clone() };
            out.push(Operation::SendItem { to, item });
        }
        self.end(number, Outcome { dissent, amounts, bytes });
    }

    pub(super) fn end(&mut self, number: u32, outcome: Outcome) {
        self.outcomes.insert(number, outcome);
    }

    pub(super) fn outcome(&mut self, number: u32) -> Option<Outcome> {
        self.outcomes.remove(&number)
    }
}
