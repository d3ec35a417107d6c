//! A partition by cutting rectangles in two, again and again.

use std::sync::Arc;

use super::{Laid, Partition, Rectangle, ascending};
use crate::distribution::{DistributionEntry, Planned, Powers};

pub(in super::super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "recursive",
    parameter: Some("POWERS"),
    summary: "one rectangle of tiles for each rank by its power, by cutting in two; for products",
    make: |request| {
        let partition = super::recursive(&request.powers("recursive")?);
        Ok(Arc::new(Planned::new(Laid(partition), request.storage)))
    },
};

/// The partition by divide and conquer: of the ranks of a rectangle, from the largest share down,
/// as few as have a third of it together go to one side of a cut across its longer edge, the others
/// to the other side.
///
/// After Nagamochi, Abe, "An approximation algorithm for dissecting a rectangle into rectangles
/// with specified areas", Discrete Applied Mathematics 155 (2007), who divide and conquer so that
/// the sum of the perimeters is at most 1.25 times the least.
#[must_use]
pub fn recursive(powers: &Powers) -> Partition {
    let mut shares = ascending(powers);
    shares.reverse();
    let mut partition = Partition { ranks: powers.ranks(), rectangles: Vec::new() };
    divide(&shares, (0.0, 0.0), (1.0, 1.0), &mut partition.rectangles);
    partition
}

/// Divides the rectangle at `(left, top)` of `(width, height)` among ranks, the largest share
/// first.
fn divide(
    shares: &[(usize, f64)],
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    rectangles: &mut Vec<Rectangle>,
) {
    if let [(rank, _)] = *shares {
        rectangles.push(Rectangle { rank, left, top, width, height });
        return;
    }
    let whole = sum(shares);
    let is_enough = |&count: &usize| 3.0 * sum(&shares[..count]) >= whole;
    let count = (1..shares.len()).find(is_enough).expect("all but the last have a third");
    let (first, others) = shares.split_at(count);
    let part = sum(first) / whole;
    if width >= height {
        let cut = part * width;
        divide(first, (left, top), (cut, height), rectangles);
        divide(others, (left + cut, top), (width - cut, height), rectangles);
    } else {
        let cut = part * height;
        divide(first, (left, top), (width, cut), rectangles);
        divide(others, (left, top + cut), (width, height - cut), rectangles);
    }
}

fn sum(shares: &[(usize, f64)]) -> f64 {
    shares.iter().map(|(_, share)| share).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_equal_ranks_have_a_quarter_each() {
        let partition = recursive(&Powers::equal(4));
        let squares = partition.rectangles.iter().filter(|part| part.width == part.height);
        assert_eq!(squares.count(), 4, "{partition:?}");
    }

    #[test]
    fn a_large_rank_is_cut_off_first() {
        let partition = recursive(&Powers::new(vec![1.0, 2.0, 1.0]).expect("they are positive"));
        let part = partition.rectangles[0];
        assert_eq!((part.rank, part.width, part.height), (1, 0.5, 1.0));
    }
}
