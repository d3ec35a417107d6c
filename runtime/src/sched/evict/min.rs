//! Belady's rule: what is used again last goes first (Gonthier 2023, theorem 1 in section 2.2.3: no
//! eviction policy loads less often, in a fixed order of tasks with data of one size).

use crate::platform::MemoryId;

use super::lru::Lru;
use super::{Eviction, EvictionPolicy, Outlook};
use crate::sched::{HandleId, NextUse};

pub(super) const POLICY: EvictionPolicy = EvictionPolicy {
    name: "min",
    summary: "what is used again last goes first",
    build: |memories| Box::new(Min { recency: Lru::new(memories) }),
    needs_order: true,
};

struct Min {
    /// Decides among equals.
    recency: Lru,
}

/// When a datum is used next; committed tasks run before planned ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Committed(u64),
    Planned(u64),
    Never,
}

fn next(outlook: &Outlook<'_>, handle: HandleId, memory: MemoryId) -> Next {
    if let Some(position) = (outlook.committed)(handle, memory) {
        return Next::Committed(position);
    }
    match outlook.next_use(handle, memory) {
        NextUse::Planned { position, .. } => Next::Planned(position),
        NextUse::Never | NextUse::Unknown => Next::Never,
    }
}

impl Eviction for Min {
    fn used(&mut self, handle: HandleId, memory: MemoryId) {
        self.recency.used(handle, memory);
    }

    fn arrived(&mut self, handle: HandleId, memory: MemoryId) {
        self.recency.arrived(handle, memory);
    }

    fn left(&mut self, handle: HandleId, memory: MemoryId) {
        self.recency.left(handle, memory);
    }

    fn victim(
        &mut self,
        memory: MemoryId,
        is_prefetch: bool,
        outlook: &Outlook<'_>,
        may: &dyn Fn(HandleId) -> bool,
    ) -> Option<HandleId> {
        let mut last: Option<(Next, HandleId)> = None;
        for handle in self.recency.oldest_first(memory) {
            if !may(handle) || is_prefetch && outlook.is_wanted(handle, memory) {
                continue;
            }
            let next = next(outlook, handle, memory);
            if next == Next::Never {
                return Some(handle);
            }
            if last.as_ref().is_none_or(|(latest, _)| next > *latest) {
                last = Some((next, handle));
            }
        }
        last.map(|(_, handle)| handle)
    }
}
