//! `--eviction`: what leaves a memory that is full, and whether it suits the policy.

use anyhow::Result;
use clap::builder::TypedValueParser;
use tegula_runtime::sched::{EVICTIONS, EvictionPolicy, POLICIES, Policy, eviction};

use super::member;
use crate::error::refused;

/// A parser of the names of [`EVICTIONS`].
pub(crate) fn evictions() -> impl TypedValueParser<Value = usize> {
    member(EVICTIONS.iter().map(|policy| (policy.name, policy.summary)).collect())
}

/// The member of [`EVICTIONS`] that is `given`, or else what suits `policy`.
pub(crate) fn chosen_eviction(given: Option<usize>, policy: &Policy) -> &'static EvictionPolicy {
    given.map_or_else(
        || eviction(policy.eviction).expect("a policy names a listed eviction policy"),
        |index| &EVICTIONS[index],
    )
}

/// Refuses an eviction policy that needs to know more than `policy` does.
///
/// # Errors
/// If it needs the order of all tasks, and `policy` does not know it.
pub(crate) fn check_eviction(eviction: &EvictionPolicy, policy: &Policy) -> Result<()> {
    // A policy that knows the order says so by preferring what needs to know it.
    let knows_order = |policy: &Policy| policy.eviction == eviction.name;
    if !eviction.needs_order || knows_order(policy) {
        return Ok(());
    }
    let orderly: Vec<&str> = POLICIES.iter().filter(|p| knows_order(p)).map(|p| p.name).collect();
    Err(refused(format!(
        "--eviction {} needs a policy that knows the order of tasks ({}), not {}",
        eviction.name,
        orderly.join(", "),
        policy.name
    )))
}
