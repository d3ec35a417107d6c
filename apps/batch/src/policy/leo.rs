//! Locality and eviction aware, opportunistic: as earliest finishing time on nodes that are free
//! now, as LEA on the others.

use super::{Policy, Weights, lea};

pub(super) static LEO: Policy = Policy {
    name: "leo",
    summary: "opportunistic: as eft on nodes that are free now, as lea on the others",
    reads_files: true,
    weights: lea::weights,
    now: Some(Weights::FINISH),
};
