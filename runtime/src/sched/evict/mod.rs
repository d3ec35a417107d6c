//! Eviction policies: which replica leaves a memory when room is needed.
//!
//! To add one: a file with a function that names a victim, and one line in [`EVICTIONS`].

mod lru;
mod luf;
mod min;
mod recency;

use crate::memory::Replicas;
use crate::types::MemoryId;

pub use recency::Recency;

use super::{HandleId, NextUse, Scheduler};

/// What an eviction policy may look at to make room in one memory.
pub struct EvictionContext<'a> {
    /// Where room is needed.
    pub memory: MemoryId,
    /// Whether it is for data that no admitted task waits for: nothing useful should go for that.
    pub is_prefetch: bool,
    /// Where data lies, and how many committed tasks use it there.
    pub replicas: &'a Replicas,
    /// When it was used last.
    pub recency: &'a Recency,
    /// What is planned beyond what is committed.
    pub scheduler: &'a dyn Scheduler,
    /// Position, in the order of commitment, of the first committed task of a memory that uses a
    /// datum; none if no committed task does.
    pub committed: &'a dyn Fn(HandleId, MemoryId) -> Option<u64>,
}

impl EvictionContext<'_> {
    /// What lies in the memory, the least recently used first.
    pub fn oldest_first(&self) -> impl Iterator<Item = HandleId> + '_ {
        self.recency.oldest_first(self.memory)
    }

    /// When the scheduler plans to use `handle` there.
    #[must_use]
    pub fn next_use(&self, handle: HandleId) -> NextUse {
        self.scheduler.next_use(handle, self.memory)
    }

    /// Whether a committed task uses `handle` there.
    #[must_use]
    pub fn is_committed(&self, handle: HandleId) -> bool {
        self.replicas.committed(handle, self.memory) > 0
    }

    /// Position of the first committed task that uses `handle` there.
    #[must_use]
    pub fn first_committed(&self, handle: HandleId) -> Option<u64> {
        (self.committed)(handle, self.memory)
    }

    /// For how many tasks that are not committed the scheduler asked for `handle` there.
    #[must_use]
    pub fn hints(&self, handle: HandleId) -> u32 {
        self.replicas.hinted(handle, self.memory)
    }

    /// Whether a prefetch should leave `handle` there: a committed task uses it, or the scheduler
    /// asked for it.
    #[must_use]
    pub fn is_wanted(&self, handle: HandleId) -> bool {
        self.is_committed(handle) || self.hints(handle) > 0
    }
}

/// A member of [`EVICTIONS`].
#[derive(Clone, Copy)]
pub struct EvictionPolicy {
    /// Value of `--eviction`.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Which of the replicas goes first among those that may go; none if nothing may, or nothing
    /// should for the sake of a prefetch.
    pub victim: fn(&EvictionContext<'_>, &dyn Fn(HandleId) -> bool) -> Option<HandleId>,
    /// Whether it needs a scheduler that knows the order of all tasks to come.
    pub needs_order: bool,
}

impl std::fmt::Debug for EvictionPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every eviction policy.
pub static EVICTIONS: &[EvictionPolicy] = &[lru::POLICY, luf::POLICY, min::POLICY];

/// The eviction policy called `name`.
#[must_use]
pub fn eviction(name: &str) -> Option<&'static EvictionPolicy> {
    EVICTIONS.iter().find(|policy| policy.name == name)
}
