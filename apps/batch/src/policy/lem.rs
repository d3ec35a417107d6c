//! Locality and eviction aware, mixed: as LEA when every node runs a job, as earliest finishing
//! time before that.

use super::{Policy, Situation, Weights, lea};

pub(super) static LEM: Policy = Policy {
    name: "lem",
    summary: "mixed: as lea when every node runs a job, else as eft",
    reads_files: true,
    weights,
    now: None,
};

fn weights(situation: &Situation) -> Weights {
    if situation.running_nodes >= situation.nodes {
        lea::weights(situation)
    } else {
        Weights::FINISH
    }
}
