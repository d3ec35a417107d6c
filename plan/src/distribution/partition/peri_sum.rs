//! The best partition into columns of rectangles.

use std::sync::Arc;

use super::{Laid, Partition, Rectangle, ascending};
use crate::distribution::{DistributionEntry, Planned, Powers};

pub(in super::super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "peri-sum",
    parameter: Some("POWERS"),
    summary: "one rectangle of tiles for each rank by its power, in columns, perimeters shortest; for products",
    make: |request| {
        let partition = super::peri_sum(&request.powers("peri-sum")?);
        Ok(Arc::new(Planned::new(Laid(partition), request.storage)))
    },
};

/// Costs that differ by less are equal.
const TIE: f64 = 1e-9;

/// The best way to put the first ranks into columns.
#[derive(Clone, Copy)]
struct Best {
    /// Sum of half the perimeters.
    cost: f64,
    columns: usize,
    /// The first rank of the last column.
    start: usize,
}

/// The partition into columns of rectangles with the shortest perimeters, among them one of the
/// fewest columns. Ranks are taken by their power, so the fastest are in the columns on the right.
///
/// With shares in ascending order and their sums `S`, the best cost of the first `q` ranks is
/// `f(q) = min over r < q of f(r) + 1 + (S_q - S_r) (q - r)`: the column of ranks `r + 1 .. q`
/// has that height 1 and that width for each of them (Beaumont and others 2001, section 4).
#[must_use]
pub fn peri_sum(powers: &Powers) -> Partition {
    let shares = ascending(powers);
    let mut sums = vec![0.0];
    for (_, share) in &shares {
        sums.push(sums[sums.len() - 1] + share);
    }
    let mut best = vec![Best { cost: 0.0, columns: 0, start: 0 }];
    for q in 1..=shares.len() {
        let with_column = |r: usize| Best {
            cost: best[r].cost + 1.0 + (sums[q] - sums[r]) * (q - r) as f64,
            columns: best[r].columns + 1,
            start: r,
        };
        let found = (0..q).map(with_column).reduce(|a, b| if is_better(b, a) { b } else { a });
        best.push(found.expect("a column has ranks"));
    }
    let mut rectangles = Vec::new();
    let mut end = shares.len();
    while end > 0 {
        let start = best[end].start;
        let (left, width) = (sums[start], sums[end] - sums[start]);
        for (place, &(rank, share)) in shares[start..end].iter().enumerate() {
            let top = (sums[start + place] - left) / width;
            rectangles.push(Rectangle { rank, left, top, width, height: share / width });
        }
        end = start;
    }
    Partition { ranks: powers.ranks(), rectangles }
}

fn is_better(a: Best, b: Best) -> bool {
    a.cost < b.cost - TIE || (a.cost < b.cost + TIE && a.columns < b.columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost over all ways to cut the ranks, taken by their power, into columns.
    fn least(shares: &[f64]) -> f64 {
        let column = |part: &[f64]| 1.0 + part.len() as f64 * part.iter().sum::<f64>();
        let rest = |cut: usize| column(&shares[..cut]) + least(&shares[cut..]);
        (1..=shares.len()).map(rest).reduce(f64::min).unwrap_or(0.0)
    }

    #[test]
    fn no_other_cut_is_shorter() {
        for powers in [vec![1.0; 7], vec![1.0, 5.0, 2.0, 2.0, 9.0], vec![3.0; 10], vec![1.0, 40.0]]
        {
            let powers = Powers::new(powers).expect("they are positive");
            let shares: Vec<f64> = ascending(&powers).into_iter().map(|(_, share)| share).collect();
            let found = peri_sum(&powers).half_perimeters();
            assert!((found - least(&shares)).abs() < 1e-9, "{found} of {shares:?}");
        }
    }

    #[test]
    fn four_equal_ranks_have_a_quarter_each() {
        let partition = peri_sum(&Powers::equal(4));
        assert!((partition.half_perimeters() - 4.0).abs() < 1e-12);
        assert!(partition.rectangles.iter().all(|part| part.width == 0.5));
    }
}
