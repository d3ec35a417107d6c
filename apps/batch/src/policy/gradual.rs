//! By pressure: as LEM, but what a load counts grows with the queue, and while most of the cluster
//! is idle files are kept apart.
//!
//! The longer jobs wait, the more a load that is saved is worth to all of them, so that `W` grows
//! with the cores that the queue asks for. While less than half of the cores are busy, files that
//! a node has count a little against it: later jobs of the same file find free cores beside it.
//! Our own; LEM has one weight for all queues.

use super::{Policy, Situation, Weights};

pub(super) static GRADUAL: Policy = Policy {
    name: "gradual",
    summary: "by pressure: as lem, with loads that count more the longer the queue is",
    reads_files: true,
    weights,
    now: None,
};

/// How fast the weight grows: by so many times `W` for each queue that asks for all cores once.
const GROWTH: f64 = 4.0;
/// What files on a node count while most of the cluster is idle.
const APART: f64 = 0.1;

fn weights(situation: &Situation) -> Weights {
    if 2 * situation.busy_cores < situation.cores {
        Weights { load: 1.0, reload: APART }
    } else if situation.running_nodes >= situation.nodes {
        let queue = situation.queued_cores as f64 / situation.cores as f64;
        Weights { load: situation.weight * (1.0 + GROWTH * queue), reload: 1.0 }
    } else {
        Weights::FINISH
    }
}
