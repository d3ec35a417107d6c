//! The constrained 1D-1D distribution: near the end, where there is little work, only the fastest
//! ranks have tiles.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 5.3.1, algorithm 7.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::bounds::path_of_iteration;
use super::shuffle::least_loaded;
use super::{Costs, DistributionEntry, Kind, OneDOneD, OwnerMap, Planned, Strategy, VirtualGrid};
use tegula_tiles::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "1d1d-c",
    parameter: Some("POWERS"),
    summary: "1d1d in which the last rows and columns of tiles are with the fastest ranks alone",
    make: |request| {
        let powers = request.powers("1d1d-c")?;
        let costs = request.costs(&powers);
        let OneDOneD { grid } = OneDOneD::new(&powers);
        Ok(Arc::new(Planned::new(Constrained { grid, costs }, request.storage)))
    },
};

/// The 1D-1D distribution in which iterations at the end are for the fastest ranks alone: as long
/// as the longest chain of an iteration takes longer than its work, more ranks would only wait.
#[derive(Clone, Debug)]
pub struct Constrained {
    /// The virtual rows and columns.
    pub grid: VirtualGrid,
    /// What tasks and messages cost.
    pub costs: Costs,
}

/// Iterations for the same ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The iterations.
    pub iterations: Range<usize>,
    /// The ranks.
    pub ranks: Vec<usize>,
}

impl Constrained {
    /// The virtual row and column of each of `n` rows and columns of tiles; and the sections, from
    /// the last iterations to the first.
    ///
    /// Section `s` has the `s` columns on the right, which are those of the fastest ranks, and
    /// `s^2` rows. At each iteration, from the last one, the row and the column are chosen by
    /// [`shuffle`](super::shuffle())'s rule; if its work then takes longer on the ranks of the
    /// section than its longest chain, the next section begins there.
    #[must_use]
    pub fn choose(&self, n: usize) -> (Vec<usize>, Vec<usize>, Vec<Section>) {
        let VirtualGrid { heights, widths, .. } = &self.grid;
        let (mut rows, mut columns) = (vec![0; n], vec![0; n]);
        let (mut dealt_rows, mut dealt_columns) = (vec![0; heights.len()], vec![0; widths.len()]);
        let mut sections = vec![self.section(1, n)];
        for k in (0..n).rev() {
            loop {
                let number = sections.len();
                let (open_rows, open_columns) = (self.rows(number), self.columns(number));
                rows[k] = least_loaded(heights, &dealt_rows, open_rows.iter().copied());
                columns[k] = least_loaded(widths, &dealt_columns, open_columns.clone());
                let is_all = open_rows.len() == heights.len() && open_columns.len() == widths.len();
                let ranks = &sections[number - 1].ranks;
                if is_all || !self.is_short_of_ranks(k, ranks, &rows, &columns) {
                    break;
                }
                sections.push(self.section(number + 1, k + 1));
            }
            dealt_rows[rows[k]] += 1;
            dealt_columns[columns[k]] += 1;
            sections.last_mut().expect("there is one").iterations.start = k;
        }
        sections.retain(|section| !section.iterations.is_empty());
        (rows, columns, sections)
    }

    /// Whether iteration `k` has more work for `ranks` than its longest chain takes: ABE(k) >
    /// CPB(k).
    fn is_short_of_ranks(
        &self,
        k: usize,
        ranks: &[usize],
        rows: &[usize],
        columns: &[usize],
    ) -> bool {
        let rest = rows.len() - 1 - k;
        let owner = |i: usize, j: usize| self.grid.cells[rows[k + i]][columns[k + j]];
        let tasks = self.costs.factorisation.tasks(rest);
        let work = self.costs.area(&tasks, ranks.iter().copied());
        work > path_of_iteration(rest, owner, &self.costs)
    }

    /// The virtual columns of a section.
    fn columns(&self, section: usize) -> Range<usize> {
        let columns = self.grid.widths.len();
        columns.saturating_sub(section)..columns
    }

    /// The virtual rows of a section: those whose slowest rank in its columns is fastest, of these
    /// the tallest, of these the lowest.
    fn rows(&self, section: usize) -> Vec<usize> {
        let update = Kind::Update;
        let slowest = |row: usize| {
            let ranks = &self.grid.cells[row][self.columns(section)];
            ranks.iter().map(|&rank| self.costs.seconds(rank, update)).fold(0.0, f64::max)
        };
        // Heights that differ by less are equal.
        let height = |row: usize| (self.grid.heights[row] * 1e9).round();
        let mut rows: Vec<usize> = (0..self.grid.heights.len()).collect();
        rows.sort_by(|&a, &b| {
            let by_speed = slowest(a).total_cmp(&slowest(b));
            by_speed.then(height(b).total_cmp(&height(a))).then(Reverse(a).cmp(&Reverse(b)))
        });
        rows.truncate(section * section);
        rows
    }

    /// A section that ends at iteration `end`.
    fn section(&self, number: usize, end: usize) -> Section {
        let columns = self.columns(number);
        let rows = self.rows(number).into_iter();
        let ranks = rows.flat_map(|row| self.grid.cells[row][columns.clone()].iter().copied());
        let mut ranks: Vec<usize> = ranks.collect();
        ranks.sort_unstable();
        ranks.dedup();
        Section { iterations: end..end, ranks }
    }
}

impl Strategy for Constrained {
    /// A grid that is not square is the end of the square one that it fits in.
    fn map(&self, (m, n): (usize, usize), storage: Storage) -> OwnerMap {
        if m == 1 {
            return self.grid.map_of_row(n, storage);
        }
        let (rows, columns, _) = self.choose(m.max(n));
        self.grid.map(&rows[rows.len() - m..], &columns[columns.len() - n..], storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::messages::lu;
    use crate::distribution::{Factorisation, Powers, Workers};

    /// Nodes of L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, table 4.1, durations of tables 4.2 and
    /// 4.3 in seconds, those of the slower cores in proportion to their clocks: a Chetemi with 18
    /// cores that compute, a Chifflet with 24 and two devices.
    fn chetemi() -> Vec<Workers> {
        let seconds = [0.0315, 0.0390, 0.0433, 0.0636].map(Some);
        vec![Workers { count: 18, seconds }]
    }

    fn chifflet() -> Vec<Workers> {
        let seconds = [0.0289, 0.0358, 0.0397, 0.0583].map(Some);
        let device = [None, Some(0.00478), Some(0.0050), Some(0.0071)];
        vec![Workers { count: 24, seconds }, Workers { count: 2, seconds: device }]
    }

    fn constrained(slow: usize, fast: usize, ratio: f64) -> Constrained {
        let powers = [vec![1.0; slow], vec![ratio; fast]].concat();
        let OneDOneD { grid } = OneDOneD::new(&Powers::new(powers).expect("they are positive"));
        let ranks = [vec![chetemi(); slow], vec![chifflet(); fast]].concat();
        let costs = Costs { factorisation: Factorisation::Lu, ranks, message_seconds: 0.0073 };
        Constrained { grid, costs }
    }

    /// Section 5.3.1 and figures 5.4 and 5.5: 14 nodes and 7 of twice their power, 100 x 100 tiles.
    /// Borders are where bounds cross each other, so they depend on durations that are not all
    /// printed: they are met up to one iteration.
    #[test]
    fn the_sections_of_14_and_7_nodes_are_the_printed_ones() {
        let (.., sections) = constrained(14, 7, 2.0).choose(100);
        let printed = [
            (95..100, vec![20]),
            (84..95, vec![14, 15, 16, 18, 19, 20]),
            (67..84, (6..21).collect()),
            (0..67, (0..21).collect()),
        ];
        assert_eq!(sections.len(), printed.len(), "{sections:?}");
        for (section, (iterations, ranks)) in sections.iter().zip(printed) {
            assert_eq!(section.ranks, ranks);
            let start = section.iterations.start;
            assert!(start.abs_diff(iterations.start) <= 1, "{start} against {iterations:?}");
        }
    }

    fn sent(map: &OwnerMap) -> u64 {
        lu(map).total()
    }

    /// Section 5.4.2: 16 nodes and 30 of half their power, 150 x 150 tiles, 123 780 messages.
    #[test]
    fn it_sends_nearly_what_is_printed_on_46_nodes() {
        let constrained = constrained(30, 16, 2.0);
        let found = sent(&constrained.map((150, 150), Storage::Full));
        assert!(found.abs_diff(123_780) <= 619, "{found}");
        let free = OneDOneD { grid: constrained.grid };
        assert!(found < sent(&free.map((150, 150), Storage::Full)));
    }

    /// Section 5.4.3: 99 equal nodes and one that is a quarter slower, 300 x 300 tiles, 798 434
    /// messages. Which nodes these are is not printed.
    #[test]
    fn it_sends_nearly_what_is_printed_on_100_nodes() {
        let powers = Powers::new([vec![0.75], vec![1.0; 99]].concat()).expect("they are positive");
        let OneDOneD { grid } = OneDOneD::new(&powers);
        let mut slower = chetemi();
        slower[0].seconds = slower[0].seconds.map(|seconds| Some(seconds? / 0.75));
        let ranks = [vec![slower], vec![chetemi(); 99]].concat();
        let costs = Costs { factorisation: Factorisation::Lu, ranks, message_seconds: 0.0073 };
        let found = sent(&Constrained { grid, costs }.map((300, 300), Storage::Full));
        assert!(found.abs_diff(798_434) <= 4000, "{found}");
    }
}
