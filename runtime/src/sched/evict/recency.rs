//! What lies in each memory, in order of use: a list per memory, so that a victim is found after
//! those that may not go.

use crate::types::{HandleId, MemoryId};

/// The order in which data was used last, by memory.
#[derive(Debug)]
pub struct Recency {
    lists: Vec<List>,
}

impl Recency {
    /// That of empty memories.
    #[must_use]
    pub fn new(memories: usize) -> Self {
        Self { lists: vec![List::default(); memories] }
    }

    /// `handle` came to `memory`, is on its way there, or is used by a task that starts.
    pub fn renew(&mut self, handle: HandleId, memory: MemoryId) {
        self.lists[memory.0].renew(handle);
    }

    /// `handle` left `memory`.
    pub fn forget(&mut self, handle: HandleId, memory: MemoryId) {
        self.lists[memory.0].forget(handle);
    }

    /// What lies in `memory`, the least recently used first.
    pub fn oldest_first(&self, memory: MemoryId) -> impl Iterator<Item = HandleId> + '_ {
        self.lists[memory.0].oldest_first()
    }
}

/// A ring through all handles of a memory, the end mark included, the oldest first.
#[derive(Clone, Debug, Default)]
struct List {
    /// Neighbours by handle + 1; the place 0 is the end mark. Equal to itself: not in the list.
    neighbours: Vec<(u32, u32)>,
}

impl List {
    fn reserve(&mut self, place: u32) {
        let length = self.neighbours.len() as u32;
        self.neighbours.extend((length..=place).map(|free| (free, free)));
    }

    fn contains(&self, place: u32) -> bool {
        self.neighbours[place as usize].0 != place
    }

    fn remove(&mut self, place: u32) {
        let (before, after) = self.neighbours[place as usize];
        self.neighbours[before as usize].1 = after;
        self.neighbours[after as usize].0 = before;
        self.neighbours[place as usize] = (place, place);
    }

    fn push_newest(&mut self, place: u32) {
        let newest = self.neighbours[0].0;
        self.neighbours[place as usize] = (newest, 0);
        self.neighbours[newest as usize].1 = place;
        self.neighbours[0].0 = place;
    }

    fn renew(&mut self, handle: HandleId) {
        let place = handle.0 + 1;
        self.reserve(place);
        if self.contains(place) {
            self.remove(place);
        }
        self.push_newest(place);
    }

    fn forget(&mut self, handle: HandleId) {
        let place = handle.0 + 1;
        if (place as usize) < self.neighbours.len() && self.contains(place) {
            self.remove(place);
        }
    }

    fn oldest_first(&self) -> impl Iterator<Item = HandleId> + '_ {
        let next = |place: u32| self.neighbours.get(place as usize).map_or(0, |pair| pair.1);
        let places = std::iter::successors(Some(next(0)), move |&place| Some(next(place)));
        places.take_while(|&place| place != 0).map(|place| HandleId(place - 1))
    }
}
