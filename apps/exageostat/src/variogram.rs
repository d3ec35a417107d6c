//! Empirical variograms: half the mean square of the differences of values, by distance.
//!
//! Conventions are those of gstat's `variogram`: pairs up to a cutoff, by default a third of the
//! diagonal of the box of the places, in bins that are open below and closed above; what stands in
//! a bin is the mean distance of its pairs, and bins without pairs are left out. E. J. Pebesma,
//! "Multivariable geostatistics in S: the gstat package", Computers & Geosciences 30 (2004)
//! 683-691.

use std::f64::consts::TAU;

use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry, Points};
use tegula_runtime::random::SplitMix64;
use thiserror::Error;

use crate::model::Model;

/// Bins of a variogram that does not say how wide they are.
pub const BINS: usize = 15;

/// Most bins of a variogram.
const MOST_BINS: f64 = 1e6;

/// How semivariances are estimated from differences of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimator {
    /// Half the mean square: G. Matheron, "Traite de geostatistique appliquee" (1962).
    #[default]
    Matheron,
    /// From the fourth power of the mean square root, which outliers move less: N. Cressie, D. M.
    /// Hawkins, "Robust estimation of the variogram: I", Mathematical Geology 12 (1980) 115-125,
    /// equation 9.
    Cressie,
}

/// Directions of pairs that count, in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// In degrees clockwise from the second coordinate: 0 is north, 90 east.
    pub azimuth: f64,
    /// How many degrees a pair may lie off that, to either side.
    pub tolerance: f64,
}

/// How wide bins are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bins {
    /// So many up to the cutoff, of equal width.
    Count(usize),
    /// Of this width; the last one ends at the cutoff.
    Width(f64),
}

/// What a variogram is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest distance, in its unit; by default [`default_cutoff`].
    pub cutoff: Option<f64>,
    /// The bins.
    pub bins: Bins,
    /// The estimator.
    pub estimator: Estimator,
    /// The direction, if not all count.
    pub direction: Option<Direction>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cutoff: None,
            bins: Bins::Count(BINS),
            estimator: Estimator::Matheron,
            direction: None,
        }
    }
}

/// Pairs of about the same distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// How many there are.
    pub pairs: usize,
    /// Their mean distance.
    pub distance: f64,
    /// Their semivariance, in squared units of the values.
    pub semivariance: f64,
}

/// An empirical variogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Variogram {
    /// The largest distance.
    pub cutoff: f64,
    /// Width of the bins.
    pub width: f64,
    /// Those that have pairs, from the nearest on.
    pub bins: Vec<Bin>,
}

/// Why there is no variogram.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum VariogramError {
    /// No two places differ, so that there is no distance to go by.
    #[error("all places are the same: a variogram takes places at different distances")]
    OnePlace,
    /// A cutoff that is no length.
    #[error("a cutoff of {0} is no length: it must be above 0")]
    Cutoff(f64),
    /// Bins that are not of any width, or too many.
    #[error("bins {width} wide up to a distance of {cutoff}: one to a million bins are possible")]
    Width {
        /// The width.
        width: f64,
        /// The cutoff.
        cutoff: f64,
    },
    /// No pair is as near as the cutoff.
    #[error(
        "no two places are within {cutoff} of each other in this direction or any: take a larger cutoff"
    )]
    NoPairs {
        /// The cutoff.
        cutoff: f64,
    },
    /// A direction where there is none.
    #[error("a direction is one of the plane: these places have another geometry")]
    Direction,
}

/// The variogram of `values` at `points`, by all pairs of them.
///
/// # Errors
/// If no pair counts, or the bins are none.
///
/// # Panics
/// If points and values differ in number.
pub fn variogram(
    points: &Points,
    values: &[f64],
    options: &Options,
) -> Result<Variogram, VariogramError> {
    assert_eq!(points.len(), values.len(), "places and values");
    let difference = |i: usize, j: usize| (values[i] - values[j]).abs();
    match options.estimator {
        Estimator::Matheron => variogram_of(points, options, |i, j| Some(difference(i, j).powi(2))),
        Estimator::Cressie => of_pairs(points, options, |i, j| Some(difference(i, j).sqrt())),
    }
}

/// A variogram by some pairs of `points`: half the mean of what `product` gives, at a distance
/// that pairs have. The product of the differences of two variables makes their cross-variogram
/// (N. Cressie, "Statistics for spatial data" (1993), section 3.2.3); pairs for which there is none
/// do not count. The estimator is Matheron's, whatever `options` say.
///
/// # Errors
/// As [`variogram`].
pub fn variogram_of(
    points: &Points,
    options: &Options,
    product: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Variogram, VariogramError> {
    of_pairs(points, &Options { estimator: Estimator::Matheron, ..*options }, product)
}

/// The variogram of what `term` gives for pairs, the later place first.
fn of_pairs(
    points: &Points,
    options: &Options,
    term: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Variogram, VariogramError> {
    let cutoff = options.cutoff.unwrap_or_else(|| default_cutoff(points));
    if options.cutoff.is_none() && cutoff == 0.0 {
        return Err(VariogramError::OnePlace);
    }
    if !(cutoff > 0.0 && cutoff.is_finite()) {
        return Err(VariogramError::Cutoff(cutoff));
    }
    let width = match options.bins {
        Bins::Count(count) => cutoff / count as f64,
        Bins::Width(width) => width,
    };
    if !(width > 0.0 && cutoff / width <= MOST_BINS) {
        return Err(VariogramError::Width { width, cutoff });
    }
    if options.direction.is_some() && points.geometry() != Geometry::Plane {
        return Err(VariogramError::Direction);
    }
    let sums = sums(points, options, (cutoff, width), term);
    let bins: Vec<Bin> = sums.iter().filter_map(|sum| sum.bin(options.estimator)).collect();
    if bins.is_empty() {
        return Err(VariogramError::NoPairs { cutoff });
    }
    Ok(Variogram { cutoff, width, bins })
}

/// What a bin has of its pairs.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    pairs: usize,
    distance: f64,
    /// Of squares, or of square roots, of differences, or of products of them.
    terms: f64,
}

impl Sum {
    fn bin(&self, estimator: Estimator) -> Option<Bin> {
        let n = self.pairs as f64;
        let mean = self.terms / n;
        let semivariance = match estimator {
            Estimator::Matheron => 0.5 * mean,
            Estimator::Cressie => 0.5 * mean.powi(4) / (0.457 + 0.494 / n),
        };
        let pairs = self.pairs;
        (pairs > 0).then(|| Bin { pairs, distance: self.distance / n, semivariance })
    }
}

/// The sums over all pairs that have a `term`, by bins.
fn sums(
    points: &Points,
    options: &Options,
    (cutoff, width): (f64, f64),
    term: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Sum> {
    let geometry = points.geometry();
    let places: Vec<[f64; 3]> = (0..points.len()).map(|i| points.point(i)).collect();
    let cone = options.direction.map(Cone::new);
    let mut sums = vec![Sum::default(); (cutoff / width).ceil() as usize + 1];
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places[..i].iter().enumerate() {
            let distance = geometry.distance(a, b);
            if distance > cutoff || cone.is_some_and(|cone| !cone.has(a, b)) {
                continue;
            }
            let Some(term) = term(i, j) else { continue };
            // A distance at the border of two bins is of the nearer one.
            let share = distance / width;
            let border = usize::from(distance > 0.0 && share == share.floor());
            let sum = &mut sums[share as usize - border];
            sum.pairs += 1;
            sum.distance += distance;
            sum.terms += term;
        }
    }
    sums
}

/// Directions around an axis.
#[derive(Clone, Copy)]
struct Cone {
    axis: [f64; 2],
    /// Least cosine of the angle between the axis and a pair.
    least: f64,
}

impl Cone {
    fn new(direction: Direction) -> Self {
        let (sin, cos) = direction.azimuth.to_radians().sin_cos();
        Self { axis: [sin, cos], least: direction.tolerance.to_radians().cos() }
    }

    /// Whether the line through `a` and `b` is one of them; places that are the same have no
    /// direction, and count.
    fn has(self, a: &[f64; 3], b: &[f64; 3]) -> bool {
        let (x, y) = (a[0] - b[0], a[1] - b[1]);
        let along = (x * self.axis[0] + y * self.axis[1]).abs();
        along >= self.least * x.hypot(y)
    }
}

/// A third of the diagonal of the box of `points`; on the sphere the box is that of latitudes and
/// longitudes, and its diagonal the great circle between two corners.
#[must_use]
pub fn default_cutoff(points: &Points) -> f64 {
    if points.is_empty() {
        return 0.0;
    }
    let diagonal = if points.geometry() == Geometry::GreatCircle {
        sphere_diagonal(points)
    } else {
        let runs = points.held().chunks_exact(points.len());
        runs.map(|run| extent(run).1 - extent(run).0).fold(0.0, f64::hypot)
    };
    diagonal / 3.0
}

/// The least and the largest of `values`.
fn extent(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold(start, |(low, high), &x| (low.min(x), high.max(x)))
}

/// The great circle between corners of the smallest box of latitudes and longitudes, which may
/// cross the meridian of 180 degrees, in km.
fn sphere_diagonal(points: &Points) -> f64 {
    let places = (0..points.len()).map(|i| points.point(i));
    let (latitudes, mut longitudes): (Vec<f64>, Vec<f64>) =
        places.map(|[x, y, z]| (z.atan2(x.hypot(y)), y.atan2(x))).unzip();
    longitudes.sort_by(f64::total_cmp);
    let (first, last) = (longitudes[0], longitudes[longitudes.len() - 1]);
    let gaps = longitudes.windows(2).map(|pair| pair[1] - pair[0]);
    let width = TAU - gaps.fold(TAU - (last - first), f64::max);
    let (low, high) = extent(&latitudes);
    // The haversine formula.
    let square =
        (0.5 * (high - low)).sin().powi(2) + low.cos() * high.cos() * (0.5 * width).sin().powi(2);
    2.0 * EARTH_RADIUS_KM * square.sqrt().min(1.0).asin()
}

/// `most` of the numbers `0..n` at random, in order, or all if they are no more: the same for each
/// `seed`.
#[must_use]
pub fn subset(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    if most >= n {
        return numbers;
    }
    let mut random = SplitMix64::new(seed);
    for place in 0..most {
        let other = place + (random.uniform() * (n - place) as f64) as usize;
        numbers.swap(place, other.min(n - 1));
    }
    numbers.truncate(most);
    numbers.sort_unstable();
    numbers
}

/// The semivariance of two values of `model`, noise included, at a `distance` above 0:
/// `nugget + C(0) - C(distance)`; of a covariance that depends on direction along its first range,
/// and elsewhere with as many times the distance as
/// [`principal`](crate::covariance::Covariance::principal) says.
pub fn model_semivariance(model: &Model) -> impl Fn(f64) -> f64 {
    let covariance = model.covariance.function(&model.values);
    let sill = model.nugget + model.variance();
    move |distance| sill - covariance(distance)
}

/// The semivariance of two values of `model` a `lag` of time apart, noise included, or the cross
/// one of a value of each variable of a `pair`: `C(0) - C(distance, lag)`, and the nugget where
/// both are of one variable.
pub fn model_semivariance_of(
    model: &Model,
    pair: [usize; 2],
    lag: f64,
) -> impl Fn(f64) -> f64 + use<> {
    let of = |lag: f64| model.covariance.function_between(&model.values, pair, lag);
    let nugget = if pair[0] == pair[1] { model.nugget } else { 0.0 };
    let (sill, covariance) = (of(0.0)(0.0) + nugget, of(lag));
    move |distance| sill - covariance(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covariance::find;

    /// Six places of which two are the same, and distances on borders of bins.
    fn six() -> (Points, Vec<f64>) {
        let (x, y) = ([0.0, 1.0, 2.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        let points = Points::new(Geometry::Plane, &[&x, &y]).expect("places");
        (points, vec![1.0, 2.0, 4.0, 3.0, 1.5, 7.0])
    }

    #[track_caller]
    fn check(options: Options, expected: &[(usize, f64, f64)]) {
        let (points, values) = six();
        let found = variogram(&points, &values, &options).expect("pairs").bins;
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (bin, &(pairs, distance, semivariance)) in found.iter().zip(expected) {
            assert_eq!(bin.pairs, pairs);
            assert!((bin.distance - distance).abs() < 1e-13, "{bin:?}");
            assert!((bin.semivariance - semivariance).abs() < 1e-13, "{bin:?}");
        }
    }

    /// The answers are those of gstat 2.1-0:
    ///
    /// ```r
    /// e <- data.frame(x=c(0,1,2,3,0,0), y=c(0,0,0,0,0,2), z=c(1,2,4,3,1.5,7))
    /// coordinates(e) <- ~x+y
    /// variogram(z~1, e, cutoff=3, width=1)   # cutoff=2.5; cressie=TRUE; alpha=90, tol.hor=10
    /// ```
    #[test]
    fn borders_and_places_that_are_the_same_count_as_in_gstat() {
        let bins = Bins::Width(1.0);
        let plain = Options { cutoff: Some(3.0), bins, ..Options::default() };
        check(plain, &[(5, 0.8, 0.65), (5, 2.0, 8.25), (4, 2.766_123_775_561_49, 5.031_25)]);
        let shorter = Options { cutoff: Some(2.5), ..plain };
        check(shorter, &[(5, 0.8, 0.65), (5, 2.0, 8.25), (1, 2.236_067_977_499_79, 12.5)]);
        let cressie = Options { estimator: Estimator::Cressie, ..plain };
        check(
            cressie,
            &[
                (5, 0.8, 0.782_337_537_208_542),
                (5, 2.0, 9.904_716_041_218_46),
                (4, 2.766_123_775_561_49, 6.411_584_129_147_74),
            ],
        );
        let direction = Some(Direction { azimuth: 90.0, tolerance: 10.0 });
        check(
            Options { direction, ..plain },
            &[(5, 0.8, 0.65), (3, 2.0, 2.708_333_333_333_33), (2, 3.0, 1.5625)],
        );
    }

    #[test]
    fn what_has_no_bins_is_refused() {
        let (points, values) = six();
        let error = |options: Options| variogram(&points, &values, &options).expect_err("no bins");
        let plain = Options::default();
        assert_eq!(error(Options { cutoff: Some(-1.0), ..plain }), VariogramError::Cutoff(-1.0));
        let wide = error(Options { bins: Bins::Width(0.0), ..plain });
        assert!(matches!(wide, VariogramError::Width { .. }), "{wide}");
        let one = points.select(&[0, 4]);
        assert_eq!(variogram(&one, &[1.0, 2.0], &plain), Err(VariogramError::OnePlace));
        let two = points.select(&[0, 3]);
        let none = VariogramError::NoPairs { cutoff: 1.0 };
        assert_eq!(variogram(&two, &[1.0, 2.0], &plain), Err(none));
    }

    /// The box from 10 to 40 degrees north and 170 east to 170 west: a third of the great circle
    /// between (10, 170) and (40, -170), by the spherical law of cosines.
    #[test]
    fn the_box_on_the_sphere_may_cross_the_antimeridian() {
        let (latitude, longitude) = ([10.0, 40.0, 25.0], [170.0, 180.0, -170.0]);
        let points = Points::new(Geometry::GreatCircle, &[&latitude, &longitude]).expect("places");
        let [a, b, width] = [10f64, 40.0, 20.0].map(f64::to_radians);
        let angle = (a.sin() * b.sin() + a.cos() * b.cos() * width.cos()).acos();
        let found = default_cutoff(&points);
        assert!((found - EARTH_RADIUS_KM * angle / 3.0).abs() < 1e-8, "{found}");
    }

    #[test]
    fn a_subset_is_that_of_its_seed_and_without_repetition() {
        assert_eq!(subset(5, 5, 1), [0, 1, 2, 3, 4]);
        let some = subset(1000, 100, 1);
        assert!(some.len() == 100 && some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(some, subset(1000, 100, 1));
        assert_ne!(some, subset(1000, 100, 2));
    }

    #[test]
    fn a_model_has_its_nugget_at_once_and_its_sill_far_away() {
        let exponential = find("exponential").expect("listed");
        let model = Model::new(exponential, vec![2.0, 0.5], 0.3).expect("parameters");
        let semivariance = model_semivariance(&model);
        assert!((semivariance(1e-12) - 0.3).abs() < 1e-11);
        assert!((semivariance(0.5) - (0.3 + 2.0 * (1.0 - (-1f64).exp()))).abs() < 1e-14);
        assert!((semivariance(100.0) - 2.3).abs() < 1e-14);
    }

    #[test]
    fn products_of_pairs_make_a_cross_variogram() {
        let points = Points::new(Geometry::Line, &[&[0.0, 1.0, 2.0, 4.0]]).expect("places");
        let (z, w) = ([1.0, 3.0, 2.0, 0.0], [0.0, 1.0, -1.0, 5.0]);
        let options = Options { cutoff: Some(2.0), bins: Bins::Width(1.0), ..Options::default() };
        // The last place has no value of the second variable.
        let product = |i: usize, j: usize| (i < 3).then(|| (z[i] - z[j]) * (w[i] - w[j]));
        let found = variogram_of(&points, &options, product).expect("pairs");
        let bin = |pairs, distance, semivariance| Bin { pairs, distance, semivariance };
        assert_eq!(found.bins, [bin(2, 1.0, 0.5 * (2.0 + 2.0) / 2.0), bin(1, 2.0, -0.5)]);
        let none = variogram_of(&points, &options, |_, _| None);
        assert_eq!(none, Err(VariogramError::NoPairs { cutoff: 2.0 }));
    }

    #[test]
    fn semivariances_between_variables_and_times_are_those_of_the_covariance() {
        let covariance = find("bivariate-matern-parsimonious").expect("listed");
        let values = [1.0, 2.0, 0.3, 0.5, 1.5, 0.4];
        let model = Model::new(covariance, values.to_vec(), 0.1).expect("a model");
        let matern = |nu: f64, d: f64| {
            let one = find("matern").expect("listed");
            one.function(&[1.0, 0.3, nu])(d)
        };
        let cross = 0.4 * (0.5f64 * 1.5).sqrt() * 2f64.sqrt();
        for d in [1e-3, 0.1, 0.5, 2.0] {
            let own = model_semivariance_of(&model, [1, 1], 0.0)(d);
            assert!((own - (2.1 - 2.0 * matern(1.5, d))).abs() < 1e-12, "{d}: {own}");
            let both = model_semivariance_of(&model, [0, 1], 0.0)(d);
            assert!((both - cross * (1.0 - matern(1.0, d))).abs() < 1e-12, "{d}: {both}");
        }
        let gneiting = find("gneiting-matern").expect("listed");
        let values: Vec<f64> = gneiting.parameters.iter().map(|p| p.default).collect();
        let model = Model::new(gneiting, values, 0.0).expect("a model");
        let at = |lag: f64, d: f64| model_semivariance_of(&model, [0, 0], lag)(d);
        assert!(at(0.0, 0.0).abs() < 1e-15 && at(1.0, 0.0) > 0.0);
        assert!((at(0.0, 0.2) - model_semivariance(&model)(0.2)).abs() < 1e-12);
        assert!(at(2.0, 0.2) > at(1.0, 0.2));
    }
}
