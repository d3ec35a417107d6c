//! The constrained 1D-1D distribution with single tiles moved, from the rank with most work to the
//! one with least.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 5.3.2, algorithm 8.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::bounds::{Work, cumulative, imbalance};
use super::{
    Constrained, Costs, DistributionEntry, Factorisation, OneDOneD, OwnerMap, Planned, Section,
    Strategy,
};
use crate::matrix::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "1d1d-c+s",
    parameter: Some("POWERS"),
    summary: "1d1d-c with single tiles moved, so that all have equally long to work; sends more",
    make: |request| {
        let powers = request.powers("1d1d-c+s")?;
        let costs = Costs::of_powers(&powers, request.factorisation());
        let OneDOneD { grid } = OneDOneD::new(&powers);
        let constrained = Constrained { grid, costs };
        let strategy = BlockShuffled { constrained, similar_seconds: SIMILAR };
        Ok(Arc::new(Planned::new(strategy, request.storage)))
    },
};

/// Times that are similar, in that of an update by one worker of a rank of mean power: 20 ms of 58
/// ms, as in the thesis.
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
/// their area bounds over these iterations (SABE) differ by less than `similar_seconds` or no move
/// helps.
///
/// Each time a tile goes from the rank with most work to the one with least: the one nearest to the
/// end after which they are not both past the mean.
pub fn shuffle_blocks(map: &mut OwnerMap, section: &Section, costs: &Costs, similar_seconds: f64) {
    let iterations = section.iterations.clone();
    let is_there = |&(i, j): &(usize, usize)| {
        iterations.contains(&i.min(j)) && (costs.factorisation == Factorisation::Lu || i >= j)
    };
    let mut zone: Vec<(usize, usize)> = map.tiles().filter(is_there).collect();
    zone.sort_by_key(|&(i, j)| Reverse(i.min(j)));
    let mut loads = Loads::new(map, section, costs);
    let mean = loads.seconds.iter().sum::<f64>() / section.ranks.len() as f64;
    for _ in 0..zone.len() {
        let (slow, fast) = (loads.most(), loads.least());
        if loads.seconds[slow] - loads.seconds[fast] < similar_seconds {
            return;
        }
        let rank = section.ranks[slow];
        let moved = zone.iter().filter(|&&(i, j)| map.owner(i, j) == rank).find_map(|&tile| {
            let after = (loads.with(slow, tile, -1), loads.with(fast, tile, 1));
            (after.0 > mean || after.1 < mean).then_some((tile, after))
        });
        let Some(((i, j), after)) = moved else { return };
        map.set(i, j, section.ranks[fast]);
        loads.change(slow, (i, j), -1, after.0);
        loads.change(fast, (i, j), 1, after.1);
    }
}

/// The work of the ranks of a section in its iterations; ranks by their place in the section.
struct Loads<'a> {
    section: &'a Section,
    costs: &'a Costs,
    work: Work,
    seconds: Vec<f64>,
}

impl<'a> Loads<'a> {
    fn new(map: &OwnerMap, section: &'a Section, costs: &'a Costs) -> Self {
        let work = Work::new(map, costs.factorisation);
        let of = |&rank: &usize| {
            let tasks = work.0[section.iterations.clone()].iter().map(|ranks| ranks[rank]);
            tasks.map(|tasks| costs.area(&tasks, [rank])).sum()
        };
        let seconds = section.ranks.iter().map(of).collect();
        Self { section, costs, work, seconds }
    }

    fn most(&self) -> usize {
        furthest(&self.seconds)
    }

    fn least(&self) -> usize {
        let places = self.seconds.iter().enumerate();
        places.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place)
    }

    /// The iterations that have a task on `tile`.
    fn iterations(&self, (i, j): (usize, usize)) -> Range<usize> {
        self.section.iterations.start..i.min(j) + 1
    }

    /// The work of a rank with `tile` more (1) or less (-1).
    fn with(&self, place: usize, tile: (usize, usize), more: i64) -> f64 {
        let rank = self.section.ranks[place];
        let difference = |k: usize| {
            let mut tasks = self.work.0[k][rank];
            let before = self.costs.area(&tasks, [rank]);
            let count = &mut tasks[self.costs.factorisation.kind(k, tile) as usize];
            *count = count.strict_add_signed(more);
            self.costs.area(&tasks, [rank]) - before
        };
        self.seconds[place] + self.iterations(tile).map(difference).sum::<f64>()
    }

    fn change(&mut self, place: usize, tile: (usize, usize), more: i64, seconds: f64) {
        let rank = self.section.ranks[place];
        for k in self.iterations(tile) {
            let count = &mut self.work.0[k][rank][self.costs.factorisation.kind(k, tile) as usize];
            *count = count.strict_add_signed(more);
        }
        self.seconds[place] = seconds;
    }
}
