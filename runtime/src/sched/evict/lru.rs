//! Least recently used: what no started task has used for the longest time goes first.

use super::{EvictionContext, EvictionPolicy};
use crate::types::HandleId;

pub(super) const POLICY: EvictionPolicy = EvictionPolicy {
    name: "lru",
    summary: "what was not used for the longest time goes first",
    victim: least_recently_used,
    needs_order: false,
};

pub(super) fn least_recently_used(
    outlook: &EvictionContext<'_>,
    may: &dyn Fn(HandleId) -> bool,
) -> Option<HandleId> {
    let mut candidates = outlook.oldest_first().filter(|&handle| may(handle));
    candidates.find(|&handle| !outlook.is_prefetch || !outlook.is_wanted(handle))
}
