//! `--search`: the map under which a simulated factorisation ends first, and the plan under which
//! two phases do.

use anyhow::{Error, Result};
use tegula_plan::distribution::{Factorisation, OwnerMap};
use tegula_plan::phases::search::Search;
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_runtime::sched::policy;

use super::{Maps, Reading};
use crate::error::{is_no_room, refused};
use crate::output::Progress;
use crate::simulate::program::{Setting, Sizes, Spread, Workload};
use crate::simulate::{add_workers, check_memory, pack_as_known, peaks, simulated};

/// Moves that the coarse model looks at between two simulations.
const MOVES: usize = 2000;

/// The policy of the simulations.
const POLICY: &str = "dmdas";

/// What a search came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Simulated seconds of the best.
    pub(super) seconds: f64,
    /// Of the first.
    pub(super) first_seconds: f64,
    pub(super) simulations: usize,
}

/// Programs that are simulated on a cluster to find how they are best spread.
struct Trials<'a> {
    workload: &'static Workload,
    sizes: &'a Sizes,
    cluster: &'a ClusterPlatform,
    reading: Reading,
    progress: &'a mut Progress,
    /// How many there may be, and have been.
    most: usize,
    done: usize,
    /// Why data did not fit somewhere.
    lack: Option<Error>,
}

/// Simulates `workload` up to so often and returns under what it ended first: of a factorisation,
/// maps beginning with 1D-1D constrained and shuffled; of two phases, plans on all nodes and on the
/// fastest kinds of them.
///
/// # Errors
/// If the program is neither, a node has no time of one of the tasks, or a simulation fails.
pub(super) fn search(
    workload: &'static Workload,
    sizes: &Sizes,
    (cluster, reading): (&ClusterPlatform, Reading),
    most: usize,
    progress: &mut Progress,
) -> Result<(Maps, Found)> {
    let mut trials =
        Trials { workload, sizes, cluster, reading, progress, most, done: 0, lack: None };
    let found = match workload.spread {
        Spread::Factorised(factorisation) => trials.of_maps(factorisation),
        Spread::GeneratedAndFactorised | Spread::Lines(_) => trials.of_plans(),
        Spread::OneNode | Spread::Tiles(_) => Err(refused(format!(
            "--search: {} is neither a factorisation nor two phases",
            workload.name
        ))),
    };
    trials.progress.clear();
    match (found, trials.lack) {
        (Ok((_, found)), Some(lack)) if found.seconds.is_infinite() => Err(lack),
        (found, _) => found,
    }
}

/// What a simulation came to.
pub(crate) struct Judged {
    pub(crate) seconds: f64,
    /// Joules of each node, where it is known what it draws.
    pub(crate) joules: Vec<Option<f64>>,
}

/// What `workload` comes to on `cluster` under `maps`, simulated.
///
/// # Errors
/// If the program fails there, or its data do not fit.
pub(crate) fn judged(
    workload: &'static Workload,
    sizes: &Sizes,
    cluster: &ClusterPlatform,
    maps: &Maps,
) -> Result<Judged> {
    let policy = policy(POLICY).expect("it is listed");
    let (mut setting, mut cluster) = (Setting::new(*sizes), cluster.clone());
    setting.spread(maps);
    add_workers(workload, &setting, &mut cluster);
    let run = simulated(cluster.options(policy), workload, &setting, maps, |_| ());
    check_memory(&cluster, &peaks(&run)?)?;
    let seconds = 1e-9 * run.makespan() as f64;
    let nodes = cluster.nodes.iter().zip(&run.totals);
    let joules = nodes.map(|(node, totals)| node.joules(totals, seconds)).collect();
    Ok(Judged { seconds, joules })
}

/// The seconds of [`judged`].
///
/// # Errors
/// As that.
pub(crate) fn makespan(
    workload: &'static Workload,
    sizes: &Sizes,
    cluster: &ClusterPlatform,
    maps: &Maps,
) -> Result<f64> {
    judged(workload, sizes, cluster, maps).map(|judged| judged.seconds)
}

impl Trials<'_> {
    /// Simulated seconds under `maps`; without end where a node has no memory for them.
    fn seconds(&mut self, maps: &Maps) -> Result<f64> {
        let seconds = makespan(self.workload, self.sizes, self.cluster, maps);
        self.done += 1;
        self.progress.share(self.done, self.most, "simulations");
        match seconds {
            Err(error) if is_no_room(&error) => {
                self.lack.get_or_insert(error);
                Ok(f64::INFINITY)
            }
            seconds => seconds,
        }
    }

    fn of_maps(&mut self, factorisation: Factorisation) -> Result<(Maps, Found)> {
        let (sizes, cluster) = (self.sizes, self.cluster);
        let (powers, costs) =
            (cluster.powers("gemm", sizes.nb)?, cluster.costs(factorisation, sizes.nb)?);
        pack_as_known(cluster);
        let search = Search { evaluations: self.most, moves: MOVES, seed: sizes.seed };
        let mut failure = None;
        let found = search.run(sizes.tiles, &powers, &costs, |map: &OwnerMap| {
            self.seconds(&Maps::of_map("search", map.clone())).unwrap_or_else(|error| {
                failure.get_or_insert(error);
                f64::INFINITY
            })
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let maps = Maps::of_map(&format!("search:{}", self.most), found.map);
        let (seconds, first_seconds) = (found.cost, found.first_cost);
        Ok((maps, Found { seconds, first_seconds, simulations: found.evaluations }))
    }

    fn of_plans(&mut self) -> Result<(Maps, Found)> {
        pack_as_known(self.cluster);
        let mut best: Option<(f64, Maps)> = None;
        let mut first_seconds = None;
        let names = plans(self.sizes, self.cluster)?;
        self.most = self.most.min(names.len());
        for name in names.into_iter().take(self.most) {
            let maps =
                Maps::new(self.workload, self.sizes, self.cluster, Some(&name), self.reading)?;
            let seconds = self.seconds(&maps)?;
            first_seconds.get_or_insert(seconds);
            if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                best = Some((seconds, maps));
            }
        }
        let (seconds, maps) = best.expect("at least one is simulated");
        let first_seconds = first_seconds.unwrap_or(seconds);
        Ok((maps, Found { seconds, first_seconds, simulations: self.done }))
    }
}

/// Plans of two phases, the usual one first: with all nodes in the second, and with the kinds alone
/// that multiply fastest, one kind more each time.
fn plans(sizes: &Sizes, cluster: &ClusterPlatform) -> Result<Vec<String>> {
    let mut names = ["lp", "lp-constrained", "1d1d"].map(str::to_owned).to_vec();
    for ranks in fastest_kinds(cluster, sizes.nb)? {
        names.extend(["lp", "1d1d", "block-cyclic"].map(|name| format!("{name}@{ranks}")));
    }
    Ok(names)
}

/// The ranks of the kinds that multiply tiles of order `nb` fastest, one kind more each time, but
/// for all of them.
///
/// # Errors
/// If a node has no time of a product.
pub(crate) fn fastest_kinds(cluster: &ClusterPlatform, nb: usize) -> Result<Vec<String>> {
    let kinds = cluster.kinds_by_power("gemm", nb)?;
    let mut ranks: Vec<String> = Vec::new();
    let fastest = kinds[..kinds.len() - 1].iter().map(|(_, of_kind)| {
        ranks.extend(of_kind.iter().map(usize::to_string));
        ranks.join(",")
    });
    Ok(fastest.collect())
}
