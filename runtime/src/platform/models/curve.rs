//! The time of a kernel as a function of its size, through the sizes that are known.

/// A size that is known, and its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Floating-point operations, or bytes of a kernel that has none.
    pub(super) size: f64,
    /// Bytes; 0 if they are not known.
    pub(super) bytes: f64,
    /// Mean of the times.
    pub(super) nanoseconds: f64,
}

/// Bounds of the exponent: noise must not make larger tiles faster, and no kernel takes more time
/// than the square of its operations says.
const EXPONENTS: (f64, f64) = (0.0, 2.0);

/// Time of a task of `size` and `bytes`, from what `points` say of other sizes; none if there are
/// no points.
///
/// Points of the same shape and precision count alone if there are any. Two sizes or more give the
/// power law `t = a size^b` of least squares in logarithms (the regression of StarPU's handbook,
/// "Performance model calibration", `STARPU_REGRESSION_BASED`), with `b` kept between 0 and 2; one
/// size gives its rate.
pub(super) fn expect(points: &[Point], size: f64, bytes: f64) -> Option<f64> {
    let alike: Vec<Point> =
        points.iter().filter(|point| is_alike(point, size, bytes)).copied().collect();
    let points = if alike.is_empty() { points } else { &alike };
    let count = points.len() as f64;
    let logs = || points.iter().map(|point| (point.size.max(1.0).ln(), point.nanoseconds.ln()));
    let (x, y) = logs().fold((0.0, 0.0), |(x, y), (u, v)| (x + u / count, y + v / count));
    let spread: f64 = logs().map(|(u, _)| (u - x) * (u - x)).sum();
    let slope: f64 = logs().map(|(u, v)| (u - x) * (v - y)).sum();
    let exponent =
        if spread > 1e-6 { (slope / spread).clamp(EXPONENTS.0, EXPONENTS.1) } else { 1.0 };
    (count > 0.0).then(|| (y + exponent * (size.max(1.0).ln() - x)).exp())
}

/// Whether `point` is of tiles of the same shape and precision: bytes of square tiles grow with the
/// power 2/3 of their operations, and double with the precision.
fn is_alike(point: &Point, size: f64, bytes: f64) -> bool {
    let shape = |size: f64, bytes: f64| bytes.ln() - 2.0 / 3.0 * size.max(1.0).ln();
    let is_known = point.bytes > 0.0 && bytes > 0.0;
    !is_known || (shape(point.size, point.bytes) - shape(size, bytes)).abs() < 0.3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: f64, bytes: f64, nanoseconds: f64) -> Point {
        Point { size, bytes, nanoseconds }
    }

    fn assert_near(x: Option<f64>, y: f64) {
        assert!(x.is_some_and(|x| (x - y).abs() < 1e-9 * y), "{x:?} against {y}");
    }

    #[test]
    fn power_laws_are_found_again() {
        let law = |size: f64| 7.0 * size.powf(0.9);
        let points = [1e6, 2e6, 8e6].map(|size| point(size, 0.0, law(size)));
        assert_near(expect(&points, 6.4e7, 0.0), law(6.4e7));
    }

    #[test]
    fn one_size_gives_its_rate_and_none_nothing() {
        assert_near(expect(&[point(1e6, 0.0, 500.0)], 4e6, 0.0), 2000.0);
        assert_eq!(expect(&[], 1.0, 1.0), None);
    }

    #[test]
    fn larger_tiles_are_never_faster() {
        let noise = [point(1e6, 0.0, 900.0), point(2e6, 0.0, 400.0)];
        assert_near(expect(&noise, 1e9, 0.0), 600.0);
    }

    #[test]
    fn precisions_are_told_apart() {
        let tile =
            |n: f64, width: f64, time: f64| point(2.0 * n * n * n, 4.0 * width * n * n, time);
        let both = [tile(320.0, 4.0, 1e6), tile(320.0, 8.0, 2e6)];
        let (size, bytes) = (2.0 * 640f64.powi(3), 4.0 * 8.0 * 640.0 * 640.0);
        assert_near(expect(&both, size, bytes), 1.6e7);
    }
}
