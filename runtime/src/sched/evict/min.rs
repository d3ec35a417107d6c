//! Belady's rule: what is used again last goes first (Gonthier 2023, theorem 1 in section 2.2.3: no
//! eviction policy loads less often, in a fixed order of tasks with data of one size).

use super::{EvictionContext, EvictionPolicy};
use crate::sched::NextUse;
use crate::types::HandleId;

pub(super) const POLICY: EvictionPolicy = EvictionPolicy {
    name: "min",
    summary: "what is used again last goes first",
    victim: used_again_last,
    needs_order: true,
};

/// When a datum is used next; committed tasks run before planned ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Committed(u64),
    Planned(u64),
    Never,
}

fn next(outlook: &EvictionContext<'_>, handle: HandleId) -> Next {
    if let Some(position) = outlook.first_committed(handle) {
        return Next::Committed(position);
    }
    match outlook.next_use(handle) {
        NextUse::Planned { position, .. } => Next::Planned(position),
        NextUse::Never | NextUse::Unknown => Next::Never,
    }
}

/// Ties go to the least recently used.
fn used_again_last(
    outlook: &EvictionContext<'_>,
    may: &dyn Fn(HandleId) -> bool,
) -> Option<HandleId> {
    let mut last: Option<(Next, HandleId)> = None;
    for handle in outlook.oldest_first() {
        if !may(handle) || outlook.is_prefetch && outlook.is_wanted(handle) {
            continue;
        }
        let next = next(outlook, handle);
        if next == Next::Never {
            return Some(handle);
        }
        if last.as_ref().is_none_or(|(latest, _)| next > *latest) {
            last = Some((next, handle));
        }
    }
    last.map(|(_, handle)| handle)
}
