//! Earliest finishing time: where the file is there soonest.

use super::{Policy, Weights};

pub(super) static EFT: Policy = Policy {
    name: "eft",
    summary: "earliest finishing time: the node on which the file is there soonest",
    reads_files: true,
    weights: |_| Weights::FINISH,
    now: None,
};
