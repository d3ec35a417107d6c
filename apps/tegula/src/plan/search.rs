//! `--search`: the map under which a simulated factorisation ends first.

use anyhow::Result;
use tegula_data::distribution::OwnerMap;
use tegula_data::plan::search::{Found, Search};
use tegula_data::platform::cluster::ClusterPlatform;
use tegula_runtime::sched::policy;

use super::Maps;
use crate::error::refused;
use crate::output::Progress;
use crate::simulate::program::{Setting, Sizes, Spread, Workload};
use crate::simulate::{lay_out_as_known, simulated};

/// Moves that the coarse model looks at between two simulations.
const MOVES: usize = 2000;

/// The policy of the simulations.
const POLICY: &str = "dmdas";

/// Simulates `workload` so often under other maps, beginning with 1D-1D constrained and shuffled, and returns the best.
///
/// # Errors
/// If it is no factorisation, or a node has no time of one of the tasks.
pub(super) fn search(
    workload: &'static Workload,
    sizes: &Sizes,
    cluster: &ClusterPlatform,
    evaluations: usize,
    progress: &mut Progress,
) -> Result<(Maps, Found)> {
    let Spread::Factorised(factorisation) = workload.spread else {
        return Err(refused(format!("--search: {} is no factorisation alone", workload.name)));
    };
    let (powers, costs) =
        (cluster.powers("gemm", sizes.nb)?, cluster.costs(factorisation, sizes.nb)?);
    let (setting, policy) = (Setting::new(*sizes), policy(POLICY).expect("it is listed"));
    lay_out_as_known(cluster);
    let search = Search { evaluations, moves: MOVES, seed: sizes.seed };
    let mut done = 0;
    let found = search.run(sizes.tiles, &powers, &costs, |map: &OwnerMap| {
        let maps = Maps::of_map("search", map.clone());
        let run = simulated(cluster.options(policy), workload, &setting, &maps, |_| ());
        done += 1;
        progress.share(done, evaluations, "simulations");
        1e-9 * run.makespan() as f64
    });
    progress.clear();
    Ok((Maps::of_map(&format!("search:{evaluations}"), found.map.clone()), found))
}
