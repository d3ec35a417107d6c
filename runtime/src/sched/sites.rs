//! Workers grouped by what planning policies tell apart: their memory and their class; and counts
//! by handle and memory.

use crate::platform::Machine;
use crate::types::{ClassId, MemoryId};

use super::{HandleId, NextUse, WorkerId};

/// Workers of one class on one memory.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) memory: MemoryId,
    pub(super) class: ClassId,
    pub(super) workers: Vec<WorkerId>,
}

/// All workers of a machine.
#[derive(Clone, Debug)]
pub(super) struct Sites {
    pub(super) list: Vec<Site>,
    /// By worker, the number of its site.
    of: Vec<usize>,
    pub(super) memories: usize,
    /// The memory below all others, where whatever has no other place lies.
    pub(super) lowest: MemoryId,
}

impl Default for Sites {
    fn default() -> Self {
        Self { list: Vec::new(), of: Vec::new(), memories: 0, lowest: MemoryId::RAM }
    }
}

impl Sites {
    /// Whether [`learn`](Self::learn) was called.
    pub(super) fn is_known(&self) -> bool {
        !self.list.is_empty()
    }

    /// Notes the workers of `machine`.
    pub(super) fn learn(&mut self, machine: &Machine) {
        self.memories = machine.memories.len();
        self.lowest = machine.lowest();
        for (number, worker) in machine.workers.iter().enumerate() {
            let (memory, class) = (worker.memory, worker.class);
            let known = |site: &Site| site.memory == memory && site.class == class;
            let site = self.list.iter().position(known).unwrap_or_else(|| {
                self.list.push(Site { memory, class, workers: Vec::new() });
                self.list.len() - 1
            });
            self.list[site].workers.push(WorkerId(number));
            self.of.push(site);
        }
    }

    /// The number of the site of `worker`.
    pub(super) fn of(&self, worker: WorkerId) -> usize {
        self.of[worker.0]
    }

    /// Number of workers of the class of `site`, wherever they are.
    pub(super) fn peers(&self, site: usize) -> u64 {
        let alike = self.list.iter().filter(|other| other.class == self.list[site].class);
        alike.map(|other| other.workers.len() as u64).sum()
    }

    /// Whether all data lies in the memory of `site` anyway, so that what lies there says nothing
    /// about where a task belongs.
    pub(super) fn holds_all(&self, site: usize) -> bool {
        self.list[site].memory == self.lowest
    }
}

/// How many planned tasks use a handle in a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    memories: usize,
    counts: Vec<u32>,
}

impl Uses {
    fn place(&self, handle: HandleId, memory: MemoryId) -> usize {
        handle.0 as usize * self.memories + memory.0
    }

    /// Counts one more, in one of `memories` memories.
    pub(super) fn add(&mut self, handle: HandleId, memory: MemoryId, memories: usize) {
        self.memories = memories;
        let place = self.place(handle, memory);
        if place >= self.counts.len() {
            self.counts.resize((place + memories).next_power_of_two(), 0);
        }
        self.counts[place] += 1;
    }

    /// Counts one less; says how many are left.
    pub(super) fn remove(&mut self, handle: HandleId, memory: MemoryId) -> u32 {
        let place = self.place(handle, memory);
        self.counts[place] -= 1;
        self.counts[place]
    }

    pub(super) fn count(&self, handle: HandleId, memory: MemoryId) -> u32 {
        self.counts.get(self.place(handle, memory)).copied().unwrap_or(0)
    }

    /// The count as the answer of a scheduler that keeps no positions.
    pub(super) fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        match self.count(handle, memory) {
            0 => NextUse::Never,
            count => NextUse::Planned { count, position: 0 },
        }
    }
}
