//! What is to be sent: a few parts at a time, the most urgent first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Key, Operation};
use crate::types::Rank;

/// Bytes of a part, between ranks that run: what is urgent waits for no more than a few of them.
pub const PART_BYTES: u64 = 1 << 20;
/// Most parts under way from a rank at a time.
pub const PARTS_UNDER_WAY: usize = 32;

/// Another part starts while fewer bytes are under way than so many messages have, of the size of
/// the largest of which a part is: one whose receiver is slow does not hold up the others, and what
/// is urgent finds few before it. Simulated factorisations of tiles of 7 MB took longest with one
/// and with eight.
const MESSAGES_UNDER_WAY: u64 = 4;
/// As many bytes may always be under way, and no more than so many.
const BYTES_UNDER_WAY: std::ops::RangeInclusive<u64> = PART_BYTES..=32 * PART_BYTES;

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
pub(super) struct Version {
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

impl Sending {
    /// Bytes of its part of this number.
    fn part(&self, number: usize, part_bytes: u64) -> u64 {
        let first = number as u64 * part_bytes;
        if self.is_empty { 0 } else { (self.bytes - first).min(part_bytes) }
    }
}

/// When a sending has its turn: by urgency, by age in groups of [`GROUP`], by how far its receiver
/// is from this rank, and by age. Where all ranks send to all, each so begins with another
/// receiver.
type Turn = (Reverse<i32>, u64, u16, u64);

/// Sendings of about one age.
const GROUP: u64 = 64;

/// The turn of a sending of `me`.
fn turn(me: Rank, number: u64, sending: &Sending) -> Turn {
    // Ranks after this one first, then those before it.
    let distance = sending.to.0.wrapping_sub(me.0);
    (Reverse(sending.priority), number / GROUP, distance, number)
}

/// Sendings that have not ended.
#[derive(Debug)]
pub(super) struct Outbound {
    me: Rank,
    part_bytes: u64,
    /// Most parts under way at a time.
    window: usize,
    sendings: BTreeMap<u64, Sending>,
    /// Those with a part to send.
    eager: BTreeSet<Turn>,
    next: u64,
    under_way: usize,
    bytes_under_way: u64,
    /// Bytes of the messages of the parts under way, with the number of these parts.
    sizes: BTreeMap<u64, usize>,
}

impl Outbound {
    /// None yet, to be sent in parts of so many bytes, of which `window` may be under way; with
    /// `usize::MAX` as many as there are, whatever their bytes.
    pub(super) fn new(me: Rank, part_bytes: u64, window: usize) -> Self {
        Self {
            me,
            part_bytes,
            window,
            sendings: BTreeMap::new(),
            eager: BTreeSet::new(),
            next: 0,
            under_way: 0,
            bytes_under_way: 0,
            sizes: BTreeMap::new(),
        }
    }

    /// Parts of a datum of so many bytes.
    pub(super) fn parts(&self, bytes: u64) -> usize {
        parts(bytes, self.part_bytes)
    }

    /// Sends a datum, or as many empty parts if it is spoiled, of which so many parts are `here`.
    pub(super) fn add(
        &mut self,
        owed: Owed,
        Version { key, datum, bytes, is_empty, here }: Version,
        (to, label): (Rank, u32),
        priority: i32,
    ) {
        let (number, started, gone) = (self.next, 0, 0);
        self.next += 1;
        let sending =
            Sending { owed, key, datum, to, label, bytes, is_empty, priority, here, started, gone };
        if here > 0 {
            self.eager.insert(turn(self.me, number, &sending));
        }
        self.sendings.insert(number, sending);
    }

    /// So many parts of what `key` receives are here.
    pub(super) fn advance(&mut self, key: Key, here: usize) {
        for (&number, sending) in &mut self.sendings {
            if sending.owed == Owed::Passing(key) {
                sending.here = here;
                if sending.started < here.min(parts(sending.bytes, self.part_bytes)) {
                    self.eager.insert(turn(self.me, number, sending));
                }
            }
        }
    }

    /// Starts as many parts as may be under way.
    pub(super) fn start(&mut self, operations: &mut Vec<Operation>) {
        while self.under_way < self.window
            && let Some(&first_turn) = self.eager.first()
        {
            let (.., number) = first_turn;
            let sending = self.sendings.get_mut(&number).expect("it has not ended");
            let largest = self.sizes.last_key_value().map_or(0, |(&bytes, _)| bytes);
            let most = MESSAGES_UNDER_WAY.saturating_mul(largest.max(sending.bytes));
            let most = most.clamp(*BYTES_UNDER_WAY.start(), *BYTES_UNDER_WAY.end());
            if self.bytes_under_way >= most && self.window < usize::MAX {
                break;
            }
            let first = sending.started as u64 * self.part_bytes;
            let bytes = sending.part(sending.started, self.part_bytes);
            operations.push(Operation::Send {
                number,
                key: sending.key,
                datum: sending.datum,
                to: sending.to,
                label: sending.label,
                first,
                bytes,
                priority: sending.priority,
            });
            sending.started += 1;
            self.under_way += 1;
            self.bytes_under_way += bytes;
            *self.sizes.entry(sending.bytes).or_default() += 1;
            if sending.started == sending.here.min(parts(sending.bytes, self.part_bytes)) {
                self.eager.remove(&first_turn);
            }
        }
    }

    /// A part has gone; answers who waited, if it was the last.
    pub(super) fn sent(&mut self, number: u64) -> Option<Owed> {
        self.under_way -= 1;
        let sending = self.sendings.get_mut(&number).expect("it has not ended");
        // Whichever it was: by the last, all have been counted.
        self.bytes_under_way -= sending.part(sending.gone, self.part_bytes);
        let parts_of_size = self.sizes.get_mut(&sending.bytes).expect("a part of it was under way");
        *parts_of_size -= 1;
        if *parts_of_size == 0 {
            self.sizes.remove(&sending.bytes);
        }
        sending.gone += 1;
        (sending.gone == parts(sending.bytes, self.part_bytes))
            .then(|| self.sendings.remove(&number).expect("it is there").owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts that start of as many messages of `bytes` bytes.
    fn started(messages: u32, bytes: u64, part_bytes: u64) -> usize {
        let mut outbound = Outbound::new(Rank(0), part_bytes, PARTS_UNDER_WAY);
        for node in 0..messages {
            let key = Key { name: node, version: 0, origin: Rank(0) };
            let here = outbound.parts(bytes);
            let version = Version { key, datum: 0, bytes, is_empty: false, here };
            outbound.add(Owed::Node(node), version, (Rank(1), node), 0);
        }
        let mut operations = Vec::new();
        outbound.start(&mut operations);
        let count = operations.len();
        // All that has gone makes way for others, until none is left.
        let mut gone = 0;
        while let Some(Operation::Send { number, .. }) = operations.get(gone) {
            outbound.sent(*number);
            gone += 1;
            outbound.start(&mut operations);
        }
        assert_eq!((outbound.under_way, outbound.bytes_under_way), (0, 0));
        assert!(outbound.sendings.is_empty());
        assert_eq!(operations.len(), messages as usize * outbound.parts(bytes));
        count
    }

    #[test]
    fn few_messages_are_under_way() {
        // Four, however many parts they have, up to 32 parts; of small ones 32.
        assert_eq!(started(8, 7 * PART_BYTES, PART_BYTES), 28);
        assert_eq!(started(8, 9 * PART_BYTES, PART_BYTES), 32);
        assert_eq!(started(8, 7 * PART_BYTES, u64::MAX), 4);
        assert_eq!(started(30, PART_BYTES / 3, PART_BYTES), 4);
        assert_eq!(started(50, 2000, PART_BYTES), PARTS_UNDER_WAY);
        assert_eq!(started(2, 100 * PART_BYTES, u64::MAX), 1);
    }

    #[test]
    fn equally_urgent_messages_go_to_the_next_ranks_first() {
        let mut outbound = Outbound::new(Rank(2), u64::MAX, usize::MAX);
        for (node, priority) in [(0, 1), (1, 1), (3, 1), (4, 1), (5, 7)] {
            let key = Key { name: u32::from(node), version: 0, origin: Rank(2) };
            let version = Version { key, datum: 0, bytes: 5000, is_empty: false, here: 1 };
            outbound.add(Owed::Node(0), version, (Rank(node), 0), priority);
        }
        let mut operations = Vec::new();
        outbound.start(&mut operations);
        let to = |operation: &Operation| match operation {
            Operation::Send { to, .. } => to.0,
            _ => unreachable!("nothing else is started"),
        };
        assert_eq!(operations.iter().map(to).collect::<Vec<_>>(), [5, 3, 4, 0, 1]);
    }
}
