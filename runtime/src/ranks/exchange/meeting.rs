//! Meetings: points of the program that no rank leaves before all have come.

use std::collections::BTreeMap;

use super::Operation;
use crate::ranks::{Item, Rank};

/// Meetings that have not ended, or whose outcome nobody has asked for.
#[derive(Debug)]
pub(super) struct Meeting {
    me: Rank,
    ranks: usize,
    next: u32,
    /// On rank 0, what has been brought to each.
    brought: BTreeMap<u32, Vec<(Rank, u64, Vec<u8>)>>,
    outcomes: BTreeMap<u32, Outcome>,
}

/// Who dissents and with what, and the smallest of what was brought.
type Outcome = ((Rank, u64), Vec<u8>);

impl Meeting {
    pub(super) fn new(me: Rank, ranks: usize) -> Self {
        let (brought, outcomes) = (BTreeMap::new(), BTreeMap::new());
        Self { me, ranks, next: 0, brought, outcomes }
    }

    /// This rank comes to the next one.
    pub(super) fn come(&mut self, agreed: u64, bytes: Vec<u8>, out: &mut Vec<Operation>) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        if self.me == Rank(0) {
            self.arrive(self.me, number, agreed, bytes, out);
        } else {
            let item = Item::Meet { number, agreed, bytes };
            out.push(Operation::Tell { to: Rank(0), item });
        }
        number
    }

    /// A rank has come; on rank 0. With the last one, all are told the outcome.
    pub(super) fn arrive(
        &mut self,
        from: Rank,
        number: u32,
        agreed: u64,
        bytes: Vec<u8>,
        out: &mut Vec<Operation>,
    ) {
        let brought = self.brought.entry(number).or_default();
        brought.push((from, agreed, bytes));
        if brought.len() < self.ranks {
            return;
        }
        let mut brought = self.brought.remove(&number).expect("it is there");
        brought.sort();
        let expected = brought[0].1;
        let odd = brought.iter().find(|(_, agreed, _)| *agreed != expected);
        let dissent = odd.map_or((Rank(0), expected), |&(rank, agreed, _)| (rank, agreed));
        let least = brought.into_iter().map(|(.., bytes)| bytes).min().unwrap_or_default();
        for to in (1..self.ranks as u16).map(Rank) {
            let item = Item::Met { number, dissent, bytes: least.clone() };
            out.push(Operation::Tell { to, item });
        }
        self.end(number, dissent, least);
    }

    pub(super) fn end(&mut self, number: u32, dissent: (Rank, u64), bytes: Vec<u8>) {
        self.outcomes.insert(number, (dissent, bytes));
    }

    pub(super) fn outcome(&mut self, number: u32) -> Option<Outcome> {
        self.outcomes.remove(&number)
    }
}
