//! The machine: cores that this process may use, and workers as a simulator models them.

mod cores;
mod file;
mod limit;
mod machine;
mod models;
mod topology;

pub use cores::{allowed_cores, bind_to_cores, usable_cores};
pub use file::{ByPosition, file_identity};
pub use machine::{
    Cap, Durations, Link, Machine, Memory, MemoryKind, Route, Worker, WorkerClass, WorkerKind,
};
pub use models::{Basis, Entry, Formula, Models, TRUSTED};
pub use topology::Topology;

use crate::types::Cost;
pub use crate::types::{ClassId, MAX_MEMORIES, MemoryId};

/// How fast one worker is, for the simulator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkerModel {
    /// Floating-point rate in 10^9 operations per second.
    pub gflops: f64,
    /// Memory rate in 10^9 bytes per second.
    pub gbytes_per_second: f64,
    /// Time that each task takes besides its work, in seconds.
    pub overhead_seconds: f64,
}

impl WorkerModel {
    /// Time of a task that computes and moves data side by side: the longer of the two, in
    /// nanoseconds and at least 1.
    #[must_use]
    pub fn nanoseconds(&self, cost: Cost) -> u64 {
        let work = (cost.flops / self.gflops).max(cost.bytes / self.gbytes_per_second);
        ((work + 1e9 * self.overhead_seconds).round() as u64).max(1)
    }
}
