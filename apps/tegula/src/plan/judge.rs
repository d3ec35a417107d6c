//! What a distribution is worth before anything runs: messages, and bounds of the time.

use anyhow::Result;
use tegula_plan::distribution::bounds::{Work, critical_path, cumulative};
use tegula_plan::distribution::messages::{Messages, redistribution};
use tegula_plan::distribution::{Costs, OwnerMap};
use tegula_plan::phases::surrogate::{coarse_makespan, rating};
use tegula_plan::platform::cluster::ClusterPlatform;

use tegula_runtime::flow::Flow;

use super::Maps;
use crate::error::refused;
use crate::simulate::pack_as_known;
use crate::simulate::program::{Setting, Spread, Workload};

/// Most tasks of a program that is run to count its messages: it is noted whole.
pub(super) const MOST: u64 = 1 << 22;

/// What was found.
pub(super) struct Verdict {
    /// Messages of the last phase, or of a program that has one.
    pub(super) messages: Option<Messages>,
    /// Their bytes.
    pub(super) bytes: Option<u64>,
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
/// If a node has no time of one of the tasks, or the program takes other decisions than those
/// given.
pub(super) fn judge(
    workload: &Workload,
    setting: &Setting,
    cluster: &ClusterPlatform,
    maps: &Maps,
) -> Result<Verdict> {
    let sizes = &setting.sizes;
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
    let (messages, bytes) = messages(workload, setting, cluster, maps)?.unzip();
    let redistribution = both.map(|(earlier, last)| redistribution(earlier, last));
    Ok(Verdict { messages, bytes, redistribution, bounds })
}

/// What `workload` sends: by a formula, or as many as its tasks ask for if these are not too many.
fn messages(
    workload: &Workload,
    setting: &Setting,
    cluster: &ClusterPlatform,
    maps: &Maps,
) -> Result<Option<(Messages, u64)>> {
    let (Some(map), sizes) = (&maps.last, &setting.sizes) else { return Ok(None) };
    if let Some(count) = workload.messages {
        let messages = count(map);
        let bytes = messages.total() * sizes.tile_bytes() as u64;
        return Ok(Some((messages, bytes)));
    }
    if workload.tasks(sizes) > MOST {
        return match setting.decisions {
            None => Ok(None),
            Some(_) => Err(refused(format!(
                "--tiles {}: messages of {} are counted of up to {MOST} tasks, and --decisions is \
                 for them alone; give fewer tiles",
                sizes.tiles, workload.name
            ))),
        };
    }
    pack_as_known(cluster);
    let nodes = cluster.nodes.iter().map(|node| &node.machine);
    let workers = nodes.clone().map(|machine| machine.workers.len()).sum::<usize>();
    let is_flat = nodes.clone().all(|machine| machine.is_flat());
    let mut flow = Flow::listening_for(workers.div_ceil(nodes.len()), is_flat);
    workload.submit(&mut flow, setting).expect("nothing runs that could fail");
    setting.check_followed(&mut flow)?;
    Ok(Some(Messages::of(&flow.take_program(), cluster.nodes.len(), &*maps.owners)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tegula_kernels::scalar::Precision;
    use tegula_runtime::sched::policy;

    use super::*;
    use crate::plan::NOTHING_READ;
    use crate::simulate::program::{Sizes, WORKLOADS};
    use crate::simulate::simulated;

    /// Nodes with accelerators and without have other tasks.
    #[test]
    fn messages_of_all_routines_are_those_of_a_simulation() {
        let sizes = |tiles| Sizes {
            tiles,
            nb: 20,
            precision: Precision::Double,
            nrhs: 1,
            width: 1,
            evaluations: 1,
            places: 1,
            passes: 1,
            seed: 0,
            matrix: None,
        };
        let reading = NOTHING_READ;
        for platform in ["3chetemi", "2chetemi+1chifflet"] {
            let cluster = ClusterPlatform::find(Path::new(platform)).expect("known nodes");
            pack_as_known(&cluster);
            for workload in WORKLOADS.iter() {
                if !matches!(workload.spread, Spread::Tiles(_) | Spread::Factorised(_)) {
                    continue;
                }
                let setting = Setting::new(sizes(5));
                let maps = Maps::new(workload, &setting.sizes, &cluster, Some("1d1d"), reading);
                let maps = maps.expect("it has tiles");
                let verdict =
                    judge(workload, &setting, &cluster, &maps).expect("its times are known");
                let options = cluster.options(policy("dmdas").expect("a listed policy"));
                let sent = simulated(options, workload, &setting, &maps, |_| ()).traffic();
                let messages = verdict.messages.expect("they are counted");
                let received: u64 = messages.received.iter().sum();
                assert_eq!(
                    (messages.total(), received),
                    (sent.messages, sent.messages),
                    "{workload:?}"
                );
                if workload.messages.is_none() {
                    assert_eq!(verdict.bytes, Some(sent.bytes), "{workload:?}");
                }
            }
        }
    }
}
