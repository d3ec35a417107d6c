//! The radial table against answers of mpmath and direct evaluation, and the covariance kernel
//! against its reference, over all vectors that this processor has.

use std::fmt::Debug;

use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::covariance::{
    Correlation, Covariance, Part, RadialTable, Row, SmallExpansion, Tail, Vectors,
};
use tegula_kernels::scalar::Real;
use tegula_kernels::special::Matern;
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Access, Flow, FlowOptions};

const EPS: f64 = f64::EPSILON;

/// Relative accuracy that the table promises, rounding of the distance apart.
const TABLE_ACCURACY: f64 = 1e-13;

/// A Matern correlation by direct evaluation throughout.
struct Smooth(Matern);

impl Correlation for Smooth {
    fn value(&self, x: f64) -> f64 {
        self.0.value(x)
    }
    fn logarithm(&self, x: f64) -> f64 {
        self.0.scaled(x).ln() - x
    }
    fn near(&self) -> SmallExpansion {
        let near = self.0.near();
        SmallExpansion::Sum { a: near.a, b: near.b, power: near.power }
    }
    fn remainders(&self, x: &Row, high: f64) -> Row {
        x.map(|x| self.0.scaled(x).ln() + (-x - high))
    }
}

/// `exp(-x^power)`: too slow a decay for a table when the power is small.
struct Slow(f64);

impl Correlation for Slow {
    fn value(&self, x: f64) -> f64 {
        (-x.powf(self.0)).exp()
    }
    fn logarithm(&self, x: f64) -> f64 {
        -x.powf(self.0)
    }
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Logarithm { a: [0.0; 3], b: [-1.0, 0.0, 0.0], power: 0.5 * self.0 }
    }
    fn far(&self) -> Tail {
        Tail::SmallExpansion
    }
}

/// `(1 - x^2)^2` up to 1: smooth in `x^2`, with an end.
struct Compact;

impl Correlation for Compact {
    fn value(&self, x: f64) -> f64 {
        if x < 1.0 { (1.0 - x * x).powi(2) } else { 0.0 }
    }
    fn logarithm(&self, x: f64) -> f64 {
        self.value(x).ln()
    }
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Sum { a: [1.0, -2.0, 1.0], b: [0.0; 3], power: 1.0 }
    }
    fn support(&self) -> f64 {
        1.0
    }
}

/// All of them, with names.
fn correlations() -> Vec<(String, Box<dyn Correlation>)> {
    let mut list: Vec<(String, Box<dyn Correlation>)> = Vec::new();
    for nu in
        [0.01, 0.05, 0.4999999, 0.5, 0.7, 1.0, 1.0000001, 1.5, 2.0, 2.3, 5.0, 10.0, 10.3, 20.0]
    {
        list.push((format!("matern {nu}"), Box::new(Smooth(Matern::new(nu)))));
    }
    for power in [0.1, 0.5, 1.3, 2.0] {
        list.push((format!("power {power}"), Box::new(Slow(power))));
    }
    list.push(("compact".to_owned(), Box::new(Compact)));
    list
}

/// What rounding explains: a relative rounding of the distance, of `distance` eps, changes the
/// value by `|d ln c / d ln x|` times as much, at most `2 + 2 |ln c|` here; near the end of a
/// compact support only the error relative to the variance counts.
fn tolerance(exact: f64, variance: f64, distance: f64) -> f64 {
    let steepness = if exact > 0.0 { 2.0 + 2.0 * (exact / variance).ln().abs() } else { 0.0 };
    exact * (TABLE_ACCURACY + distance * EPS * steepness) + 2.0 * f64::MIN_POSITIVE
}

/// Roundings of a distance that is given, in eps: half of one where the reference divides by the
/// scale, half where the table squares and multiplies by `1 / scale^2`.
const GIVEN: f64 = 1.0;

/// As [`GIVEN`], from coordinates: one or two `hypot` of 1 eps more, and the sum of the squares.
const COMPUTED: f64 = 4.0;

/// Smoothness, with the arguments and the Matern correlations there, in the order of the file.
fn answers() -> Vec<(f64, Vec<[f64; 2]>)> {
    let mut groups: Vec<(f64, Vec<[f64; 2]>)> = Vec::new();
    for line in include_str!("bessel_k.csv").lines().filter(|l| !l.starts_with('#')).skip(1) {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [nu, x, _, exact] = fields[..] else { panic!("{line}") };
        if groups.last().is_none_or(|group| group.0 != nu) {
            groups.push((nu, Vec::new()));
        }
        groups.last_mut().unwrap().1.push([x, exact]);
    }
    groups
}

/// The covariances at distances from a place on a line.
fn line_column(vectors: Vectors, distances: &[f64], table: &RadialTable) -> Vec<f64> {
    let mut out = vec![f64::NAN; distances.len()];
    let kernel = Covariance::between(Geometry::Line, (distances.len(), 1));
    kernel.compute(vectors, table, distances, &[0.0], &mut out);
    out
}

#[test]
#[allow(clippy::print_stderr)]
fn matern_tiles_agree_with_mpmath_to_1e_13() {
    for (nu, lines) in answers() {
        // Neither 7^2 nor its reciprocal's rounding is hidden in a power of two.
        for (variance, scale) in [(1.0, 1.0), (1.7, 0.125), (0.003, 7.0)] {
            let table = RadialTable::new(&Smooth(Matern::new(nu)), variance, scale, 0.0);
            // Only distances that are exactly `x scale`.
            let exact = |x: f64| (x * scale) / scale == x && x.mul_add(scale, -(x * scale)) == 0.0;
            let lines: Vec<_> = lines.iter().filter(|[x, _]| exact(*x)).collect();
            let distances: Vec<f64> = lines.iter().map(|[x, _]| x * scale).collect();
            assert!(lines.iter().any(|[x, _]| *x > 500.0), "large arguments are what is hard");
            let check = |path: &str, found: &[f64]| {
                for (found, [x, correlation]) in found.iter().zip(&lines) {
                    let exact = variance * correlation;
                    // The squared argument is rounded twice, to 2^-53 each: 8e-14 at 700.
                    let least = f64::MIN_POSITIVE * (1.0 + TABLE_ACCURACY);
                    let bound = if exact < least { least } else { TABLE_ACCURACY * exact };
                    let place = format!("{path}, smoothness {nu}, x = {x}, scale {scale}");
                    assert!((found - exact).abs() <= bound, "{place}: {found:e}, not {exact:e}");
                }
            };
            let values: Vec<f64> = distances.iter().map(|&d| table.value(d)).collect();
            check("value", &values);
            for vectors in Vectors::available() {
                check(&format!("{vectors:?}"), &line_column(vectors, &distances, &table));
            }
        }
    }
    for vectors in [Vectors::Avx512, Vectors::Avx2].iter().filter(|v| !v.is_available()) {
        eprintln!("SKIPPED: this processor has no {vectors:?}");
    }
}

#[test]
fn covariances_end_at_the_smallest_normal_number() {
    for variance in [1.0_f64, 3e-5, 4e7] {
        let table = RadialTable::new(&Slow(1.0), variance, 1.0, 0.0);
        let end = 708.396_418_532_264_1 + variance.ln();
        let x: Vec<f64> = (-999..1000).map(|k| end + 1e-10 * f64::from(k).powi(3)).collect();
        let values: Vec<f64> = x.iter().map(|&x| table.value(x)).collect();
        let columns = Vectors::available().into_iter().map(|v| line_column(v, &x, &table));
        for found in columns.chain([values]) {
            for (found, x) in found.into_iter().zip(&x) {
                // As `exp(-x)` may be denormal.
                let exact = variance * (-0.5 * x).exp() * (-0.5 * x).exp();
                // A few roundings of the logarithm, which is about 700.
                let unclear = (x - end).abs() < 1e-12;
                let is_zero = if unclear { found == 0.0 } else { *x > end };
                let bound = if is_zero { 0.0 } else { 1e-12 * exact };
                let exact = if is_zero { 0.0 } else { exact };
                assert!((found - exact).abs() <= bound, "{variance} {x}: {found:e}, not {exact:e}");
                let least = f64::MIN_POSITIVE * (1.0 - 1e-12);
                assert!(found == 0.0 || found >= least, "{variance} {x}: {found:e}");
            }
        }
    }
}

#[test]
fn tables_follow_direct_evaluation_at_any_distance() {
    for (name, correlation) in correlations() {
        let (variance, scale) = (1.7, 0.13);
        let table = RadialTable::new(&*correlation, variance, scale, 0.0);
        let compact = if name == "compact" { 4.0 * EPS * variance } else { 0.0 };
        let check = |d: f64| {
            let exact = variance * correlation.value(d / scale);
            let exact = if exact < f64::MIN_POSITIVE { 0.0 } else { exact };
            let found = table.value(d);
            let bound = tolerance(exact, variance, GIVEN) + compact;
            assert!((found - exact).abs() <= bound, "{name} at {d:e}: {found:e}, not {exact:e}");
        };
        let mut d = 1e-307;
        while d < 1e306 {
            check(d);
            d *= 1.37;
        }
        for k in -20_000..12_000 {
            check(scale * (f64::from(k) / 1000.0).exp2());
        }
        assert_eq!(table.value(0.0), variance);
        assert_eq!(table.value(f64::INFINITY), 0.0, "{name}");
        assert!(table.value(f64::NAN).is_nan());
    }
}

#[test]
fn cells_join() {
    for (name, correlation) in correlations() {
        let table = RadialTable::new(&*correlation, 1.0, 1.0, 0.0);
        for octave in -34..20 {
            for cell in 0..32 {
                let s = f64::from(octave).exp2() * (1.0 + f64::from(cell) / 32.0);
                let x = s.sqrt();
                let (below, above) = (table.value(x * (1.0 - 2.0 * EPS)), table.value(x));
                let bound = 2.0 * tolerance(below, 1.0, GIVEN) + 4.0 * EPS;
                assert!((below - above).abs() <= bound, "{name} at {x}: {below:e} and {above:e}");
            }
        }
    }
}

/// What a tile is made of: points of one set, or of two.
struct Case<'a> {
    rows: &'a Points,
    columns: &'a Points,
    table: &'a RadialTable,
    correlation: &'a dyn Correlation,
}

/// What the entries hold before they are written.
const SENTINEL: f64 = -7.5;

impl Case<'_> {
    /// Compares the kernel with the reference, entries that are not written included.
    fn check<T: Real + Debug>(&self, vectors: Vectors, kernel: Covariance<T>) {
        let Covariance { geometry, rows: m, cols: n, row_offset, col_offset, .. } = kernel;
        let rows = self.rows.part(row_offset..row_offset + m);
        let columns = self.columns.part(col_offset..col_offset + n);
        let table = self.table;
        let mut found = vec![T::from_f64(SENTINEL); m * n];
        let mut exact = found.clone();
        let (p, q) = (rows.held(), columns.held());
        kernel.compute(vectors, table, p, q, &mut found);
        let direct = |d: f64| table.variance * self.correlation.value(d / table.scale);
        kernel.reference(direct, table.nugget, p, q, &mut exact);
        for (index, (found, exact)) in found.iter().zip(&exact).enumerate() {
            let (i, j) = (index % m, index / m);
            let d = geometry.distance(&rows.point(i), &columns.point(j));
            let (found, exact) = (found.to_f64(), exact.to_f64());
            let rounding = 2.0 * T::EPSILON.to_f64() * exact.abs();
            let least =
                if T::EPSILON.to_f64() > 1e-10 { f64::from(f32::MIN_POSITIVE) } else { 0.0 };
            let bound = if exact == SENTINEL {
                0.0
            } else {
                tolerance(exact, table.variance, COMPUTED)
                    + rounding
                    + least
                    + self.distance_error(d) * exact
            };
            assert!(
                (found - exact).abs() <= bound,
                "{vectors:?} {kernel:?} ({i}, {j}): {found:e}, not {exact:e}, at {d:e}"
            );
        }
    }

    /// Relative change of the covariance with what the sphere's distance may err: a few eps R, and
    /// towards the antipode eps R over the angle that is left.
    fn distance_error(&self, d: f64) -> f64 {
        if self.rows.geometry() != Geometry::GreatCircle {
            return 0.0;
        }
        let left = (std::f64::consts::PI - d / EARTH_RADIUS_KM).max(EPS.sqrt());
        let x = (d / self.table.scale).max(1.0);
        let error = EPS * EARTH_RADIUS_KM * (8.0 + 4.0 / left) / self.table.scale;
        // |c'| <= c / x^(1 - power) near 0 and <= c beyond, for the correlations used here.
        error * x.recip().max(1.0) * 2.0
    }
}

/// Every part of the matrix of one set that a kernel is asked for.
fn kernels<T: Real>(geometry: Geometry, m: usize, n: usize) -> Vec<Covariance<T>> {
    let lower = |row_offset, col_offset| Covariance {
        part: Part::Lower,
        ..Covariance::within(geometry, (m, n), (row_offset, col_offset))
    };
    vec![
        Covariance::within(geometry, (m, n), (64, 0)),
        Covariance { part: Part::Full, ..Covariance::within(geometry, (m, n), (32, 32)) },
        lower(0, 0),
        lower(3, 0),
        lower(0, 2),
        lower(0, 100),
    ]
}

const SHAPES: [(usize, usize); 9] =
    [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (7, 7), (8, 8), (9, 4), (33, 20)];

fn check_all<T: Real + Debug>(vectors: Vectors) {
    let correlation = Smooth(Matern::new(0.7));
    for geometry in Geometry::ALL {
        let sphere = geometry == Geometry::GreatCircle;
        for scale in if sphere { [300.0, 9000.0] } else { [0.01, 0.7] } {
            let table = &*RadialTable::new(&correlation, 2.25, scale, 0.5);
            let [one, two] = [1, 2].map(|seed| random_points(geometry, 120, 1.0, seed));
            let (rows, correlation) = (&one, &correlation);
            for (m, n) in SHAPES {
                let case = Case { rows, columns: &two, table, correlation };
                case.check(vectors, Covariance::<T>::between(geometry, (m, n)));
                let case = Case { rows, columns: &one, table, correlation };
                for kernel in kernels::<T>(geometry, m, n) {
                    case.check(vectors, kernel);
                }
            }
        }
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn kernels_agree_with_the_reference() {
    for vectors in [Vectors::Avx512, Vectors::Avx2, Vectors::Baseline] {
        if !vectors.is_available() {
            eprintln!("SKIPPED: this processor has no {vectors:?}");
            continue;
        }
        check_all::<f64>(vectors);
        check_all::<f32>(vectors);
    }
}

#[test]
fn every_correlation_goes_through_every_path() {
    for (name, correlation) in correlations() {
        for scale in [1e-6, 0.02, 0.5, 3.0, 1e7] {
            let table = RadialTable::new(&*correlation, 1.0, scale, 0.0);
            let rows = random_points(Geometry::Plane, 37, 1.0, 5);
            let case =
                Case { rows: &rows, columns: &rows, table: &table, correlation: &*correlation };
            if name == "compact" && scale < 2.0 {
                continue; // Its entries near the support are accurate relative to the variance only.
            }
            for vectors in Vectors::available() {
                case.check(vectors, Covariance::<f64>::between(Geometry::Plane, (37, 37)));
                case.check(vectors, Covariance::<f32>::between(Geometry::Plane, (37, 37)));
            }
        }
    }
}

/// The tile of points on a line with themselves.
fn line_tile(vectors: Vectors, x: &[f64], table: &RadialTable) -> Vec<f64> {
    let n = x.len();
    let mut out = vec![f64::NAN; n * n];
    Covariance::between(Geometry::Line, (n, n)).compute(vectors, table, x, x, &mut out);
    out
}

#[test]
fn extreme_coordinates_have_exact_answers() {
    let table = RadialTable::new(&Smooth(Matern::new(0.01)), 3.0, 1.0, 0.0);
    let x = [0.0, 1e-300, 1e-160, 1e-9, 1e200, -1e308, f64::MAX, f64::INFINITY, f64::NAN];
    for vectors in Vectors::available() {
        let out = line_tile(vectors, &x, &table);
        for (i, a) in x.iter().enumerate() {
            for (j, b) in x.iter().enumerate() {
                let found = out[j * x.len() + i];
                let d = (a - b).abs();
                if d.is_nan() {
                    assert!(found.is_nan(), "{vectors:?} {a:e} {b:e}: {found}");
                } else {
                    let exact = 3.0 * Matern::new(0.01).value(d);
                    assert!((found - exact).abs() <= 1e-13 * exact, "{vectors:?} {a:e} {b:e}");
                }
            }
        }
    }
}

#[test]
fn the_nugget_belongs_to_one_observation_alone() {
    let table = RadialTable::new(&Smooth(Matern::new(1.5)), 2.0, 0.3, 0.25);
    // Observations 1 and 2 are at one place.
    let x = [0.0, 0.5, 0.5, 0.9];
    for vectors in Vectors::available() {
        let mut out = [0.0; 16];
        let kernel = Covariance { part: Part::Full, ..within_line(4, (8, 8)) };
        kernel.compute(vectors, &table, &x, &x, &mut out);
        for i in 0..4 {
            assert_eq!(out[5 * i], 2.25);
            for j in 0..4 {
                assert_eq!(out[4 * j + i], out[4 * i + j], "symmetric");
            }
        }
        assert_eq!(out[4 + 2], 2.0);
        assert_eq!(line_tile(vectors, &x, &table)[5], 2.0);
        // The diagonal of the whole matrix crosses this tile from its second column.
        within_line(4, (9, 8)).compute(vectors, &table, &x, &x, &mut out);
        assert_eq!([out[4], out[9], out[14]], [2.25; 3]);
    }
}

fn within_line(n: usize, offsets: (usize, usize)) -> Covariance<f64> {
    Covariance::within(Geometry::Line, (n, n), offsets)
}

#[test]
fn single_precision_has_no_denormals() {
    let table = RadialTable::new(&Smooth(Matern::new(0.5)), 1.0, 1.0, 0.0);
    let x: Vec<f64> = (0..200).map(|i| 80.0 + 0.2 * f64::from(i)).collect();
    for vectors in Vectors::available() {
        let mut out = vec![f32::NAN; x.len()];
        let kernel = Covariance::between(Geometry::Line, (x.len(), 1));
        kernel.compute(vectors, &table, &x, &[0.0], &mut out);
        assert!(out.iter().all(|v| *v == 0.0 || v.is_normal()), "{vectors:?} {out:?}");
        assert!(out[0] > 0.0 && out[199] == 0.0);
    }
}

#[test]
fn the_codelet_runs_in_a_flow() {
    let table = RadialTable::new(&Smooth(Matern::new(0.5)), 1.0, 0.2, 0.1);
    let points = random_points(Geometry::Plane, 24, 1.0, 11);
    let mut flow = Flow::new(Sequential::new(), FlowOptions::default());
    let handle = flow.register_from(std::slice::from_ref(&*table));
    let blocks = [0, 12].map(|first| flow.register_from(&points.block(first..first + 12)));
    let tile = flow.register(12 * 12 * 8);
    let (r, w) = (Access::R, Access::W);
    let accesses = [(handle, r), (blocks[1], r), (blocks[0], r), (tile, w)];
    let kernel = Covariance::<f64>::within(Geometry::Plane, (12, 12), (12, 0));
    flow.submit(kernel, &accesses, 0);
    let out = flow.read::<f64>(tile).unwrap();
    for i in 0..12 {
        for j in 0..12 {
            let exact = (-points.distance(12 + i, j) / 0.2).exp();
            assert!((out[12 * j + i] - exact).abs() <= tolerance(exact, 1.0, COMPUTED));
        }
    }
}

#[test]
#[should_panic(expected = "row points: 3 numbers, not 2 x 2")]
fn points_of_the_wrong_number_are_refused() {
    let table = RadialTable::new(&Compact, 1.0, 1.0, 0.0);
    let kernel = Covariance::<f64>::between(Geometry::Plane, (2, 1));
    kernel.compute(Vectors::widest(), &table, &[0.0; 3], &[0.0; 2], &mut [0.0; 2]);
}

#[test]
#[should_panic(expected = "the table is empty")]
fn an_empty_table_is_refused() {
    let kernel = Covariance::<f64>::between(Geometry::Line, (1, 1));
    kernel.compute(Vectors::widest(), &RadialTable::empty(), &[0.0], &[0.0], &mut [0.0]);
}
