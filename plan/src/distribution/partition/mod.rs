//! Partitions of the unit square into one rectangle for each rank, of the area of its share.
//!
//! The sum of half their perimeters stands for what a product of matrices sends (PERI-SUM;
//! Beaumont, Boudet, Rastello, Robert, "Matrix multiplication on heterogeneous platforms", IEEE
//! Transactions on Parallel and Distributed Systems 12 (2001)).

mod peri_sum;
mod recursive;

pub(super) use peri_sum::ENTRY as PERI_SUM;
pub use peri_sum::peri_sum;
pub(super) use recursive::ENTRY as RECURSIVE;
pub use recursive::recursive;

use super::{OwnerMap, Powers, Strategy};
use tegula_tiles::Storage;

/// The part of a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The rank.
    pub rank: usize,
    /// Its left edge.
    pub left: f64,
    /// Its upper edge; 0 is that of the square.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Rectangle {
    /// How far `(x, y)` is outside; 0 inside.
    fn distance(&self, x: f64, y: f64) -> f64 {
        let beyond = |at: f64, start: f64, length: f64| (start - at).max(at - start - length);
        beyond(x, self.left, self.width).max(beyond(y, self.top, self.height)).max(0.0)
    }
}

/// Rectangles that cover the unit square.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Number of ranks; those of power 0 have no rectangle.
    pub ranks: usize,
    /// The rectangles.
    pub rectangles: Vec<Rectangle>,
}

impl Partition {
    /// Sum of half the perimeters.
    #[must_use]
    pub fn half_perimeters(&self) -> f64 {
        self.rectangles.iter().map(|part| part.width + part.height).sum()
    }

    /// The rank whose rectangle is at `(x, y)`.
    #[must_use]
    pub fn rank_at(&self, x: f64, y: f64) -> usize {
        let distance = |part: &&Rectangle| part.distance(x, y);
        let nearest = self.rectangles.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.expect("a rank has a power").rank
    }
}

/// A partition laid over the grid: the owner of a tile is the rank at its centre. Each rank has one
/// rectangle of tiles, which is right for products and not for factorisations.
struct Laid(Partition);

impl Strategy for Laid {
    fn map(&self, (rows, columns): (usize, usize), storage: Storage) -> OwnerMap {
        let centre = |line: usize, lines: usize| (line as f64 + 0.5) / lines as f64;
        OwnerMap::new((rows, columns), storage, self.0.ranks, |row, column| {
            self.0.rank_at(centre(column, columns), centre(row, rows))
        })
    }
}

/// Ranks that have a power, by their share, the smallest first and equal ones by number.
fn ascending(powers: &Powers) -> Vec<(usize, f64)> {
    let shares = powers.shares().into_iter().enumerate();
    let mut shares: Vec<(usize, f64)> = shares.filter(|&(_, share)| share > 0.0).collect();
    shares.sort_by(|a, b| a.1.total_cmp(&b.1));
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rectangles_have_the_shares_and_do_not_overlap(
            powers in prop::collection::vec(0.0f64..4.0, 1..12),
        ) {
            let Some(powers) = Powers::new(powers) else { return Ok(()) };
            for partition in [peri_sum(&powers), recursive(&powers)] {
                let mut areas = vec![0.0; powers.ranks()];
                for a in &partition.rectangles {
                    areas[a.rank] += a.width * a.height;
                    prop_assert!(a.left > -1e-9 && a.left + a.width < 1.0 + 1e-9);
                    prop_assert!(a.top > -1e-9 && a.top + a.height < 1.0 + 1e-9);
                    let (x, y) = (a.left + a.width / 2.0, a.top + a.height / 2.0);
                    prop_assert_eq!(partition.rank_at(x, y), a.rank);
                }
                for (area, share) in areas.iter().zip(powers.shares()) {
                    prop_assert!((area - share).abs() < 1e-9, "{} against {}", area, share);
                }
            }
        }

        /// No rectangle has less than twice the root of its area around it.
        #[test]
        fn perimeters_are_near_what_they_must_be(
            powers in prop::collection::vec(0.5f64..2.0, 1..40),
        ) {
            let powers = Powers::new(powers).expect("they are positive");
            let least: f64 = powers.shares().iter().map(|share| 2.0 * share.sqrt()).sum();
            for partition in [peri_sum(&powers), recursive(&powers)] {
                let found = partition.half_perimeters();
                prop_assert!(found > least - 1e-9 && found < 1.25 * least, "{} {}", found, least);
            }
        }
    }
}
