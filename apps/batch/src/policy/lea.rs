//! Locality and eviction aware: a load costs many times its duration.
//!
//! M. Gonthier, L. Marchal, S. Thibault, "Locality-aware batch scheduling".

use super::{Policy, Situation, Weights};

pub(super) static LEA: Policy = Policy {
    name: "lea",
    summary: "locality and eviction aware: a load counts W times, what it pushes out once",
    reads_files: true,
    weights,
    now: None,
};

/// Loads count `W` times, evictions once.
pub(super) fn weights(situation: &Situation) -> Weights {
    Weights { load: situation.weight, reload: 1.0 }
}
