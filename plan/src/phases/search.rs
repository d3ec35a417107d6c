//! A search for the map under which a factorisation ends first, by a cost that is dear to ask: the
//! makespan of a simulation, which takes seconds.
//!
//! Most maps are rated by the coarse model of [`surrogate`](super::surrogate) alone, and few are
//! asked for. The first are 1D-1D maps, constrained and with shuffled blocks, for powers of one
//! kind of ranks that are a little smaller or larger, and for borders of sections that lie earlier
//! or later. From the best one on, each round anneals under the coarse model (Kirkpatrick, Gelatt,
//! Vecchi, "Optimization by simulated annealing", Science 220 (1983)): rows or columns of tiles
//! change places, and single tiles go from the busiest rank to another. What it finds is asked for,
//! and is the start of the next rounds if it is better.

use tegula_runtime::random::SplitMix64;

use super::surrogate::{busiest_rank, rating};
use crate::distribution::{
    BlockShuffled, Constrained, Costs, OneDOneD, OwnerMap, Powers, Strategy,
};
use tegula_tiles::Storage;

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// How often the cost is asked, at most; once at least.
    pub evaluations: usize,
    /// Moves that the coarse model looks at in a round.
    pub moves: usize,
    /// What its draws begin with.
    pub seed: u64,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best map.
    pub map: OwnerMap,
    /// Its cost.
    pub cost: f64,
    /// The cost of the map that it began with, 1D-1D constrained and shuffled.
    pub first_cost: f64,
    /// How often the cost was asked.
    pub evaluations: usize,
}

/// Loads of ranks that differ by less, in seconds, are left as they are by the first maps.
const SIMILAR_SECONDS: f64 = 0.020;

/// Powers of one kind of ranks, beside what they are, and times of messages, by which borders of
/// sections lie earlier or later.
const POWERS: [f64; 5] = [1.0, 0.94, 0.97, 1.03, 1.06];
const MESSAGES: [f64; 4] = [1.0, 0.0, 2.0, 4.0];

/// Rounds have half as many moves as the one before, so many times.
const SIZES: u32 = 6;

impl Search {
    /// The map of `n x n` tiles over ranks of these `powers`, where tasks have these `costs`, with
    /// the least `cost` of those that were asked for. The same seed finds the same map.
    ///
    /// # Panics
    /// If there are no tiles, or not as many costs as powers.
    pub fn run(
        &self,
        n: usize,
        powers: &Powers,
        costs: &Costs,
        mut cost: impl FnMut(&OwnerMap) -> f64,
    ) -> Found {
        let mut maps = first_maps(n, powers, costs);
        let map = maps.remove(0);
        let first_cost = cost(&map);
        let mut best = Found { map, cost: first_cost, first_cost, evaluations: 1 };
        maps.sort_by_cached_key(|map| ordered(rating(map, costs)));
        maps.dedup();
        let mut maps = maps.into_iter().take(self.evaluations / 3);
        let mut random = SplitMix64::new(self.seed);
        let mut round = 0u32;
        while best.evaluations < self.evaluations {
            let map = maps.next().unwrap_or_else(|| {
                round += 1;
                // Now far, now near.
                anneal(&best.map, costs, self.moves >> (round % SIZES), &mut random)
            });
            let cost = cost(&map);
            best.evaluations += 1;
            if cost < best.cost {
                (best.map, best.cost) = (map, cost);
            }
        }
        best
    }
}

/// A number that is not negative, as one that can be sorted.
fn ordered(seconds: f64) -> u64 {
    seconds.to_bits()
}

/// The 1D-1D map, constrained and shuffled, for these powers and costs, and then others like it,
/// also free ones.
fn first_maps(n: usize, powers: &Powers, costs: &Costs) -> Vec<OwnerMap> {
    let mut maps = Vec::new();
    for scale in POWERS {
        let scaled = slowest_scaled(powers, costs, scale);
        let OneDOneD { grid } = OneDOneD::new(&scaled);
        for message in MESSAGES {
            let message_seconds = message * costs.message_seconds;
            let costs = Costs { message_seconds, ..costs.clone() };
            let constrained = Constrained { grid: grid.clone(), costs };
            let free = constrained.clone();
            let shuffled = BlockShuffled { constrained, similar_seconds: SIMILAR_SECONDS };
            let storage = free.costs.factorisation.storage();
            maps.extend([shuffled.map((n, n), storage), free.map((n, n), storage)]);
        }
        maps.push(OneDOneD { grid }.map((n, n), costs.factorisation.storage()));
    }
    maps
}

/// The powers with those of the ranks that have workers like the weakest times `scale`.
fn slowest_scaled(powers: &Powers, costs: &Costs, scale: f64) -> Powers {
    let powers = powers.as_slice();
    let able = (0..powers.len()).filter(|&rank| powers[rank] > 0.0);
    let weakest = able.min_by(|&a, &b| powers[a].total_cmp(&powers[b])).expect("one has a power");
    let is_alike = |rank: usize| costs.ranks[rank] == costs.ranks[weakest];
    let scaled = |(rank, power): (usize, &f64)| if is_alike(rank) { scale * power } else { *power };
    Powers::new(powers.iter().enumerate().map(scaled).collect()).expect("they stay positive")
}

/// Moves from `map` that the coarse model likes, or does not dislike too much at first; the best
/// map on the way, but for the start.
fn anneal(map: &OwnerMap, costs: &Costs, moves: usize, random: &mut SplitMix64) -> OwnerMap {
    let start = rating(map, costs);
    let (mut here, mut seconds) = (map.clone(), start);
    let mut best: Option<(OwnerMap, f64)> = None;
    for count in 0..moves.max(1) {
        let next = moved(&here, costs, random);
        let after = rating(&next, costs);
        // From a two-thousandth of the makespan down to nothing.
        let warmth = 5e-4 * start * (1.0 - count as f64 / moves.max(1) as f64);
        if after <= seconds || random.uniform() < ((seconds - after) / warmth).exp() {
            (here, seconds) = (next, after);
            if best.as_ref().is_none_or(|(_, least)| seconds < *least) {
                best = Some((here.clone(), seconds));
            }
        }
    }
    best.map_or(here, |(map, _)| map)
}

/// The map after one move.
fn moved(map: &OwnerMap, costs: &Costs, random: &mut SplitMix64) -> OwnerMap {
    let mut draw = |count: usize| (random.next_u64() % count.max(1) as u64) as usize;
    if draw(2) == 0 {
        with_lines_swapped(map, &mut draw)
    } else {
        with_tiles_given(map, costs, &mut draw)
    }
}

/// Lines that change places are at most so far from each other: all ends of the matrix stay shared.
const NEAR: usize = 4;

/// Two rows or columns of tiles change places; in a triangle both do.
fn with_lines_swapped(map: &OwnerMap, draw: &mut impl FnMut(usize) -> usize) -> OwnerMap {
    let n = map.rows();
    let line = draw(n);
    let other = (line + 1 + draw(NEAR)).min(n - 1);
    let of_rows = draw(2) == 0;
    let swap = |at: usize| match at {
        _ if at == line => other,
        _ if at == other => line,
        _ => at,
    };
    OwnerMap::new((n, n), map.storage(), map.ranks(), |i, j| match map.storage() {
        Storage::Lower => map.owner(swap(i), swap(j)),
        Storage::Full if of_rows => map.owner(swap(i), j),
        Storage::Full => map.owner(i, swap(j)),
    })
}

/// Tiles that go from one rank to another at a time, at most.
const GIVEN: usize = 4;

/// The busiest rank gives tiles to another that has some.
fn with_tiles_given(
    map: &OwnerMap,
    costs: &Costs,
    draw: &mut impl FnMut(usize) -> usize,
) -> OwnerMap {
    let busiest = busiest_rank(map, costs);
    let counts = map.tiles_of_ranks();
    let others: Vec<usize> = (0..map.ranks()).filter(|&r| r != busiest && counts[r] > 0).collect();
    let tiles: Vec<_> = map.tiles().filter(|&(i, j)| map.owner(i, j) == busiest).collect();
    let mut next = map.clone();
    if let Some(&other) = others.get(draw(others.len())) {
        for _ in 0..1 + draw(GIVEN) {
            let (i, j) = tiles[draw(tiles.len())];
            next.set(i, j, other);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Factorisation;

    fn powers() -> Powers {
        Powers::new(vec![1.0, 1.0, 1.0, 2.0, 2.0]).expect("they are positive")
    }

    /// The cost is the rating of the coarse model, so that what it likes is better.
    #[test]
    fn it_finds_a_better_map_within_its_budget() {
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            let costs = Costs::of_powers(&powers(), factorisation);
            let search = Search { evaluations: 12, moves: 60, seed: 1 };
            let mut asked = 0;
            let found = search.run(20, &powers(), &costs, |map| {
                asked += 1;
                rating(map, &costs)
            });
            assert_eq!((asked, found.evaluations), (12, 12));
            assert!(found.cost < found.first_cost, "{} of {}", found.cost, found.first_cost);
            assert_eq!(rating(&found.map, &costs), found.cost);
            assert_eq!(search.run(20, &powers(), &costs, |map| rating(map, &costs)), found);
        }
    }

    #[test]
    fn what_is_no_better_is_not_taken() {
        let costs = Costs::of_powers(&powers(), Factorisation::Lu);
        let search = Search { evaluations: 5, moves: 4, seed: 1 };
        let mut cost = 0.0;
        let found = search.run(8, &powers(), &costs, |_| {
            cost += 1.0;
            cost
        });
        assert_eq!((found.cost, found.first_cost), (1.0, 1.0));
        assert_eq!(found.map, first_maps(8, &powers(), &costs)[0]);
    }
}
