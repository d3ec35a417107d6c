//! From a plan to the owners of tiles in both phases.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.3.

use super::traffic::Traffic;
use super::{Phase, Plan, Shape, TaskType, Workload};
use crate::distribution::bounds::Work;
use crate::distribution::{
    Costs, Factorisation, OneD, OneDOneD, OwnerMap, PerKind, Powers, Strategy, Workers,
    constrain_last_rows, earlier_phase, first_constrained_row, shuffle_eligible,
};
use crate::platform::cluster::kernels;
use tegula_tiles::Storage;

/// The owners of all tiles in both phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maps {
    /// Who makes each tile.
    pub first: OwnerMap,
    /// Who works on it.
    pub second: OwnerMap,
}

/// A way from a plan to maps.
#[derive(Clone, Copy, Debug)]
pub struct PlacementEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    second: fn(&Plan, &Workload) -> OwnerMap,
}

/// Every way.
pub static PLACEMENTS: &[PlacementEntry] = &[
    PlacementEntry {
        name: "lp",
        summary: "a map for each phase, by powers from a linear programme over both",
        second,
    },
    PlacementEntry {
        name: "lp-constrained",
        summary: "the same, where slow nodes have none of the last rows, which would wait for them",
        second: constrained,
    },
];

/// The way called `name`, if there is one.
#[must_use]
pub fn placement(name: &str) -> Option<&'static PlacementEntry> {
    PLACEMENTS.iter().find(|entry| entry.name == name)
}

impl PlacementEntry {
    /// The maps for `work` that follow from its `plan`.
    ///
    /// The second one is 1D-1D, or deals out rows, by the powers of the second phase. The first one
    /// has for each node the tiles that it is to make, and moves as few of them as can be.
    #[must_use]
    pub fn maps(&self, plan: &Plan, work: &Workload) -> Maps {
        let second = (self.second)(plan, work);
        Maps { first: first(plan, work, &second), second }
    }
}

/// The map of the first phase for that of the second.
pub(super) fn first(plan: &Plan, work: &Workload, second: &OwnerMap) -> OwnerMap {
    match work.shape {
        Shape::Square(..) => earlier_phase(second, &plan.tiles),
        Shape::Rows(rows, columns) => {
            let [powers, _] = plan.powers.clone();
            let wanted = OneD { powers }.map((rows, 1), Storage::Full).tiles_of_ranks();
            let ranks = second.ranks();
            let of_rows =
                OwnerMap::new((rows, 1), Storage::Full, ranks, |row, _| second.owner(row, 0));
            let of_rows = earlier_phase(&of_rows, &wanted);
            let owner = |row, _| of_rows.owner(row, 0);
            OwnerMap::new((rows, columns), Storage::Full, ranks, owner)
        }
    }
}

/// The map of the second phase.
pub(super) fn second(plan: &Plan, work: &Workload) -> OwnerMap {
    of_powers(&plan.powers[1], work)
}

fn of_powers(powers: &Powers, work: &Workload) -> OwnerMap {
    match work.shape {
        Shape::Square(kind, n) => OneDOneD::new(powers).map((n, n), kind.storage()),
        Shape::Rows(rows, columns) => {
            OneD { powers: powers.clone() }.map((rows, columns), Storage::Full)
        }
    }
}

fn constrained(plan: &Plan, work: &Workload) -> OwnerMap {
    match work.shape {
        Shape::Square(kind, n) => last_rows_on_fast_nodes(plan, work, (kind, n)),
        Shape::Rows(rows, columns) => rows_in_time(plan, work, (rows, columns)),
    }
}

/// Nodes are fast whose best time for an update is at most so many times the best of all.
const FAST: f64 = 2.0;

/// The rows at the end whose iterations take longer along their longest chain than their work does
/// go to the fast nodes alone, as far as these then have no more to do, and their links, than the
/// plan expects.
fn last_rows_on_fast_nodes(
    plan: &Plan,
    work: &Workload,
    (kind, n): (Factorisation, usize),
) -> OwnerMap {
    let (all, powers) = (second(plan, work), plan.powers[1].as_slice());
    let costs = costs(plan, work, kind);
    let update = |rank: usize| plan.nodes_of(rank).best_seconds(work.type_of(kernels(kind)[3])?);
    let able = (0..powers.len()).filter(|&rank| powers[rank] > 0.0);
    let best = able.filter_map(update).fold(f64::INFINITY, f64::min);
    let is_fast = |rank: usize| update(rank).is_some_and(|seconds| seconds <= FAST * best);
    let fast = (0..powers.len()).map(|rank| if is_fast(rank) { powers[rank] } else { 0.0 });
    let fast = Powers::new(fast.collect()).expect("the fastest one has a power");
    let fast = OneDOneD::new(&fast).map((n, n), kind.storage());
    let rows: Vec<usize> = (first_constrained_row(&all, &costs)..=n).collect();
    let constrained = |row: usize| constrain_last_rows(&all, &fast, row);
    let busiest = |map: &OwnerMap| {
        let works = Work::new(map, kind).area_of_ranks(&costs).into_iter().fold(0.0, f64::max);
        works.max(Traffic::of(plan, work, map).link_seconds(&plan.nodes, work.bytes))
    };
    let most = busiest(&all).max(plan.seconds());
    let place = rows.partition_point(|&row| busiest(&constrained(row)) > most);
    constrained(rows[place.min(rows.len() - 1)])
}

/// What the tasks of the factorisation cost on each rank.
fn costs(plan: &Plan, work: &Workload, factorisation: Factorisation) -> Costs {
    let types = kernels(factorisation).map(|kernel| work.type_of(kernel));
    let mut ranks = vec![Vec::new(); plan.tiles.len()];
    for nodes in &plan.nodes {
        let workers = nodes.resources.iter().map(|resource| {
            let seconds: PerKind<Option<f64>> = types.map(|t| resource.seconds[t?]);
            Workers { count: resource.workers, seconds }
        });
        let able = workers.filter(|workers| workers.seconds.iter().any(Option::is_some));
        let workers: Vec<Workers> = able.collect();
        nodes.ranks.iter().for_each(|&rank| ranks[rank].clone_from(&workers));
    }
    let on_links = plan
        .nodes
        .iter()
        .map(|nodes| nodes.ranks.len() as f64 * work.bytes / nodes.bytes_per_second);
    let message_seconds = on_links.sum::<f64>() / ranks.len() as f64;
    Costs { factorisation, ranks, message_seconds }
}

/// How much longer than by the best node a row may take anywhere, for each row of tiles, in
/// seconds.
const TOLERANCE: f64 = 0.002;

/// Each row goes to a node that can do it before the expected end after it was made: a row of tiles
/// is one chain of products.
fn rows_in_time(plan: &Plan, work: &Workload, (rows, columns): (usize, usize)) -> OwnerMap {
    let powers = &plan.powers[1];
    let chain = |rank: usize| {
        let of_type = |(t, kind): (usize, &TaskType)| {
            let tasks = kind.tasks.iter().sum::<u64>() as f64 / rows as f64;
            plan.nodes_of(rank).best_seconds(t).map(|seconds| tasks * seconds)
        };
        let all: Option<f64> = work.of_phase(Phase::Second).map(of_type).sum();
        all.filter(|_| powers.as_slice()[rank] > 0.0).unwrap_or(f64::INFINITY)
    };
    let chains: Vec<f64> = (0..powers.ranks()).map(chain).collect();
    let best = chains.iter().copied().fold(f64::INFINITY, f64::min);
    let expected = plan.ends[1].last().copied().unwrap_or(0.0);
    let is_in_time = |row: usize, rank: usize| {
        let made = plan.ends[0][work.step_of(columns * (row + 1) - 1)];
        let is_near = chains[rank] <= best + TOLERANCE * rows as f64;
        is_near || made + chains[rank] < expected
    };
    let owners = shuffle_eligible(powers, rows, is_in_time);
    OwnerMap::new((rows, columns), Storage::Full, powers.ranks(), |row, _| owners[row])
}
