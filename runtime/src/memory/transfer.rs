//! Transfers between memories, and the order in which those wait that share a way.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::trace::{Purpose, TransferRecord};
use crate::types::{HandleId, MemoryId};

/// A transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// What.
    pub handle: HandleId,
    /// Its size.
    pub bytes: u64,
    /// From where.
    pub src: MemoryId,
    /// Where to.
    pub dst: MemoryId,
    /// Why.
    pub purpose: Purpose,
    /// Among transfers of one purpose, higher first.
    pub priority: i32,
}

impl Transfer {
    /// As it is recorded, from `start` to `end` in nanoseconds.
    pub(crate) fn record(&self, start: u64, end: u64) -> TransferRecord {
        let Self { handle, bytes, src, dst, purpose, .. } = *self;
        TransferRecord { handle: handle.0, bytes, src: src.0, dst: dst.0, purpose, start, end }
    }
}

/// Transfers that wait: write-backs and fetches before prefetches, then by priority, then in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransferQueue {
    waiting: BinaryHeap<Waiting>,
    orders: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    transfer: Transfer,
    order: u64,
}

impl Waiting {
    fn key(&self) -> (bool, i32, Reverse<u64>) {
        let is_urgent = self.transfer.purpose != Purpose::Prefetch;
        (is_urgent, self.transfer.priority, Reverse(self.order))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TransferQueue {
    /// Adds a transfer.
    pub(crate) fn push(&mut self, transfer: Transfer) {
        self.orders += 1;
        self.waiting.push(Waiting { transfer, order: self.orders });
    }

    /// Takes the next one.
    pub(crate) fn pop(&mut self) -> Option<Transfer> {
        self.waiting.pop().map(|waiting| waiting.transfer)
    }

    /// Makes the transfer of `handle` to `dst` urgent, if it waits here.
    pub(crate) fn hurry(&mut self, handle: HandleId, dst: MemoryId) {
        let is_it = |w: &Waiting| (w.transfer.handle, w.transfer.dst) == (handle, dst);
        if self.waiting.iter().any(is_it) {
            let mut all = std::mem::take(&mut self.waiting).into_vec();
            all.iter_mut().filter(|w| is_it(w)).for_each(|w| w.transfer.purpose = Purpose::Fetch);
            self.waiting = all.into();
        }
    }
}
