//! Least used in the future: what no committed task uses and the fewest planned tasks would use
//! goes first (Gonthier 2023, section 4.3.4, algorithm 10).

use super::lru::least_recently_used;
use super::{EvictionContext, EvictionPolicy};
use crate::sched::NextUse;
use crate::types::HandleId;

pub(super) const POLICY: EvictionPolicy = EvictionPolicy {
    name: "luf",
    summary: "what no committed task and the fewest planned tasks use goes first",
    victim: least_used_in_the_future,
    needs_order: false,
};

fn least_used_in_the_future(
    outlook: &EvictionContext<'_>,
    may: &dyn Fn(HandleId) -> bool,
) -> Option<HandleId> {
    let first = outlook.oldest_first().find(|&handle| may(handle))?;
    if outlook.next_use(first) == NextUse::Unknown {
        // The scheduler plans nothing.
        return least_recently_used(outlook, may);
    }
    let least = least_planned(outlook, may);
    if outlook.is_prefetch {
        return least;
    }
    least.or_else(|| last_committed(outlook, may))
}

/// Among what no committed task uses, what is planned least; ties go to the least recently used.
fn least_planned(
    outlook: &EvictionContext<'_>,
    may: &dyn Fn(HandleId) -> bool,
) -> Option<HandleId> {
    let mut least: Option<(u32, HandleId)> = None;
    for handle in outlook.oldest_first() {
        if outlook.is_committed(handle) || !may(handle) {
            continue;
        }
        match planned(outlook, handle) {
            Some(0) | None => return Some(handle),
            Some(count) if least.is_none_or(|(few, _)| count < few) => {
                least = Some((count, handle));
            }
            Some(_) => {}
        }
    }
    least.map(|(_, handle)| handle)
}

/// How many tasks that are not committed would use `handle`; none if the scheduler does not know.
fn planned(outlook: &EvictionContext<'_>, handle: HandleId) -> Option<u32> {
    let hinted = outlook.hints(handle);
    match outlook.next_use(handle) {
        NextUse::Planned { count, .. } => Some(count.max(hinted)),
        NextUse::Never => Some(hinted),
        NextUse::Unknown => None,
    }
}

/// Belady's rule on the committed tasks: what is used last.
fn last_committed(
    outlook: &EvictionContext<'_>,
    may: &dyn Fn(HandleId) -> bool,
) -> Option<HandleId> {
    let candidates = outlook.oldest_first().filter(|&handle| may(handle));
    candidates.max_by_key(|&handle| outlook.first_committed(handle).unwrap_or(u64::MAX))
}
