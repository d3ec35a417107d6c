//! Nodes that are alike, and their resources as the programme sees them.

use tegula_runtime::platform::ClassId;

use super::{Options, PHASES, Phase, Workload};
use crate::platform::cluster::{ClusterNode, ClusterPlatform};

/// Nodes with the same workers on the same link that take part in the same phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// Their ranks.
    pub ranks: Vec<usize>,
    /// Their workers, by class.
    pub resources: Vec<Resource>,
    /// Bytes per second that leave one of them, while as many come to it.
    pub bytes_per_second: f64,
}

/// All workers of one class of nodes that are alike: an `r` of the set `R` of the programme.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// How many each node has.
    pub workers: usize,
    /// How long one of them takes for a task of each type of the workload, in seconds; none: it
    /// cannot run it, or its node takes no part in that phase.
    pub seconds: Vec<Option<f64>>,
}

impl Nodes {
    /// The nodes of `cluster`, with times for the tasks of `work`.
    #[must_use]
    pub fn of(cluster: &ClusterPlatform, work: &Workload, options: &Options) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (rank, node) in cluster.nodes.iter().enumerate() {
            let takes_part = |phase: Phase| !options.without[phase as usize].contains(&rank);
            let resources = resources(node, work, PHASES.map(takes_part));
            let bytes_per_second = node.network.bytes_per_second;
            let is_alike = |nodes: &&mut Self| {
                nodes.resources == resources && nodes.bytes_per_second == bytes_per_second
            };
            match all.iter_mut().find(is_alike) {
                Some(nodes) => nodes.ranks.push(rank),
                None => all.push(Self { ranks: vec![rank], resources, bytes_per_second }),
            }
        }
        all
    }

    /// How long their workers of a resource take together for one task of type `t`: `w`.
    pub(super) fn seconds(&self, resource: &Resource, t: usize) -> Option<f64> {
        Some(resource.seconds[t]? / (resource.workers * self.ranks.len()) as f64)
    }

    /// How long the fastest of their workers takes for a task of type `t`.
    pub(super) fn best_seconds(&self, t: usize) -> Option<f64> {
        self.resources.iter().filter_map(|resource| resource.seconds[t]).reduce(f64::min)
    }
}

/// The workers of a node, by class, with times in the phases that it takes part in.
fn resources(node: &ClusterNode, work: &Workload, takes_part: [bool; 2]) -> Vec<Resource> {
    let classes = (0..node.machine.classes.len()).map(ClassId);
    let of_class = |class| {
        let seconds = work.types.iter().map(|kind| {
            let seconds = node.seconds_of(kind.kernel, kind.cost, class);
            seconds.filter(|_| takes_part[kind.phase as usize])
        });
        Resource { workers: node.workers(class), seconds: seconds.collect() }
    };
    classes.map(of_class).filter(|resource| resource.workers > 0).collect()
}
