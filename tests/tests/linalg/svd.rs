//! Singular values and vectors of general matrices: residual and orthogonality in units of
//! rounding, as LAPACK's testers check them, values against known spectra and another solver, over
//! shapes, tilings, precisions and engines.

use std::f64::consts::PI;

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::residual::THRESHOLD;
use tegula_linalg::{GesvdError, Singular, Vectors, gesvd};
use tegula_tests::flow;
use tegula_tests::plain::{Plain, next_engine, number};

/// Rows, columns and tile orders: nothing, single entries, rows and columns, tiles of one entry,
/// tiles that divide and that do not, matrices tall and wide enough for a factorisation before.
const SHAPES: &[(usize, usize, usize)] = &[
    (0, 0, 3),
    (0, 4, 3),
    (3, 0, 2),
    (1, 1, 1),
    (1, 1, 4),
    (1, 6, 2),
    (5, 1, 2),
    (2, 2, 1),
    (4, 3, 1),
    (3, 4, 2),
    (7, 7, 3),
    (12, 12, 12),
    (13, 9, 4),
    (9, 13, 4),
    (16, 16, 4),
    (31, 12, 5),
    (11, 30, 4),
    (40, 33, 7),
    (33, 40, 20),
    (67, 67, 20),
];

/// Values by another solver, in double precision.
fn values_of(a: &Plain) -> Vec<f64> {
    let matrix = faer::Mat::<c64>::from_fn(a.m, a.n, |i, j| a.at(i, j));
    let mut values = matrix.singular_values().expect("it converges");
    values.sort_by(|x, y| y.total_cmp(x));
    values
}

/// A matrix with these singular values: a diagonal turned by reflectors of random vectors on both
/// sides.
fn turned<T: Scalar>((m, n): (usize, usize), values: &[f64], seed: u64) -> Plain {
    let entry = |i: usize, j: usize| if i == j { values[i] } else { 0.0 };
    let mut a = Plain::new(m, n, |i, j| number(entry(i, j), 0.0));
    for step in 0..2 {
        a = turn::<T>(m, seed + step).times(&a).times(&turn::<T>(n, seed + 7 + step));
    }
    a
}

/// A random reflector.
fn turn<T: Scalar>(n: usize, seed: u64) -> Plain {
    let v = Plain::random::<T>(n, 1, seed);
    let adjoint = v.op(Trans::Conj);
    let square = adjoint.times(&v).at(0, 0).re;
    Plain::identity(n).plus(number(1.0, 0.0), number(-2.0 / square, 0.0), &v.times(&adjoint))
}

/// # Panics
/// If the values differ from `expected` by more than rounding of a matrix of norm `norm`, or are
/// not in order.
#[track_caller]
fn assert_values<T: Scalar>(
    found: &[T::Real],
    expected: &[f64],
    norm: f64,
    size: usize,
    what: &str,
) {
    let unit = norm.max(f64::MIN_POSITIVE) * size.max(1) as f64 * T::epsilon();
    assert_eq!(found.len(), expected.len(), "{what}");
    assert!(found.iter().rev().is_sorted(), "{what}: {found:?}");
    assert!(found.last().is_none_or(|&x| x >= T::Real::ZERO), "{what}: {found:?}");
    for (i, (&x, &y)) in found.iter().zip(expected).enumerate() {
        let error = (x.to_f64() - y).abs() / unit;
        assert!(error <= THRESHOLD, "{what}: value {i} is {x}, not {y}: {error:.1} units");
    }
}

/// How far the columns are from orthogonal, in units of rounding.
fn loss<T: Scalar>(columns: &Plain) -> f64 {
    let gram = columns.op(Trans::Conj).times(columns);
    let one = number(1.0, 0.0);
    let difference = gram.plus(one, -one, &Plain::identity(columns.n));
    difference.one_norm() / (columns.m.max(1) as f64 * T::epsilon())
}

/// Checks values, residual and orthogonality for every choice of vectors.
#[track_caller]
fn check<T: Scalar>(case: &mut usize, a: &Plain, nb: usize, expected: &[f64]) {
    let (norm, size, k) = (a.one_norm(), a.m.max(a.n), a.m.min(a.n));
    for vectors in [Vectors::None, Vectors::Thin, Vectors::Full] {
        let mut flow = next_engine(case);
        let letter = T::PRECISION.letter();
        let what = format!("{letter} of {} x {}, tiles of {nb}, {vectors:?}", a.m, a.n);
        let tiles = a.tiles::<T>(&mut flow, (nb, nb));
        let Singular { values, u, vh } = gesvd::<T>(&mut flow, &tiles, vectors)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_values::<T>(&values, expected, norm, size, &what);
        let (Some(u), Some(vh)) = (u, vh) else {
            assert_eq!(vectors, Vectors::None, "{what}: no vectors");
            continue;
        };
        let (u, vh) = (Plain::from_tiles(&mut flow, &u), Plain::from_tiles(&mut flow, &vh));
        let columns = if vectors == Vectors::Full { (a.m, a.n) } else { (k, k) };
        assert_eq!((u.m, u.n, vh.m, vh.n), (a.m, columns.0, columns.1, a.n), "{what}");
        let scaled = Plain::new(u.n, a.n, |i, j| {
            if i < k { vh.at(i, j) * values[i].to_f64() } else { number(0.0, 0.0) }
        });
        let one = number(1.0, 0.0);
        let residual = a.plus(one, -one, &u.times(&scaled)).one_norm();
        let unit = size.max(1) as f64 * T::epsilon() * norm.max(f64::MIN_POSITIVE);
        assert!(residual / unit <= THRESHOLD, "{what}: a residual of {:.1} units", residual / unit);
        for (which, loss) in [("U", loss::<T>(&u)), ("V", loss::<T>(&vh.op(Trans::Conj)))] {
            assert!(loss <= THRESHOLD, "{what}: {which} off orthogonal by {loss:.1} units");
        }
    }
}

fn agrees_with_another_solver<T: Scalar>() {
    let mut case = 0;
    for (seed, &(m, n, nb)) in SHAPES.iter().enumerate() {
        let a = Plain::random::<T>(m, n, seed as u64);
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

/// Orders from which on the bidiagonal problem is divided.
fn larger<T: Scalar>() {
    let mut case = 0;
    // Tiles wider than a band among them.
    for (m, n, nb) in [(150, 150, 24), (171, 130, 40), (90, 260, 32), (180, 170, 130)] {
        let a = Plain::random::<T>(m, n, 7);
        check::<T>(&mut case, &a, nb, &values_of(&a));
    }
}

#[test]
fn larger_matrices() {
    larger::<f32>();
    larger::<f64>();
    larger::<c32>();
    larger::<c64>();
}

/// The matrix of first differences, with a one on the diagonal and its negative above: squares are
/// eigenvalues of second differences with one end free, `2 - 2 cos((2 k - 1) pi / (2 n + 1))`.
#[test]
fn first_differences_have_the_known_spectrum() {
    let mut case = 0;
    for (n, nb) in [(30, 1), (64, 8), (141, 33)] {
        let entry = |i: usize, j: usize| match j.wrapping_sub(i) {
            0 => 1.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a = Plain::new(n, n, |i, j| number(entry(i, j), 0.0));
        let value =
            |k: usize| (2.0 - 2.0 * ((2 * k - 1) as f64 * PI / (2 * n + 1) as f64).cos()).sqrt();
        let expected: Vec<f64> = (1..=n).rev().map(value).collect();
        check::<f64>(&mut case, &a, nb, &expected);
        check::<c32>(&mut case, &a, nb, &expected);
    }
}

/// Spectra of equal values, of clusters at and above rounding, of zeros, and that are graded.
fn hard<T: Scalar>() {
    let spectra: [fn(usize) -> f64; 7] = [
        |_| 0.0,
        |_| 3.0,
        |i| (2 - i % 3) as f64,
        |i| if i == 0 { 2.0 } else { 1.0 + i as f64 * 1e-15 },
        |i| if i < 50 { 1.0 } else { 1e-6 * i as f64 },
        |i| 0.8f64.powi(i as i32),
        |i| if i == 0 { 1.0 } else { 0.0 },
    ];
    let mut case = 0;
    for (seed, spectrum) in spectra.iter().enumerate() {
        for (m, n) in [(100, 100), (120, 100), (100, 170)] {
            let values: Vec<f64> = (0..100).map(spectrum).collect();
            let a = turned::<T>((m, n), &values, 20 * seed as u64);
            let mut expected = values;
            expected.sort_by(|x, y| y.total_cmp(x));
            check::<T>(&mut case, &a, 32, &expected);
        }
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

/// Diagonal matrices with entries in any order, and one with a zero row and column.
#[test]
fn diagonal_matrices() {
    let mut case = 0;
    let n = 45;
    let entries: [fn(usize) -> f64; 3] =
        [|i| ((7 * i) % 45) as f64, |i| -(i as f64), |i| 1e-12f64.powi((i % 2) as i32)];
    for entry in entries {
        let a = Plain::new(n, n, |i, j| number(if i == j { entry(i) } else { 0.0 }, 0.0));
        let mut expected: Vec<f64> = (0..n).map(|i| entry(i).abs()).collect();
        expected.sort_by(|x, y| y.total_cmp(x));
        check::<f64>(&mut case, &a, 10, &expected);
        check::<c64>(&mut case, &a, 10, &expected);
    }
    let a = Plain::random::<c32>(20, 20, 4);
    let a = a.map(|i, j, x| if i == 3 || j == 11 { number(0.0, 0.0) } else { x });
    check::<c32>(&mut case, &a, 6, &values_of(&a));
}

/// The same values, scaled, of matrices with entries near the ends of the range.
fn scales<T: Scalar>() {
    let smallest = T::Real::MIN_POSITIVE.to_f64();
    for (m, n) in [(23, 19), (12, 40)] {
        let a = Plain::random::<T>(m, n, 5);
        let expected = values_of(&a);
        for scale in [4.0 * smallest, 0.01 / smallest] {
            let scaled = a.map(|_, _, x| x * scale);
            let mut flow = flow(2);
            let tiles = scaled.tiles::<T>(&mut flow, (5, 5));
            for vectors in [Vectors::None, Vectors::Thin] {
                let found = gesvd::<T>(&mut flow, &tiles, vectors).expect("finite");
                let values: Vec<T::Real> =
                    found.values.iter().map(|&x| T::Real::of_f64(x.to_f64() / scale)).collect();
                // Tiny entries are rounded to multiples of the smallest number, a few units.
                let what = format!("scaled by {scale:e}");
                assert_values::<T>(&values, &expected, a.one_norm(), m.max(n), &what);
            }
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
        for (m, n, nb, place) in [(1, 1, 1, (0, 0)), (9, 7, 4, (8, 0)), (3, 9, 4, (2, 8))] {
            let a = Plain::random::<f64>(m, n, 1);
            let spoiled = a.map(|i, j, x| if (i, j) == place { number(bad, 0.0) } else { x });
            let mut flow = flow(2);
            let tiles = spoiled.tiles::<f64>(&mut flow, (nb, nb));
            for vectors in [Vectors::None, Vectors::Full] {
                let found = gesvd::<f64>(&mut flow, &tiles, vectors);
                assert!(matches!(found, Err(GesvdError::NotFinite)), "{bad} at {place:?}");
            }
            // The flow is as usable as before.
            let tiles = a.tiles::<f64>(&mut flow, (nb, nb));
            let found = gesvd(&mut flow, &tiles, Vectors::None).expect("a finite matrix");
            assert_eq!(found.values.len(), m.min(n));
        }
    }
}

#[test]
fn the_matrix_is_only_read() {
    for (m, n) in [(20, 17), (9, 30)] {
        let a = Plain::random::<c64>(m, n, 3);
        let mut flow = flow(2);
        let tiles = a.tiles::<c64>(&mut flow, (6, 6));
        gesvd(&mut flow, &tiles, Vectors::Thin).expect("a finite matrix");
        let left = Plain::from_tiles(&mut flow, &tiles);
        assert_eq!(left.plus(number(1.0, 0.0), number(-1.0, 0.0), &a).max(), 0.0);
    }
}
