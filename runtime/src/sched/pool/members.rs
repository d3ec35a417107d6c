//! A set of handles that is fast to scan.

use crate::types::HandleId;

/// Handles in no order, each with its place, so that any leaves at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    list: Vec<HandleId>,
    /// By handle.
    places: Vec<u32>,
}

impl Members {
    /// Adds `handle`, which is not in it.
    pub(super) fn add(&mut self, handle: HandleId) {
        let index = handle.0 as usize;
        if index >= self.places.len() {
            self.places.resize((index + 1).next_power_of_two(), 0);
        }
        self.places[index] = self.list.len() as u32;
        self.list.push(handle);
    }

    /// Takes `handle`, which is in it, out.
    pub(super) fn remove(&mut self, handle: HandleId) {
        let place = self.places[handle.0 as usize];
        self.list.swap_remove(place as usize);
        if let Some(&moved) = self.list.get(place as usize) {
            self.places[moved.0 as usize] = place;
        }
    }

    pub(super) fn as_slice(&self) -> &[HandleId] {
        &self.list
    }
}
