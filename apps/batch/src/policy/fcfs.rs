//! First come, first served: where cores are free soonest.

use super::{Policy, Weights};

pub(super) static FCFS: Policy = Policy {
    name: "fcfs",
    summary: "first come, first served: the node whose cores are free soonest",
    reads_files: false,
    weights: |_| Weights::NONE,
    now: None,
};
