//! What a distribution is worth before anything runs: messages, and bounds of the time.

use anyhow::Result;
use tegula_plan::distribution::bounds::{Work, critical_path, cumulative};
use tegula_plan::distribution::messages::{Messages, redistribution};
use tegula_plan::distribution::{Costs, OwnerMap};
use tegula_plan::phases::surrogate::{coarse_makespan, rating};
use tegula_plan::platform::cluster::ClusterPlatform;

use super::Maps;
use crate::simulate::program::{Sizes, Spread, Workload};

/// What was found.
pub(super) struct Verdict {
    /// Messages of the last phase.
    pub(super) messages: Option<Messages>,
    /// Messages from the owners of the earlier phase to those of the last.
    pub(super) redistribution: Option<Messages>,
    /// Bounds of a factorisation.
    pub(super) bounds: Option<Bounds>,
}

/// Bounds of a factorisation.
pub(super) struct Bounds {
    /// The area bound of all tasks on all workers, in seconds.
    pub(super) area: f64,
    /// That of the tasks of each rank on its own workers.
    pub(super) of_ranks: Vec<f64>,
    /// The longest chain of tasks and messages, in seconds.
    pub(super) critical_path: f64,
    /// The estimate of a coarse model of the factorisation, in seconds.
    pub(super) coarse: f64,
    /// What ranks maps by that model, in seconds.
    pub(super) rating: f64,
    /// For each iteration and rank the sum of the bounds of the rank up to there (CABE).
    pub(super) cumulative: Vec<Vec<f64>>,
    /// For each iteration the bound of its tasks on all workers, and the largest of those of ranks
    /// on their own.
    pub(super) of_iterations: Vec<(f64, f64)>,
}

impl Bounds {
    fn new(map: &OwnerMap, costs: &Costs) -> Self {
        let work = Work::new(map, costs.factorisation);
        let parts = work.area_of_parts(costs);
        let most = |parts: &Vec<f64>| parts.iter().copied().fold(0.0, f64::max);
        let of_iterations = work.area_of_iterations(costs).into_iter().zip(parts.iter().map(most));
        Self {
            area: work.area(costs),
            of_ranks: work.area_of_ranks(costs),
            critical_path: critical_path(map, costs),
            coarse: coarse_makespan(map, costs),
            rating: rating(map, costs),
            of_iterations: of_iterations.collect(),
            cumulative: cumulative(&parts),
        }
    }

    /// By how much the rank whose own work takes longest is above the bound of all, relatively.
    pub(super) fn imbalance(&self) -> f64 {
        self.of_ranks.iter().copied().fold(0.0, f64::max) / self.area - 1.0
    }
}

/// Judges `maps`.
///
/// # Errors
/// If a node has no time of one of the tasks.
pub(super) fn judge(
    workload: &Workload,
    sizes: &Sizes,
    cluster: &ClusterPlatform,
    maps: &Maps,
) -> Result<Verdict> {
    let is_factorised =
        matches!(workload.spread, Spread::Factorised(_) | Spread::GeneratedAndFactorised);
    let factorisation = workload.spread.factorisation().filter(|_| is_factorised);
    let bounds = match (factorisation, &maps.last) {
        (Some(factorisation), Some(map)) => {
            Some(Bounds::new(map, &cluster.costs(factorisation, sizes.nb)?))
        }
        _ => None,
    };
    let both = maps.earlier.as_ref().zip(maps.last.as_ref());
    Ok(Verdict {
        messages: maps.last.as_ref().zip(workload.messages).map(|(map, count)| count(map)),
        redistribution: both.map(|(earlier, last)| redistribution(earlier, last)),
        bounds,
    })
}
