//! What is to be sent: a few parts at a time, the most urgent first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Key, Operation};
use crate::ranks::Rank;

/// Bytes of a part, between ranks that run: what is urgent waits for no more than a few of them.
pub const PART_BYTES: u64 = 1 << 20;
/// Parts under way from a rank at a time, between ranks that run.
pub const PARTS_UNDER_WAY: usize = 8;

/// Parts of `part_bytes` bytes of a datum of `bytes` bytes.
fn parts(bytes: u64, part_bytes: u64) -> usize {
    bytes.div_ceil(part_bytes).max(1) as usize
}

/// Who waits for a sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owed {
    /// A node that offers the datum.
    Node(u32),
    /// The receive whose datum is passed on.
    Passing(Key),
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload {
    /// What.
    pub(super) key: Key,
    /// The datum, by the number of its handle.
    pub(super) datum: u32,
    /// Its bytes.
    pub(super) bytes: u64,
    /// Whether it is spoiled: its parts have no bytes.
    pub(super) is_empty: bool,
    /// Parts that are here.
    pub(super) here: usize,
}

#[derive(Debug)]
struct Sending {
    owed: Owed,
    key: Key,
    datum: u32,
    to: Rank,
    label: u32,
    bytes: u64,
    /// Whether it is spoiled: its parts have no bytes.
    is_empty: bool,
    priority: i32,
    /// Parts that are here, that were started, and that have gone.
    here: usize,
    started: usize,
    gone: usize,
}

/// Sendings that have not ended.
#[derive(Debug)]
pub(super) struct Outbound {
    part_bytes: u64,
    /// Most parts under way at a time.
    window: usize,
    sendings: BTreeMap<u64, Sending>,
    /// Those with a part to send, by urgency and then by age.
    eager: BTreeSet<(Reverse<i32>, u64)>,
    next: u64,
    under_way: usize,
}

impl Outbound {
    /// None yet, to be sent in parts of so many bytes, of which `window` may be under way.
    pub(super) fn new(part_bytes: u64, window: usize) -> Self {
        let (sendings, eager) = (BTreeMap::new(), BTreeSet::new());
        Self { part_bytes, window, sendings, eager, next: 0, under_way: 0 }
    }

    /// Parts of a datum of so many bytes.
    pub(super) fn parts(&self, bytes: u64) -> usize {
        parts(bytes, self.part_bytes)
    }

    /// Sends a datum, or as many empty parts if it is spoiled, of which so many parts are `here`.
    pub(super) fn add(
        &mut self,
        owed: Owed,
        Payload { key, datum, bytes, is_empty, here }: Payload,
        (to, label): (Rank, u32),
        priority: i32,
    ) {
        let (number, started, gone) = (self.next, 0, 0);
        self.next += 1;
        let sending =
            Sending { owed, key, datum, to, label, bytes, is_empty, priority, here, started, gone };
        if here > 0 {
            self.eager.insert((Reverse(priority), number));
        }
        self.sendings.insert(number, sending);
    }

    /// So many parts of what `key` receives are here.
    pub(super) fn advance(&mut self, key: Key, here: usize) {
        for (&number, sending) in &mut self.sendings {
            if sending.owed == Owed::Passing(key) {
                sending.here = here;
                if sending.started < here.min(parts(sending.bytes, self.part_bytes)) {
                    self.eager.insert((Reverse(sending.priority), number));
                }
            }
        }
    }

    /// Starts as many parts as may be under way.
    pub(super) fn start(&mut self, operations: &mut Vec<Operation>) {
        while self.under_way < self.window
            && let Some(&(priority, number)) = self.eager.first()
        {
            let sending = self.sendings.get_mut(&number).expect("it has not ended");
            let first = sending.started as u64 * self.part_bytes;
            operations.push(Operation::Send {
                number,
                key: sending.key,
                datum: sending.datum,
                to: sending.to,
                label: sending.label,
                first,
                bytes: if sending.is_empty {
                    0
                } else {
                    (sending.bytes - first).min(self.part_bytes)
                },
            });
            sending.started += 1;
            self.under_way += 1;
            if sending.started == sending.here.min(parts(sending.bytes, self.part_bytes)) {
                self.eager.remove(&(priority, number));
            }
        }
    }

    /// A part has gone; answers who waited, if it was the last.
    pub(super) fn sent(&mut self, number: u64) -> Option<Owed> {
        self.under_way -= 1;
        let sending = self.sendings.get_mut(&number).expect("it has not ended");
        sending.gone += 1;
        (sending.gone == parts(sending.bytes, self.part_bytes))
            .then(|| self.sendings.remove(&number).expect("it is there").owed)
    }
}
