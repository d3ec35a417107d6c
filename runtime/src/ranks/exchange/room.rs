//! Room for what is on its way: who may receive now.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Message;

/// Labels that only the earliest receive may take.
const SPARE_LABELS: u32 = 64;

/// Receives that wait for room, and those that have it.
#[derive(Debug)]
pub(super) struct Room {
    most: u64,
    taken: u64,
    /// The next label that was never taken, and those that came back.
    next_label: u32,
    labels: u32,
    free_labels: Vec<u32>,
    /// By urgency, then in the order of the program.
    waiting: BTreeMap<(Reverse<i32>, u64, u32), Message>,
    /// In the order of the program: urgency, by index and node.
    by_index: BTreeMap<(u64, u32), i32>,
    /// Receives that have room, by the program index of what they are for.
    under_way: BTreeMap<u64, usize>,
}

impl Room {
    pub(super) fn new(most: u64, labels: u32) -> Self {
        Self {
            most,
            taken: 0,
            next_label: 0,
            labels,
            free_labels: Vec::new(),
            waiting: BTreeMap::new(),
            by_index: BTreeMap::new(),
            under_way: BTreeMap::new(),
        }
    }

    pub(super) fn ask(&mut self, message: Message) {
        let Message { priority, index, node, .. } = message;
        self.waiting.insert((Reverse(priority), index, node), message);
        self.by_index.insert((index, node), priority);
    }

    /// The next receive that may start, with its label.
    pub(super) fn grant(&mut self) -> Option<(Message, u32)> {
        let (&key, &urgent) = self.waiting.first_key_value()?;
        let spare = self.labels - self.next_label + self.free_labels.len() as u32;
        let fits = self.taken + urgent.bytes <= self.most || self.under_way.is_empty();
        let (key, message) = if fits && spare > SPARE_LABELS {
            (key, urgent)
        } else {
            // The earliest, if it is not later than all that are under way.
            let (&(index, node), &priority) = self.by_index.first_key_value()?;
            let earliest = self.under_way.first_key_value().map_or(u64::MAX, |(&index, _)| index);
            if index > earliest || spare == 0 {
                return None;
            }
            let key = (Reverse(priority), index, node);
            (key, self.waiting[&key])
        };
        self.waiting.remove(&key);
        self.by_index.remove(&(message.index, message.node));
        self.taken += message.bytes;
        *self.under_way.entry(message.index).or_default() += 1;
        Some((message, self.take_label()))
    }

    pub(super) fn give_back(&mut self, message: &Message, label: u32) {
        self.taken -= message.bytes;
        self.free_labels.push(label);
        let count = self.under_way.get_mut(&message.index).expect("it was under way");
        *count -= 1;
        if *count == 0 {
            self.under_way.remove(&message.index);
        }
    }

    fn take_label(&mut self) -> u32 {
        self.free_labels.pop().unwrap_or_else(|| {
            self.next_label += 1;
            self.next_label - 1
        })
    }
}
