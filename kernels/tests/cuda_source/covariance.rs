//! Covariance tiles from the CUDA source against those of a core, from the same tables.

use libloading::{Library, Symbol};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::covariance::{
    Correlation, Covariance, Part, RadialTable, SmallExpansion, Vectors,
};
use tegula_kernels::scalar::Real;
use tegula_kernels::special::Matern;

use crate::played;

/// A Matern correlation.
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
}

type Call<T> = unsafe extern "C" fn(
    *const RadialTable,
    *const f64,
    *const f64,
    u64,
    u64,
    i64,
    i32,
    i32,
    i32,
    i32,
    *mut T,
);

/// Fills a tile by the CUDA source.
#[allow(unsafe_code)]
fn play<T: Real>(
    library: &Library,
    kernel: &Covariance<T>,
    table: &RadialTable,
    (p, q): (&[f64], &[f64]),
    out: &mut [T],
) {
    // SAFETY: this is the function's type in the source.
    let call: Symbol<'_, Call<T>> =
        unsafe { library.get(b"call_covariance") }.expect("it is there");
    let diagonal = kernel.col_offset as i64 - kernel.row_offset as i64;
    let (rows, cols) = (kernel.rows as u64, kernel.cols as u64);
    let sphere = i32::from(kernel.geometry == Geometry::GreatCircle);
    let (stored, lower) = (kernel.geometry.stored() as i32, i32::from(kernel.part == Part::Lower));
    let nugget = i32::from(kernel.is_same_set);
    let (p, q, out) = (p.as_ptr(), q.as_ptr(), out.as_mut_ptr());
    // SAFETY: the slices have the sizes of the contract.
    unsafe { call(table, p, q, rows, cols, diagonal, stored, sphere, lower, nugget, out) };
}

/// `total` points, of which some coincide, nearly coincide, or are far from all others.
fn points(geometry: Geometry, total: usize, seed: u64) -> Points {
    let count = total - if geometry == Geometry::GreatCircle { 3 } else { 5 };
    let random = random_points(geometry, count, 3.0, seed);
    let held = random.block(0..count);
    if geometry == Geometry::GreatCircle {
        let opposite = [[10.0, -10.0, 10.0], [20.0, -160.0, 20.000_000_1]];
        return Points::new(geometry, &[&opposite[0], &opposite[1]])
            .map(|few| join(&random, &few))
            .expect("they are on the sphere");
    }
    let axes: Vec<Vec<f64>> = held
        .chunks(count)
        .map(|axis| [axis, &[axis[0], axis[1] + 1e-12, axis[2] + 1e-7, 1e6, 1e160]].concat())
        .collect();
    let axes: Vec<&[f64]> = axes.iter().map(Vec::as_slice).collect();
    Points::new(geometry, &axes).expect("they are finite")
}

/// All points of two sets on the sphere.
fn join(a: &Points, b: &Points) -> Points {
    let degrees = |set: &Points| {
        let held = set.block(0..set.len());
        let n = set.len();
        let latitude = (0..n).map(|i| held[2 * n + i].clamp(-1.0, 1.0).asin().to_degrees());
        let longitude = (0..n).map(|i| held[n + i].atan2(held[i]).to_degrees());
        [latitude.collect::<Vec<f64>>(), longitude.collect()]
    };
    let ([u, v], [x, y]) = (degrees(a), degrees(b));
    let (latitudes, longitudes) = ([u, x].concat(), [v, y].concat());
    Points::new(Geometry::GreatCircle, &[&latitudes, &longitudes]).expect("they are on the sphere")
}

/// Whether both are the same but for rounding: of the squared distance (some units in the last
/// place, times the steepness of the covariance), and of the polynomial.
fn agree<T: Real>(got: T, expected: T, variance: f64) -> bool {
    let (got, expected) = (got.to_f64(), expected.to_f64());
    let steepness = if expected > 0.0 { 1.0 + (expected / variance).ln().abs() } else { 0.0 };
    let unit = f64::EPSILON * 8.0 * steepness + 2.0 * T::EPSILON.to_f64();
    let tiny =
        if T::EPSILON.to_f64() > 1e-10 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    (got - expected).abs() <= expected.abs() * unit + tiny || got.is_nan() && expected.is_nan()
}

fn check<T: Real>(library: &Library, kernel: Covariance<T>, nu: f64, scale: f64) -> usize {
    let table = RadialTable::new(&Smooth(Matern::new(nu)), 1.7, scale, 0.3);
    let all = points(kernel.geometry, 43, 5);
    let (row, col) = (kernel.row_offset, kernel.col_offset);
    let (p, q) = (all.block(row..row + kernel.rows), all.block(col..col + kernel.cols));
    let untouched = T::from_f64(-7.0);
    let mut expected = vec![untouched; kernel.rows * kernel.cols];
    let mut got = expected.clone();
    kernel.compute(Vectors::widest(), &table, &p, &q, &mut expected);
    play(library, &kernel, &table, (&p, &q), &mut got);
    for (place, (&got, &expected)) in got.iter().zip(&expected).enumerate() {
        let (i, j) = (place % kernel.rows, place / kernel.rows);
        assert!(
            agree(got, expected, 1.7),
            "{:?} nu {nu} scale {scale}: entry ({i}, {j}) is {got:e}, not {expected:e}",
            kernel.geometry
        );
    }
    expected.len()
}

fn check_all<T: Real>() {
    let Some(library) = played::<T>() else { return };
    let mut tried = 0;
    for geometry in Geometry::ALL {
        let scales = if geometry == Geometry::GreatCircle { [800.0, 20.0] } else { [0.7, 1e-3] };
        for nu in [0.3, 0.5, 1.0, 1.5, 2.7, 10.0] {
            for scale in scales {
                let within = [((43, 43), (0, 0)), ((20, 23), (23, 0)), ((7, 9), (10, 10))];
                for (shape, offsets) in within {
                    tried += check(
                        &library,
                        Covariance::<T>::within(geometry, shape, offsets),
                        nu,
                        scale,
                    );
                }
                tried += check(&library, Covariance::<T>::between(geometry, (43, 31)), nu, scale);
            }
        }
    }
    assert!(tried > 100_000, "only {tried} entries were compared");
}

#[test]
fn covariances_in_double_precision_equal_those_of_a_core() {
    check_all::<f64>();
}

#[test]
fn covariances_in_single_precision_equal_those_of_a_core() {
    check_all::<f32>();
}
