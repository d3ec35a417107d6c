//! Load balance over two phases that overlap: which power each node has in each, by a linear
//! programme, and the maps of owners that follow from it.
//!
//! A [`Workload`] says what is to be done; [`plan`] divides it among the nodes of a cluster and
//! gives their powers; a member of [`PLACEMENTS`] makes a map of owners for each phase.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.

mod error;
mod nodes;
mod placement;
mod powers;
mod programme;
pub mod search;
pub mod surrogate;
mod traffic;
mod workload;

pub use error::PlanError;
pub use nodes::{Nodes, Resource};
use placement::second;
pub use placement::{Maps, PLACEMENTS, PlacementEntry, placement};
use programme::{Problem, Solution};
use traffic::{Rates, Traffic};
pub use workload::{PHASES, Phase, Shape, TaskType, Workload};

use crate::distribution::Powers;
use crate::platform::cluster::ClusterPlatform;

/// What a plan may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Ranks that take no part in the first phase, and in the second.
    pub without: [Vec<usize>; 2],
    /// Kernels of the first phase of which a node runs so many tasks at a time, and not more.
    pub at_a_time: Vec<(&'static str, usize)>,
    /// Whether the network carries everything at once, as in the thesis.
    pub is_network_free: bool,
}

/// Who is to do how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The end of each step in the first phase and in the second, in seconds: `tau1` and `tau2`.
    pub ends: [Vec<f64>; 2],
    /// The power of each node in the first phase and in the second; they sum up to 1.
    pub powers: [Powers; 2],
    /// How many tiles each node makes in the first phase.
    pub tiles: Vec<usize>,
    /// How long the busiest link works under the maps of these powers, in seconds; 0 if the network
    /// is free.
    pub link_seconds: f64,
    /// The nodes that it is for, with those that are alike together.
    pub nodes: Vec<Nodes>,
}

impl Plan {
    /// The makespan that it expects: the end of the last step, or what the busiest link takes if
    /// that is longer.
    ///
    /// It is no strict bound: steps of the second phase overlap in truth, and wait here.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.ends[1].last().copied().unwrap_or(0.0).max(self.link_seconds)
    }

    /// The nodes among which a rank is.
    fn nodes_of(&self, rank: usize) -> &Nodes {
        let mut nodes = self.nodes.iter();
        nodes.find(|nodes| nodes.ranks.contains(&rank)).expect("every rank is a node")
    }
}

/// How often messages are counted and the programme is solved again, at most.
const ROUNDS: usize = 6;

/// Rates of messages that differ by less, relatively, are the same.
const SAME: f64 = 0.01;

/// The division of `work` among the nodes of `cluster` that ends first.
///
/// Unless the network is free, the programme is solved for the messages of the map that it gives
/// itself: they are counted under that map and it is solved again, until they stay the same. If the
/// expected makespan gets no shorter from one round to the next, the rates of messages go half of
/// their way. The best of these plans is taken.
///
/// # Errors
/// If no node that takes part can run some of the tasks, or times lie so far apart that the
/// programme cannot be solved.
///
/// # Panics
/// If types have different numbers of steps, or a phase has no tasks.
pub fn plan(
    cluster: &ClusterPlatform,
    work: &Workload,
    options: &Options,
) -> Result<Plan, PlanError> {
    work.check();
    let nodes = Nodes::of(cluster, work, options);
    let backbone = cluster.backbone_bytes_per_second;
    let problem = Problem { work, nodes: &nodes, options, backbone };
    let mut best = problem.plan(&problem.solve(None)?);
    if options.is_network_free {
        return Ok(best);
    }
    let traffic = Traffic::of(&best, work, &second(&best, work));
    best.link_seconds = traffic.link_seconds(&nodes, work.bytes);
    let mut rates = traffic.rates(&best, work.bytes, &vec![Rates::default(); nodes.len()]);
    for _ in 0..ROUNDS {
        let mut next = problem.plan(&problem.solve(Some(&rates))?);
        let traffic = Traffic::of(&next, work, &second(&next, work));
        next.link_seconds = traffic.link_seconds(&nodes, work.bytes);
        let mut counted = traffic.rates(&next, work.bytes, &rates);
        let both = || rates.iter().zip(&counted);
        if both().all(|(old, new)| old.are_near(new, SAME)) {
            return Ok(if next.seconds() < best.seconds() { next } else { best });
        }
        if next.seconds() < best.seconds() {
            best = next;
        } else {
            counted = both().map(|(old, new)| old.towards(new)).collect();
        }
        rates = counted;
    }
    Ok(best)
}

impl Problem<'_> {
    fn plan(&self, solution: &Solution) -> Plan {
        Plan {
            ends: solution.ends.clone(),
            powers: powers::powers(self, solution),
            tiles: powers::tiles(self, solution),
            link_seconds: 0.0,
            nodes: self.nodes.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests;
