//! Hilbert's curve: the order in which places are passed by a curve that fills space.
//!
//! J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004) 381-387.

use tegula_kernels::geometry::Points;

/// Bits of a coordinate: three of them fit a number of 64 bits.
const BITS: u32 = 21;

/// The indices of `points` along Hilbert's curve through the cube that holds them; on a line, in
/// order. Places on the sphere are those in space.
#[must_use]
pub fn order(points: &Points) -> Vec<usize> {
    let n = points.len();
    let dimensions = points.geometry().stored();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for i in 0..n {
        for (k, x) in points.point(i).into_iter().enumerate().take(dimensions) {
            (low[k], high[k]) = (low[k].min(x), high[k].max(x));
        }
    }
    // Halves, so that the extent of the largest numbers is finite.
    let extent = (0..dimensions).fold(0.0f64, |most, k| most.max(0.5 * high[k] - 0.5 * low[k]));
    let cells = f64::from((1u32 << BITS) - 1);
    let cell = |x: f64, k: usize| {
        let share = if extent > 0.0 { (0.5 * x - 0.5 * low[k]) / extent } else { 0.0 };
        (share * cells) as u32
    };
    let key = |i: usize| {
        let point = points.point(i);
        let mut at = [0; 3];
        (0..dimensions).for_each(|k| at[k] = cell(point[k], k));
        distance(&mut at[..dimensions], BITS)
    };
    let mut keyed: Vec<(u64, usize)> = (0..n).map(|i| (key(i), i)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// How far along the curve the cell `x` is, of which coordinates have so many `bits`. Overwrites
/// them.
fn distance(x: &mut [u32], bits: u32) -> u64 {
    let n = x.len();
    if let [only] = x {
        return u64::from(*only);
    }
    // From the finest turns to the first: what rotations and reflections did is undone.
    for bit in (1..bits).rev() {
        let (bit, below) = (1 << bit, (1 << bit) - 1);
        for i in 0..n {
            if x[i] & bit != 0 {
                x[0] ^= below;
            } else {
                let other = (x[0] ^ x[i]) & below;
                x[0] ^= other;
                x[i] ^= other;
            }
        }
    }
    // Gray's code.
    (1..n).for_each(|i| x[i] ^= x[i - 1]);
    let turned = (1..bits).filter(|bit| x[n - 1] & (1 << bit) != 0);
    let flip = turned.fold(0, |flip, bit| flip ^ ((1 << bit) - 1));
    x.iter_mut().for_each(|x| *x ^= flip);
    // Bits in turns, the highest first.
    let digits = (0..bits).rev().flat_map(|bit| x.iter().map(move |x| u64::from(x >> bit & 1)));
    digits.fold(0, |key, digit| key << 1 | digit)
}

#[cfg(test)]
mod tests {
    use tegula_kernels::geometry::Geometry;
    use tegula_kernels::kernel::covariance::rate::random_points;

    use super::*;

    /// It passes every cell once, and goes from each to one beside it.
    #[test]
    fn the_curve_goes_from_cell_to_cell() {
        for (dimensions, bits) in [(2, 4), (3, 3)] {
            let side = 1u32 << bits;
            let cells = side.pow(dimensions as u32);
            let mut along: Vec<(u64, Vec<u32>)> = (0..cells)
                .map(|cell| {
                    let x: Vec<u32> =
                        (0..dimensions as u32).map(|k| cell / side.pow(k) % side).collect();
                    (distance(&mut x.clone(), bits), x)
                })
                .collect();
            along.sort();
            assert!(along.iter().zip(0..).all(|((key, _), at)| *key == at), "{dimensions}");
            for pair in along.windows(2) {
                let steps = pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| a.abs_diff(*b));
                assert_eq!(steps.sum::<u32>(), 1, "{dimensions}: {pair:?}");
            }
        }
    }

    #[test]
    fn every_place_comes_once_and_near_ones_together() {
        for geometry in Geometry::ALL {
            let points = random_points(geometry, 2000, 1.0, 3);
            let order = order(&points);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..2000), "{geometry:?}");
            let step = |a: usize, b: usize| geometry.distance(&points.point(a), &points.point(b));
            let along: f64 = order.windows(2).map(|pair| step(pair[0], pair[1])).sum();
            let given: f64 = (1..2000).map(|i| step(i - 1, i)).sum();
            assert!(along < 0.15 * given, "{geometry:?}: {along}, as given {given}");
            if geometry == Geometry::Line {
                let is_sorted = |pair: &[usize]| points.point(pair[0]) <= points.point(pair[1]);
                assert!(order.windows(2).all(is_sorted));
            }
        }
    }

    #[test]
    fn places_that_coincide_and_extreme_ones_have_an_order() {
        let same = Points::new(Geometry::Plane, &[&[2.0; 5], &[3.0; 5]]).expect("places");
        assert_eq!(order(&same), [0, 1, 2, 3, 4]);
        let far = Points::new(Geometry::Line, &[&[f64::MAX, -f64::MAX, 0.0]]).expect("places");
        assert_eq!(order(&far), [1, 2, 0]);
    }
}
