//! The constrained 1D-1D distribution with single tiles moved, from the rank with most work to the
//! one with least.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 5.3.2, algorithm 8.

use std::ops::Range;
use std::sync::Arc;

use super::bounds::{Work, cross, cumulative, imbalance};
use super::{
    Constrained, Costs, DistributionEntry, Factorisation, OneDOneD, OwnerMap, PerKind, Planned,
    Section, Strategy,
};
use tegula_tiles::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "1d1d-c+s",
    parameter: Some("POWERS"),
    summary: "1d1d-c with single tiles moved, so that all have equally long to work; sends more",
    make: |request| {
        let powers = request.powers("1d1d-c+s")?;
        let costs = request.costs(&powers);
        let OneDOneD { grid } = OneDOneD::new(&powers);
        let constrained = Constrained { grid, costs };
        let similar_seconds = if request.costs.is_some() { SIMILAR_SECONDS } else { SIMILAR };
        let strategy = BlockShuffled { constrained, similar_seconds };
        Ok(Arc::new(Planned::new(strategy, request.storage)))
    },
};

/// Times that are similar, as in the thesis.
const SIMILAR_SECONDS: f64 = 0.020;
/// The same where only powers are known, in the time of an update by one worker of a rank of mean
/// power: 20 ms of 58 ms.
const SIMILAR: f64 = 0.35;

/// The constrained 1D-1D distribution with tiles of its longest section moved, and then of the
/// section where the ranks are furthest apart, if that is another.
#[derive(Clone, Debug)]
pub struct BlockShuffled {
    /// Where tiles are first.
    pub constrained: Constrained,
    /// Ranks are left as they are if their work differs by less, in seconds.
    pub similar_seconds: f64,
}

impl Strategy for BlockShuffled {
    /// In a grid that is not square nothing is moved.
    fn map(&self, (rows, columns): (usize, usize), storage: Storage) -> OwnerMap {
        let Constrained { grid, costs } = &self.constrained;
        if rows != columns {
            return self.constrained.map((rows, columns), storage);
        }
        let (of_rows, of_columns, sections) = self.constrained.choose(rows);
        let mut map = grid.map(&of_rows, &of_columns, storage);
        let Some(longest) = sections.iter().max_by_key(|section| section.iterations.len()) else {
            return map;
        };
        shuffle_blocks(&mut map, longest, costs, self.similar_seconds);
        let areas = Work::new(&map, costs.factorisation).area_of_parts(costs);
        let spike = furthest(&imbalance(&cumulative(&areas)));
        let section = sections.iter().find(|section| section.iterations.contains(&spike));
        if let Some(section) = section.filter(|section| *section != longest) {
            shuffle_blocks(&mut map, section, costs, self.similar_seconds);
        }
        map
    }
}

/// The place of the largest, the first of those.
fn furthest(imbalance: &[f64]) -> usize {
    let places = imbalance.iter().enumerate();
    places.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(0, |(place, _)| place)
}

/// Moves tiles whose smaller index is an iteration of `section` among its ranks, until the sums of
/// their area bounds over these iterations (SABE) differ by less than `similar_seconds`, no move
/// helps, or there have been as many moves as there are tiles.
///
/// Each time a tile goes from the rank with most work to the one with least: the one nearest to the
/// end after which they are not both past the mean.
pub fn shuffle_blocks(map: &mut OwnerMap, section: &Section, costs: &Costs, similar_seconds: f64) {
    let Section { iterations, ranks } = section;
    let work = Work::new(map, costs.factorisation);
    let load = |&rank| Load::new(&work, iterations.clone(), costs, rank);
    let mut loads: Vec<Load<'_>> = ranks.iter().map(load).collect();
    let tiles: usize =
        iterations.clone().map(|k| cross(costs.factorisation, k, map.rows()).count()).sum();
    for _ in 0..tiles {
        let (slow, fast) = (most(&loads), least(&loads));
        if loads[slow].seconds - loads[fast].seconds < similar_seconds {
            return;
        }
        let mean = loads.iter().map(|load| load.seconds).sum::<f64>() / loads.len() as f64;
        let choose = |is_diagonal| Alike::choose(is_diagonal, &loads[slow], &loads[fast], mean);
        let Some(alike) = [true, false].into_iter().filter_map(choose).max() else { return };
        loads[slow].change(alike, -1);
        loads[fast].change(alike, 1);
        let (i, j) = alike.first_of(map, iterations.start, &loads[slow]);
        map.set(i, j, loads[fast].rank);
    }
}

fn most(loads: &[Load<'_>]) -> usize {
    furthest(&loads.iter().map(|load| load.seconds).collect::<Vec<_>>())
}

fn least(loads: &[Load<'_>]) -> usize {
    furthest(&loads.iter().map(|load| -load.seconds).collect::<Vec<_>>())
}

/// Tiles of which the same tasks are left to do in a section: those with the same smaller index
/// that are on the diagonal, or are not. To move one or another of them changes loads alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    /// The smaller index, from the first iteration of the section.
    last: usize,
    is_diagonal: bool,
}

impl Alike {
    /// The task on these tiles at an iteration.
    fn kind(self, factorisation: Factorisation, k: usize) -> usize {
        let below = usize::from(!self.is_diagonal);
        factorisation.kind(k, (self.last + below, self.last)) as usize
    }

    /// Of those tiles that `slow` has, the ones nearest to the end of which one can go to `fast` so
    /// that they are not both past `mean`.
    fn choose(is_diagonal: bool, slow: &Load<'_>, fast: &Load<'_>, mean: f64) -> Option<Self> {
        let factorisation = slow.costs.factorisation;
        let (mut less, mut more) = (slow.seconds, fast.seconds);
        let mut chosen = None;
        for k in 0..slow.tasks.len() {
            let alike = Self { last: k, is_diagonal };
            let kind = alike.kind(factorisation, k);
            let is_there = slow.tasks[k][kind] > 0;
            let is_right = || {
                less + slow.difference(k, kind, -1) > mean
                    || more + fast.difference(k, kind, 1) < mean
            };
            if is_there && is_right() {
                chosen = Some(alike);
            }
            let kind = Self { last: k + 1, is_diagonal }.kind(factorisation, k);
            if slow.tasks[k][kind] == 0 {
                break;
            }
            less += slow.difference(k, kind, -1);
            more += fast.difference(k, kind, 1);
        }
        chosen
    }

    /// The first of these tiles that the rank of a load has; `start` is where the section begins.
    fn first_of(self, map: &OwnerMap, start: usize, load: &Load<'_>) -> (usize, usize) {
        let mut tiles = cross(load.costs.factorisation, start + self.last, map.rows());
        let is_one =
            |&(i, j): &(usize, usize)| (i == j) == self.is_diagonal && map.owner(i, j) == load.rank;
        tiles.find(is_one).expect("the rank has tasks on one of them")
    }
}

/// The work of a rank in the iterations of a section, which are counted from its first.
struct Load<'a> {
    costs: &'a Costs,
    rank: usize,
    /// The tasks of each iteration.
    tasks: Vec<PerKind<u64>>,
    /// Their area bounds.
    areas: Vec<f64>,
    /// The sum of these, SABE.
    seconds: f64,
}

impl<'a> Load<'a> {
    fn new(work: &Work, iterations: Range<usize>, costs: &'a Costs, rank: usize) -> Self {
        let tasks: Vec<_> = work.0[iterations].iter().map(|ranks| ranks[rank]).collect();
        let areas: Vec<f64> = tasks.iter().map(|tasks| costs.area_of_rank(tasks, rank)).collect();
        let seconds = areas.iter().sum();
        Self { costs, rank, tasks, areas, seconds }
    }

    /// How much longer the work of an iteration takes with a task more (1) or less (-1).
    fn difference(&self, k: usize, kind: usize, more: i64) -> f64 {
        let mut tasks = self.tasks[k];
        tasks[kind] = tasks[kind].strict_add_signed(more);
        self.costs.area_of_rank(&tasks, self.rank) - self.areas[k]
    }

    /// Adds (1) or takes away (-1) the tasks on one tile.
    fn change(&mut self, alike: Alike, more: i64) {
        for k in 0..=alike.last {
            let count = &mut self.tasks[k][alike.kind(self.costs.factorisation, k)];
            *count = count.strict_add_signed(more);
            self.areas[k] = self.costs.area_of_rank(&self.tasks[k], self.rank);
        }
        self.seconds = self.areas.iter().sum();
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::prelude::*;
    use proptest::strategy::Strategy;

    use super::*;
    use crate::distribution::bounds::section as section_bounds;
    use crate::distribution::{Powers, Strategy as _, Workers};

    /// SABE of the ranks of a section.
    fn loads(map: &OwnerMap, section: &Section, costs: &Costs) -> Vec<f64> {
        let areas = Work::new(map, costs.factorisation).area_of_parts(costs);
        let sums = section_bounds(&areas, section.iterations.clone());
        section.ranks.iter().map(|&rank| sums[rank]).collect()
    }

    fn spread(loads: &[f64]) -> f64 {
        loads[furthest(loads)] - loads.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Algorithm 8 to the letter: every bound anew for every tile that is tried.
    fn to_the_letter(map: &mut OwnerMap, section: &Section, costs: &Costs, similar_seconds: f64) {
        let crosses = section.iterations.clone().rev();
        let zone: Vec<_> =
            crosses.flat_map(|k| cross(costs.factorisation, k, map.rows())).collect();
        assert!(zone.is_sorted_by_key(|&(i, j)| Reverse(i.min(j))));
        for _ in 0..zone.len() {
            let before = loads(map, section, costs);
            let mean = before.iter().sum::<f64>() / before.len() as f64;
            let opposite: Vec<f64> = before.iter().map(|seconds| -seconds).collect();
            let (slow, fast) = (furthest(&before), furthest(&opposite));
            if spread(&before) < similar_seconds {
                return;
            }
            let mut candidates =
                zone.iter().filter(|&&(i, j)| map.owner(i, j) == section.ranks[slow]);
            let moved = candidates.find_map(|&(i, j)| {
                let mut moved = map.clone();
                moved.set(i, j, section.ranks[fast]);
                let after = loads(&moved, section, costs);
                (after[slow] > mean || after[fast] < mean).then_some(moved)
            });
            let Some(moved) = moved else { return };
            *map = moved;
        }
    }

    /// Ranks with one kind of workers or two, of which the second cannot factorise.
    fn some_ranks() -> impl Strategy<Value = Vec<Vec<Workers>>> {
        let cores = (1usize..5, prop::array::uniform4(0.5f64..2.0))
            .prop_map(|(count, seconds)| Workers { count, seconds: seconds.map(Some) });
        let devices = (1usize..3, prop::array::uniform3(0.1f64..1.0)).prop_map(
            |(count, [solve, square, update])| Workers {
                count,
                seconds: [None, Some(solve), Some(square), Some(update)],
            },
        );
        let rank = (cores, prop::option::of(devices))
            .prop_map(|(cores, devices)| [cores].into_iter().chain(devices).collect());
        prop::collection::vec(rank, 3..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn tiles_move_as_by_the_algorithm_to_the_letter(
            ranks in some_ranks(),
            owners in prop::collection::vec(0usize..60, 81),
            (start, length) in (0usize..4, 2usize..6),
            without_last in any::<bool>(),
            is_lu in any::<bool>(),
            similar_seconds in 0.0f64..2.0,
        ) {
            let factorisation = if is_lu { Factorisation::Lu } else { Factorisation::Cholesky };
            let count = ranks.len();
            let before = OwnerMap::new((9, 9), factorisation.storage(), count, |i, j| {
                owners[9 * i + j] % count
            });
            let costs = Costs { factorisation, ranks, message_seconds: 0.0 };
            let part = (0..count - usize::from(without_last)).collect();
            let section = Section { iterations: start..start + length, ranks: part };
            let (mut fast, mut literal) = (before.clone(), before);
            shuffle_blocks(&mut fast, &section, &costs, similar_seconds);
            to_the_letter(&mut literal, &section, &costs, similar_seconds);
            prop_assert_eq!(fast, literal);
        }
    }

    #[test]
    fn the_loads_of_a_section_get_nearer_and_nothing_else_moves() {
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            let powers = [[1.0; 9].as_slice(), &[2.5; 4]].concat();
            let powers = Powers::new(powers).expect("they are positive");
            let costs = Costs::of_powers(&powers, factorisation);
            let before = OneDOneD::new(&powers).map((40, 40), factorisation.storage());
            for (iterations, ranks) in [(0..40, 0..13), (5..30, 0..13), (10..40, 2..12)] {
                let section = Section { iterations, ranks: ranks.collect() };
                let mut map = before.clone();
                shuffle_blocks(&mut map, &section, &costs, 0.0);
                let (has, had) = (|i, j| map.owner(i, j), |i, j| before.owner(i, j));
                for (i, j) in map.tiles().filter(|&(i, j)| has(i, j) != had(i, j)) {
                    assert!(section.iterations.contains(&i.min(j)), "({i}, {j}) of {section:?}");
                    let is_in = |rank| section.ranks.contains(&rank);
                    assert!(is_in(has(i, j)) && is_in(had(i, j)), "({i}, {j}) of {section:?}");
                }
                let spread = |map| spread(&loads(map, &section, &costs));
                let (after, before) = (spread(&map), spread(&before));
                assert!(after < before / 4.0, "{after} of {before}: {section:?}");
            }
        }
    }
}
