//! Signs that data are not what they are taken for: codes of missing values, places far away.

use tegula_kernels::geometry::Points;

/// How many times as far as the others extend a value that repeats has to lie from them to be a
/// code.
const REMOTE: f64 = 10.0;
/// Whole numbers beyond short integers and single precision that programs write for missing values.
const CODES: &[f64] = &[-32768.0, 32767.0, -2_147_483_648.0, 2_147_483_647.0];
/// Magnitude from which a single value may be a code: `1e20`, `9.97e36` (NetCDF), the largest
/// number.
const HUGE: f64 = 1e18;

/// A value that seems to stand for a missing one, with the number of its occurrences: the least or
/// the largest value, if it is one that programs write (-9999, -32768, 1e20) and lies farther from
/// the others than these extend, or if it repeats and lies ten times as far. NaNs count for
/// nothing.
#[must_use]
pub fn sentinel(values: &[f64]) -> Option<(f64, usize)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = (*sorted.first()?, *sorted.last()?);
    let below = sorted.partition_point(|&value| value == low);
    let above = sorted.len() - sorted.partition_point(|&value| value < high);
    let is_code = |value: f64, times: usize, others: &[f64]| {
        let ([first, .., last], 3..) = (others, others.len()) else { return false };
        let extent = last - first;
        let gap = (first - value).max(value - last);
        let known = is_known(value) && (times > 1 || value.abs() >= 999.0);
        extent > 0.0 && (known && gap > extent || times > 1 && gap > REMOTE * extent)
    };
    if is_code(low, below, &sorted[below..]) {
        return Some((low, below));
    }
    is_code(high, above, &sorted[..sorted.len() - above]).then_some((high, above))
}

/// Whether programs write `value` for a missing one: nothing but nines, or the end of a kind of
/// numbers.
fn is_known(value: f64) -> bool {
    let digits = value.abs().to_string();
    let nines = digits.bytes().filter(|&byte| byte == b'9').count();
    let is_nines = nines >= 2 && digits.bytes().all(|byte| byte == b'9' || byte == b'.');
    is_nines || CODES.contains(&value) || value.abs() >= HUGE
}

/// Indices of the `places` that lie farther from the box around `data` than its diagonal is long.
/// Both are of one geometry.
#[must_use]
pub fn far_off(data: &Points, places: &Points) -> Vec<usize> {
    let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for point in (0..data.len()).map(|i| data.point(i)) {
        for axis in 0..3 {
            corners[0][axis] = corners[0][axis].min(point[axis]);
            corners[1][axis] = corners[1][axis].max(point[axis]);
        }
    }
    let length = |vector: [f64; 3]| vector[0].hypot(vector[1]).hypot(vector[2]);
    let diagonal = length(std::array::from_fn(|axis| corners[1][axis] - corners[0][axis]));
    let outside = |point: [f64; 3]| {
        let beyond = |axis: usize| {
            (corners[0][axis] - point[axis]).max(point[axis] - corners[1][axis]).max(0.0)
        };
        length(std::array::from_fn(beyond))
    };
    (0..places.len()).filter(|&i| outside(places.point(i)) > diagonal && diagonal > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use tegula_kernels::geometry::Geometry;

    use super::*;

    #[test]
    fn codes_of_missing_values_are_found() {
        let with = |codes: &[f64]| [&[0.2, 3.5, -1.0, 14.0, 7.0], codes].concat();
        for (codes, found) in [
            (&[-9999.0][..], Some((-9999.0, 1))),
            (&[-9999.0, -9999.0], Some((-9999.0, 2))),
            (&[-999.9], Some((-999.9, 1))),
            (&[99.0, 99.0], Some((99.0, 2))),
            (&[1e20], Some((1e20, 1))),
            (&[-32768.0, 2.0], Some((-32768.0, 1))),
            (&[-500.0, -500.0], Some((-500.0, 2))),
            (&[99.0], None),
            (&[-500.0], None),
            (&[-60.0, -60.0], None),
            (&[f64::NAN, 14.0], None),
            (&[], None),
        ] {
            assert_eq!(sentinel(&with(codes)), found, "{codes:?}");
        }
        assert_eq!(sentinel(&[0.0, 0.0, 0.0, 5.0]), None, "one other value tells nothing");
        assert_eq!(sentinel(&[0.0, 9999.0, 4000.0, 8000.0, 12000.0]), None);
        assert_eq!(sentinel(&[]), None);
    }

    #[test]
    fn places_farther_than_the_data_extend_are_found() {
        let points = |x: &[f64], y: &[f64]| Points::new(Geometry::Plane, &[x, y]).expect("points");
        let data = points(&[0.0, 3.0], &[0.0, 4.0]);
        let places = points(&[1.0, -4.0, -6.0, 7.0], &[1.0, 0.0, 2.0, 8.0]);
        assert_eq!(far_off(&data, &places), [2, 3]);
        let globe = |latitude: &[f64], longitude: &[f64]| {
            Points::new(Geometry::GreatCircle, &[latitude, longitude]).expect("points")
        };
        let fiji = globe(&[-18.0, -17.0], &[179.0, -179.0]);
        assert_eq!(far_off(&fiji, &globe(&[-17.5, -17.5], &[-180.0, 0.0])), [1]);
    }
}
