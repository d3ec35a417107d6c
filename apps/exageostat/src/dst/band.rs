//! Which tiles a taper leaves: an order of the places, and the tiles that are zero in it.

use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry, Points};
use tegula_linalg::PrecisionMap;

/// By what a range is lengthened before anything beyond it counts as zero: rounding of distances.
const MARGIN: f64 = 1.0 + 1e-9;

/// The indices of `points` along the coordinate of which they extend furthest. Places on the sphere
/// are those in space.
///
/// Tiles that are not zero are then a band: what is within the range of a place in that coordinate.
#[must_use]
pub fn order(points: &Points) -> Vec<usize> {
    let along = longest_axis(points);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points.point(i)[along].total_cmp(&points.point(j)[along]));
    order
}

/// The coordinate of which `points` extend furthest.
fn longest_axis(points: &Points) -> usize {
    let extent = |axis: usize| {
        let all = (0..points.len()).map(|i| points.point(i)[axis]);
        let (low, high) = all
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        // Halves, so that the extent of the largest numbers is finite.
        0.5 * high - 0.5 * low
    };
    let axes = 0..points.geometry().stored();
    axes.rev().max_by(|&a, &b| extent(a).total_cmp(&extent(b))).unwrap_or(0)
}

/// The distance `range` between coordinates as they are held: on the sphere a chord of the unit
/// sphere.
fn held(geometry: Geometry, range: f64) -> f64 {
    match geometry {
        Geometry::GreatCircle => 2.0 * (0.5 * range / EARTH_RADIUS_KM).min(1.5).sin(),
        _ => range,
    }
}

/// The smallest and the largest coordinates of `nb` points at a time.
fn boxes(points: &Points, nb: usize) -> Vec<[[f64; 3]; 2]> {
    let block = |first: usize| {
        let all = (first..points.len().min(first + nb)).map(|i| points.point(i));
        all.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], at| {
            let index = [0, 1, 2];
            [index.map(|k| low[k].min(at[k])), index.map(|k| high[k].max(at[k]))]
        })
    };
    (0..points.len()).step_by(nb).map(block).collect()
}

/// The tiles of order `nb` of the covariance matrix of `points`, in this order, under a taper: all
/// in 64 bits, and those zero of which no two places are within the `range`, unless a factorisation
/// fills them.
pub(super) fn tiles(points: &Points, nb: usize, range: f64) -> PrecisionMap {
    let boxes = boxes(points, nb);
    let reach = MARGIN * held(points.geometry(), range);
    let is_zero = |i: usize, j: usize| {
        let gap = |k: usize| {
            let ([low, high], [other_low, other_high]) = (boxes[i], boxes[j]);
            (low[k] - other_high[k]).max(other_low[k] - high[k]).max(0.0)
        };
        gap(0).hypot(gap(1)).hypot(gap(2)) > reach
    };
    PrecisionMap::new(boxes.len(), |_, _| false).with_zeros(is_zero)
}

/// What a factor holds and takes under a taper, place by place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// Entries of the factor on and below the diagonal.
    pub entries: f64,
    /// Operations of the factorisation.
    pub flops: f64,
}

impl Envelope {
    /// Of `points`, in their [`order`], under a taper of this `range`.
    #[must_use]
    pub fn of(points: &Points, range: f64) -> Self {
        let along = longest_axis(points);
        let mut at: Vec<f64> = (0..points.len()).map(|i| points.point(i)[along]).collect();
        at.sort_by(f64::total_cmp);
        let reach = MARGIN * held(points.geometry(), range);
        let (mut end, mut entries, mut flops) = (0, 0.0, 0.0);
        for (i, x) in at.iter().enumerate() {
            while end < at.len() && at[end] - x <= reach {
                end += 1;
            }
            let rows = (end - i) as f64;
            (entries, flops) = (entries + rows, flops + rows * rows);
        }
        Self { entries, flops }
    }
}

#[cfg(test)]
mod tests {
    use tegula_kernels::kernel::covariance::rate::random_points;

    use super::*;

    /// Nothing within the range is in a tile that is zero, most of what is beyond is, and tiles are
    /// those that are counted with before there are any, up to their order.
    #[test]
    fn what_is_within_the_range_is_kept_in_a_band() {
        for geometry in Geometry::ALL {
            let (n, nb) = (900, 20);
            let points = random_points(geometry, n, 1.0, 5);
            let points = points.select(&order(&points));
            let whole = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
            for share in [0.05, 0.2, 3.0] {
                let range = share * whole;
                let map = tiles(&points, nb, range);
                for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                    let is_kept = !map.is_zero(i / nb, j / nb);
                    assert!(is_kept || points.distance(i, j) > range, "{geometry:?}: {i}, {j}");
                }
                let nt = n / nb;
                let kept = (nt * (nt + 1) / 2 - map.zero_tiles()) as f64 * (nb * nb) as f64;
                let envelope = Envelope::of(&points, range);
                let most = envelope.entries + (2 * n * nb) as f64;
                assert!(kept >= envelope.entries && kept <= most, "{geometry:?}: {kept}");
                assert!(share > 0.1 || kept < 0.3 * (n * n / 2) as f64, "{geometry:?}: {kept}");
            }
        }
    }
}
