//! One ordered queue of ready tasks.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use super::TaskView;

/// Order within a shard: higher priority first, then as the policy ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    priority: i32,
    /// Ties go to the higher rank.
    rank: u64,
}

impl Key {
    /// All equal: the queue is first in, first out.
    pub const EQUAL: Self = Self { priority: 0, rank: 0 };

    /// Higher priority first, then program order.
    #[must_use]
    pub fn by_priority(task: &TaskView) -> Self {
        Self { priority: task.priority, rank: u64::MAX - task.index }
    }
}

/// A queue of ready tasks, the one with the highest key first; equal keys in order of arrival.
///
/// Tasks that arrive in order are kept in a plain queue, which costs next to nothing; only those
/// that overtake others go into a heap.
#[derive(Debug)]
pub struct Shard<T> {
    /// In order of their keys, the best first.
    ordered: VecDeque<Entry<T>>,
    heap: BinaryHeap<Entry<T>>,
    arrivals: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    key: Key,
    arrival: u64,
    task: T,
}

impl<T> Default for Shard<T> {
    fn default() -> Self {
        Self { ordered: VecDeque::new(), heap: BinaryHeap::new(), arrivals: 0 }
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key).then(other.arrival.cmp(&self.arrival))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

impl<T> Shard<T> {
    /// Adds a task.
    pub fn push(&mut self, task: T, key: Key) {
        self.push_as(self.arrivals, task, key);
    }

    /// Adds a task that arrived after `arrival` others, which may be in other shards: more than for
    /// any that was added before.
    pub(super) fn push_as(&mut self, arrival: u64, task: T, key: Key) {
        let entry = Entry { key, arrival, task };
        self.arrivals = arrival + 1;
        match self.ordered.back() {
            Some(last) if *last < entry => self.heap.push(entry),
            _ => self.ordered.push_back(entry),
        }
    }

    /// Takes the first task.
    pub fn pop(&mut self) -> Option<T> {
        let entry = if self.heap_is_first() { self.heap.pop() } else { self.ordered.pop_front() };
        entry.map(|entry| entry.task)
    }

    /// The key of the first task.
    #[must_use]
    pub fn first_key(&self) -> Option<Key> {
        self.first_entry().map(|entry| entry.key)
    }

    /// What orders the first task among those of other shards: the highest goes first.
    pub(super) fn first_rank(&self) -> Option<(Key, Reverse<u64>)> {
        self.first_entry().map(|entry| (entry.key, Reverse(entry.arrival)))
    }

    /// The first task.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.first_entry().map(|entry| &entry.task)
    }

    fn first_entry(&self) -> Option<&Entry<T>> {
        if self.heap_is_first() { self.heap.peek() } else { self.ordered.front() }
    }

    fn heap_is_first(&self) -> bool {
        match (self.ordered.front(), self.heap.peek()) {
            (Some(ordered), Some(heap)) => heap > ordered,
            (ordered, _) => ordered.is_none(),
        }
    }

    /// Number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ordered.len() + self.heap.len()
    }

    /// Whether there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any mixture of pushes and pops gives what a sorted list gives.
        #[test]
        fn is_a_stable_priority_queue(steps in prop::collection::vec(prop::option::of((0..4i32, 0..3u64)), 0..200)) {
            let mut shard = Shard::default();
            let mut model: Vec<(Key, u32)> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                if let Some((priority, rank)) = step {
                    let key = Key { priority, rank };
                    shard.push(number as u32, key);
                    let place = model.iter().position(|(other, _)| *other < key).unwrap_or(model.len());
                    model.insert(place, (key, number as u32));
                } else {
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(shard.first_key(), expected.map(|(key, _)| key));
                    prop_assert_eq!(shard.first().copied(), expected.map(|(_, task)| task));
                    prop_assert_eq!(shard.pop(), expected.map(|(_, task)| task));
                }
                prop_assert_eq!(shard.len(), model.len());
            }
        }
    }
}
