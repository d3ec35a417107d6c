//! Eviction policies: which replica leaves a memory when room is needed.

mod lru;
mod luf;
mod min;

use crate::memory::Replicas;
use crate::platform::MemoryId;

use super::{HandleId, NextUse, Scheduler};

/// What an eviction policy may look at.
pub struct Outlook<'a> {
    /// Where data lies, and how many committed tasks use it there.
    pub replicas: &'a Replicas,
    /// What is planned beyond that.
    pub scheduler: &'a dyn Scheduler,
    /// Position, in the order of commitment, of the first committed task of a memory that uses a
    /// datum; none if no committed task does.
    pub committed: &'a dyn Fn(HandleId, MemoryId) -> Option<u64>,
}

impl Outlook<'_> {
    /// When the scheduler plans to use `handle` in `memory`.
    #[must_use]
    pub fn next_use(&self, handle: HandleId, memory: MemoryId) -> NextUse {
        self.scheduler.next_use(handle, memory)
    }

    /// Whether a prefetch should leave `handle` in `memory`: a committed task uses it, or a policy
    /// asked for it.
    #[must_use]
    pub fn is_wanted(&self, handle: HandleId, memory: MemoryId) -> bool {
        let replicas = self.replicas;
        replicas.committed(handle, memory) > 0 || replicas.hinted(handle, memory) > 0
    }
}

/// An eviction policy: a pure state machine.
pub trait Eviction: Send {
    /// A task that uses `handle` starts in `memory`.
    fn used(&mut self, handle: HandleId, memory: MemoryId);

    /// `handle` came to `memory`, or is on its way.
    fn arrived(&mut self, handle: HandleId, memory: MemoryId);

    /// `handle` left `memory`.
    fn left(&mut self, handle: HandleId, memory: MemoryId);

    /// Which of the replicas in `memory` goes first among those that `may` go; none if nothing may,
    /// or nothing should for the sake of a prefetch.
    fn victim(
        &mut self,
        memory: MemoryId,
        is_prefetch: bool,
        outlook: &Outlook<'_>,
        may: &dyn Fn(HandleId) -> bool,
    ) -> Option<HandleId>;
}

/// A member of [`EVICTIONS`].
#[derive(Clone, Copy)]
pub struct EvictionPolicy {
    /// Value of `--eviction`.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Makes one for a machine with this many memories.
    pub build: fn(usize) -> Box<dyn Eviction>,
    /// Whether it needs a scheduler that knows the order of all tasks to come.
    pub needs_order: bool,
}

impl std::fmt::Debug for EvictionPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every eviction policy.
pub const EVICTIONS: &[EvictionPolicy] = &[lru::POLICY, luf::POLICY, min::POLICY];

/// The eviction policy called `name`.
#[must_use]
pub fn eviction(name: &str) -> Option<&'static EvictionPolicy> {
    EVICTIONS.iter().find(|policy| policy.name == name)
}
