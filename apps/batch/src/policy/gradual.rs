//! By pressure: as LEM, but what a load counts grows with the queue, and while most of the cluster
//! is idle files are kept apart.
//!
//! The longer jobs wait, the more a load that is saved is worth to all of them, so that its weight
//! grows with the cores that the queue asks for, from below `W` on: where few jobs wait, to wait
//! for a file costs more than its load. While little of the cluster is busy, files that a node has
//! count a little against it: later jobs of the same file find free cores beside it. Our own; LEM
//! has one weight for all queues.

use super::{Policy, Situation, Weights};

pub(super) static GRADUAL: Policy = Policy {
    name: "gradual",
    summary: "by pressure: as lem, with loads that count more the longer the queue is",
    reads_files: true,
    weights,
    now: None,
};

/// What loads (of `W`) and files that are pushed out count where no job waits; each queue that asks
/// for all cores once adds `W` for loads.
const LEAST: f64 = 0.3;
/// What files on a node count while less than this share of the cores is busy.
const APART: f64 = 0.1;
const LITTLE: f64 = 0.4;

fn weights(situation: &Situation) -> Weights {
    if (situation.busy_cores as f64) < LITTLE * situation.cores as f64 {
        Weights { load: 1.0, reload: APART }
    } else if situation.running_nodes >= situation.nodes {
        let queue = situation.queued_cores as f64 / situation.cores as f64;
        Weights { load: situation.weight * (LEAST + queue), reload: LEAST }
    } else {
        Weights::FINISH
    }
}
