//! Least used in the future: what no committed task uses and the fewest planned tasks would use
//! goes first (Gonthier 2023, section 4.3.4, algorithm 10).

use crate::platform::MemoryId;

use super::lru::Lru;
use super::{Eviction, EvictionPolicy, Outlook};
use crate::sched::{HandleId, NextUse};

pub(super) const POLICY: EvictionPolicy = EvictionPolicy {
    name: "luf",
    summary: "what no committed task and the fewest planned tasks use goes first",
    build: |memories| Box::new(Luf { recency: Lru::new(memories) }),
    needs_order: false,
};

struct Luf {
    /// Decides among equals, and in the place of a scheduler that plans nothing.
    recency: Lru,
}

/// How many tasks that are not committed would use `handle` in `memory`; none if the scheduler
/// does not know.
fn planned(outlook: &Outlook<'_>, handle: HandleId, memory: MemoryId) -> Option<u32> {
    let hinted = outlook.replicas.hinted(handle, memory);
    match outlook.next_use(handle, memory) {
        NextUse::Planned { count, .. } => Some(count.max(hinted)),
        NextUse::Never => Some(hinted),
        NextUse::Unknown => None,
    }
}

impl Luf {
    /// Among what no committed task uses, what is planned least; ties go to the least recently
    /// used.
    fn least_planned(
        &self,
        memory: MemoryId,
        outlook: &Outlook<'_>,
        may: &dyn Fn(HandleId) -> bool,
    ) -> Option<HandleId> {
        let mut least: Option<(u32, HandleId)> = None;
        for handle in self.recency.oldest_first(memory) {
            if outlook.replicas.committed(handle, memory) > 0 || !may(handle) {
                continue;
            }
            match planned(outlook, handle, memory) {
                Some(0) | None => return Some(handle),
                Some(count) if least.is_none_or(|(few, _)| count < few) => {
                    least = Some((count, handle));
                }
                Some(_) => {}
            }
        }
        least.map(|(_, handle)| handle)
    }

    /// Belady's rule on the committed tasks: what is used last.
    fn last_committed(
        &self,
        memory: MemoryId,
        outlook: &Outlook<'_>,
        may: &dyn Fn(HandleId) -> bool,
    ) -> Option<HandleId> {
        let candidates = self.recency.oldest_first(memory).filter(|&handle| may(handle));
        candidates.max_by_key(|&handle| (outlook.committed)(handle, memory).unwrap_or(u64::MAX))
    }
}

impl Eviction for Luf {
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
        let first = self.recency.oldest_first(memory).find(|&handle| may(handle))?;
        if outlook.next_use(first, memory) == NextUse::Unknown {
            return self.recency.victim(memory, is_prefetch, outlook, may);
        }
        let least = self.least_planned(memory, outlook, may);
        if is_prefetch {
            return least;
        }
        least.or_else(|| self.last_committed(memory, outlook, may))
    }
}
