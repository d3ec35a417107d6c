//! Eigenvalues and eigenvectors of Hermitian matrices: residual and orthogonality in units of
//! rounding, as LAPACK's testers check them, values against known spectra and another solver, over
//! orders, tilings, precisions and engines.

use std::f64::consts::PI;

use tegula_kernels::option::{Form, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::residual::THRESHOLD;
use tegula_linalg::{Eigen, HeevdError, heevd};
use tegula_runtime::flow::Flow;
use tegula_tests::flow;
use tegula_tests::plain::{Plain, next_engine, number};

/// Orders and tile orders: single tiles, tiles of one entry, tiles that divide and that do not.
const SHAPES: &[(usize, usize)] = &[
    (0, 3),
    (1, 1),
    (1, 4),
    (2, 1),
    (2, 5),
    (3, 2),
    (5, 1),
    (7, 3),
    (12, 12),
    (16, 4),
    (25, 8),
    (40, 7),
    (67, 20),
];

/// A random Hermitian matrix, symmetric if `T` is real.
fn hermitian<T: Scalar>(n: usize, seed: u64) -> Plain {
    Plain::random::<T>(n, n, seed).completed(Form::Hermitian, Uplo::Lower)
}

/// The diagonal matrix of these entries.
fn diagonal(entries: &[f64]) -> Plain {
    let n = entries.len();
    Plain::new(n, n, |i, j| number(if i == j { entries[i] } else { 0.0 }, 0.0))
}

/// `D` turned by reflectors of random vectors, so that its eigenvalues stay.
fn turned<T: Scalar>(entries: &[f64], seed: u64) -> Plain {
    let n = entries.len();
    let mut a = diagonal(entries);
    for step in 0..3 {
        let v = Plain::random::<T>(n, 1, seed + step);
        let adjoint = v.op(Trans::Conj);
        let square = adjoint.times(&v).at(0, 0).re;
        let outer = v.times(&adjoint);
        let turn = Plain::identity(n).plus(number(1.0, 0.0), number(-2.0 / square, 0.0), &outer);
        a = turn.times(&a).times(&turn);
    }
    a.completed(Form::Hermitian, Uplo::Lower)
}

/// Eigenvalues by another solver, in double precision.
fn values_of(a: &Plain) -> Vec<f64> {
    let matrix = faer::Mat::<c64>::from_fn(a.m, a.n, |i, j| a.at(i, j));
    let mut values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).expect("it converges");
    values.sort_by(f64::total_cmp);
    values
}

/// The matrix in tiles of order `nb`; NaN stands in the triangle that is not read.
fn solve<T: Scalar>(
    flow: &mut Flow,
    a: &Plain,
    nb: usize,
    uplo: Uplo,
    vectors: bool,
) -> Result<Eigen<T>, HeevdError> {
    let triangle = a.keep(|i, j| uplo.holds(i, j));
    let tiles = if uplo == Uplo::Lower {
        triangle.lower_tiles::<T>(flow, nb)
    } else {
        triangle.tiles::<T>(flow, (nb, nb))
    };
    heevd(flow, uplo, &tiles, vectors)
}

/// # Panics
/// If the values differ from `expected` by more than rounding of a matrix of norm `norm`.
#[track_caller]
fn assert_values<T: Scalar>(found: &[T::Real], expected: &[f64], norm: f64, what: &str) {
    let unit = norm.max(f64::MIN_POSITIVE) * expected.len().max(1) as f64 * T::epsilon();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&x, &y)) in found.iter().zip(expected).enumerate() {
        let error = (x.to_f64() - y).abs() / unit;
        assert!(error <= THRESHOLD, "{what}: value {i} is {x}, not {y}: {error:.1} units");
    }
}

/// Checks values, residual and orthogonality of both triangles, with and without vectors.
#[track_caller]
fn check<T: Scalar>(case: &mut usize, a: &Plain, nb: usize, expected: &[f64]) {
    for uplo in Uplo::ALL {
        check_on::<T>(&mut next_engine(case), a, (nb, uplo), expected);
    }
}

#[track_caller]
fn check_on<T: Scalar>(flow: &mut Flow, a: &Plain, (nb, uplo): (usize, Uplo), expected: &[f64]) {
    let (n, norm) = (a.n, a.one_norm());
    let what = format!("{} of order {n}, tiles of {nb}, {uplo:?}", T::PRECISION.letter());
    let alone = solve::<T>(flow, a, nb, uplo, false).expect("a finite matrix");
    assert!(alone.vectors.is_none(), "{what}: vectors that were not asked for");
    assert_values::<T>(&alone.values, expected, norm, &what);
    let Eigen { values, vectors } = solve::<T>(flow, a, nb, uplo, true).expect("a finite matrix");
    assert_values::<T>(&values, expected, norm, &what);
    assert!(values.is_sorted(), "{what}: {values:?}");
    let z = Plain::from_tiles(flow, &vectors.expect("vectors were asked for"));
    assert!(z.max().is_finite(), "{what}: vectors of {}", z.max());
    let one = number(1.0, 0.0);
    let scaled = z.map(|_, j, x| x * values[j].to_f64());
    let residual = a.times(&z).plus(one, -one, &scaled).one_norm();
    let gram = z.op(Trans::Conj).times(&z);
    let loss = gram.plus(one, -one, &Plain::identity(n)).one_norm();
    let unit = n.max(1) as f64 * T::epsilon();
    let units = (residual / (unit * norm.max(f64::MIN_POSITIVE)), loss / unit);
    assert!(units.0 <= THRESHOLD, "{what}: a residual of {:.1} units", units.0);
    assert!(units.1 <= THRESHOLD, "{what}: vectors off orthogonal by {:.1} units", units.1);
}

fn agrees_with_another_solver<T: Scalar>() {
    let mut case = 0;
    for (seed, &(n, nb)) in SHAPES.iter().enumerate() {
        let a = hermitian::<T>(n, seed as u64);
        check::<T>(&mut case, &a, nb, &values_of(&a));
    }
}

#[test]
fn random_matrices_in_f32() {
    agrees_with_another_solver::<f32>();
}

#[test]
fn random_matrices_in_f64() {
    agrees_with_another_solver::<f64>();
}

#[test]
fn random_matrices_in_c32() {
    agrees_with_another_solver::<c32>();
}

#[test]
fn random_matrices_in_c64() {
    agrees_with_another_solver::<c64>();
}

/// Orders from which on the tridiagonal problem is divided.
fn larger<T: Scalar>() {
    let mut case = 0;
    // Tiles wider than a band among them.
    for (n, nb) in [(150, 24), (171, 40), (170, 130)] {
        let a = hermitian::<T>(n, 7);
        check::<T>(&mut case, &a, nb, &values_of(&a));
    }
}

/// More workers than one stage is for.
#[test]
fn many_workers_take_two_stages() {
    fn two_stages<T: Scalar>() {
        for (n, nb) in [(1, 1), (2, 5), (5, 1), (25, 8), (67, 20), (170, 24), (200, 100)] {
            let a = hermitian::<T>(n, 9);
            check_on::<T>(&mut flow(5), &a, (nb, Uplo::Lower), &values_of(&a));
        }
    }
    two_stages::<f32>();
    two_stages::<f64>();
    two_stages::<c32>();
    two_stages::<c64>();
}

/// Halves of halves are joined, several blocks of columns and panels are there.
#[test]
fn a_tree_of_halves_is_joined() {
    let (n, mut case) = (420, 0);
    let a = hermitian::<f64>(n, 2);
    check::<f64>(&mut case, &a, 100, &values_of(&a));
    // Halves that are alike: their vectors are rotated into each other.
    let entries: Vec<f64> = (0..n).map(|i| (i % 60) as f64).collect();
    let a = Plain::new(n, n, |i, j| match i.abs_diff(j) {
        0 => number(entries[i], 0.0),
        1 => number(if i.max(j) % 60 == 0 { 1e-9 } else { 1.0 }, 0.0),
        _ => number(0.0, 0.0),
    });
    check::<f32>(&mut case, &a, 64, &values_of(&a));
    check::<c64>(&mut case, &a, 64, &values_of(&a));
}

#[test]
fn larger_matrices() {
    larger::<f32>();
    larger::<f64>();
    larger::<c32>();
    larger::<c64>();
}

/// `2 - 2 cos(k pi / (n + 1))`: eigenvalues of the matrix of second differences (Golub, Van Loan,
/// "Matrix computations", 4th edition, section 4.8).
#[test]
fn second_differences_have_the_known_spectrum() {
    let mut case = 0;
    for (n, nb) in [(30, 1), (64, 8), (141, 33)] {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a = Plain::new(n, n, |i, j| number(entry(i, j), 0.0));
        let value = |k| 2.0 - 2.0 * (k as f64 * PI / (n + 1) as f64).cos();
        let expected: Vec<f64> = (1..=n).map(value).collect();
        check::<f64>(&mut case, &a, nb, &expected);
        check::<c32>(&mut case, &a, nb, &expected);
    }
}

/// Spectra of equal values, of clusters at and above rounding, of zeros, and that are graded.
fn hard<T: Scalar>() {
    let n = 140;
    let spectra: [fn(usize) -> f64; 6] = [
        |_| 0.0,
        |_| 3.0,
        |i| (i % 3) as f64 - 1.0,
        |i| if i == 0 { -1.0 } else { 1.0 + i as f64 * 1e-15 },
        |i| if i < 70 { 1e-6 * i as f64 } else { 1.0 },
        |i| 0.8f64.powi(i as i32),
    ];
    let mut case = 0;
    for (seed, spectrum) in spectra.iter().enumerate() {
        let mut expected: Vec<f64> = (0..n).map(spectrum).collect();
        let a = turned::<T>(&expected, 10 * seed as u64);
        expected.sort_by(f64::total_cmp);
        check::<T>(&mut case, &a, 32, &expected);
        let diagonal = diagonal(&expected);
        check::<T>(&mut case, &diagonal, 32, &expected);
    }
}

#[test]
fn hard_spectra_in_f64() {
    hard::<f64>();
}

#[test]
fn hard_spectra_in_c32() {
    hard::<c32>();
}

/// The same values, scaled, of a matrix with entries near the ends of the range.
fn scales<T: Scalar>() {
    let a = hermitian::<T>(23, 5);
    let expected = values_of(&a);
    let smallest = T::Real::MIN_POSITIVE.to_f64();
    for scale in [4.0 * smallest, 0.01 / smallest] {
        let scaled = a.map(|_, _, x| x * scale);
        let mut flow = flow(2);
        for vectors in [false, true] {
            let found = solve::<T>(&mut flow, &scaled, 5, Uplo::Lower, vectors).expect("finite");
            let values: Vec<T::Real> =
                found.values.iter().map(|&x| T::Real::of_f64(x.to_f64() / scale)).collect();
            // Tiny entries are rounded to multiples of the smallest number, a few units of
            // rounding.
            assert_values::<T>(&values, &expected, a.one_norm(), &format!("scaled by {scale:e}"));
        }
    }
}

#[test]
fn norms_near_the_ends_of_the_range_are_scaled() {
    scales::<f32>();
    scales::<f64>();
    scales::<c32>();
    scales::<c64>();
}

#[test]
fn what_is_not_finite_is_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (n, nb, place) in [(1, 1, (0, 0)), (9, 4, (8, 0)), (9, 4, (5, 5))] {
            let a = hermitian::<f64>(n, 1);
            let spoiled = a.map(|i, j, x| if (i, j) == place { number(bad, 0.0) } else { x });
            let mut flow = flow(2);
            for vectors in [false, true] {
                let found = solve::<f64>(&mut flow, &spoiled, nb, Uplo::Lower, vectors);
                assert!(matches!(found, Err(HeevdError::NotFinite)), "{bad} at {place:?}");
            }
            // The flow is as usable as before.
            assert_eq!(
                solve::<f64>(&mut flow, &a, nb, Uplo::Lower, false).unwrap().values.len(),
                n
            );
        }
    }
}

#[test]
fn the_matrix_is_only_read() {
    let a = hermitian::<c64>(20, 3);
    let mut flow = flow(2);
    let tiles = a.tiles::<c64>(&mut flow, (6, 6));
    heevd(&mut flow, Uplo::Upper, &tiles, true).expect("a finite matrix");
    let left = Plain::from_tiles(&mut flow, &tiles);
    assert_eq!(left.plus(number(1.0, 0.0), number(-1.0, 0.0), &a).max(), 0.0);
}
