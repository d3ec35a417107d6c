//! How many tasks of some kinds run at a time.

use crate::platform::{Cap, Machine};
use crate::types::TaskId;

/// The limits of a machine, and how far they are used.
#[derive(Debug)]
pub(super) struct Caps {
    caps: Vec<Cap>,
    running: Vec<usize>,
    /// By task slot, the limit that applies, plus 1.
    of: Vec<u8>,
}

impl Caps {
    pub(super) fn new(machine: &Machine) -> Self {
        Self { caps: machine.caps.clone(), running: vec![0; machine.caps.len()], of: Vec::new() }
    }

    /// Notes what limit applies to a task of `codelet`: the first that names it.
    pub(super) fn enter(&mut self, task: TaskId, codelet: &str) {
        if self.caps.is_empty() {
            return;
        }
        let slot = task.0 as usize;
        if slot >= self.of.len() {
            self.of.resize((slot + 1).next_power_of_two(), 0);
        }
        let names = |cap: &Cap| cap.codelets.iter().any(|name| name == codelet);
        self.of[slot] = self.caps.iter().position(names).map_or(0, |cap| cap as u8 + 1);
    }

    fn cap(&self, task: TaskId) -> Option<usize> {
        (*self.of.get(task.0 as usize)?).checked_sub(1).map(usize::from)
    }

    /// Counts `task` as running; false if as many as may run do.
    pub(super) fn take(&mut self, task: TaskId) -> bool {
        let Some(cap) = self.cap(task) else { return true };
        let is_free = self.running[cap] < self.caps[cap].most;
        self.running[cap] += usize::from(is_free);
        is_free
    }

    /// Counts `task` as done; true if another may start for that.
    pub(super) fn give_back(&mut self, task: TaskId) -> bool {
        let cap = self.cap(task);
        if let Some(cap) = cap {
            self.running[cap] -= 1;
        }
        cap.is_some()
    }
}
