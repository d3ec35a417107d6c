//! Polar decomposition: orthonormal columns, a Hermitian factor without negative eigenvalues, their
//! product, over shapes, tilings, precisions, conditions and engines.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::residual::THRESHOLD;
use tegula_linalg::{Polar, PolarError, qdwh};
use tegula_tests::flow;
use tegula_tests::plain::{Plain, next_engine, number};

const SHAPES: &[(usize, usize, usize)] = &[
    (0, 0, 3),
    (3, 0, 2),
    (1, 1, 1),
    (1, 1, 4),
    (6, 1, 2),
    (2, 2, 1),
    (4, 3, 1),
    (7, 7, 3),
    (12, 12, 12),
    (13, 9, 4),
    (40, 33, 7),
    (90, 20, 8),
    (67, 67, 20),
];

/// `D` with these entries, turned by reflectors of random vectors on both sides: so many rows, and
/// these singular values.
fn turned<T: Scalar>(m: usize, values: &[f64], seed: u64) -> Plain {
    let n = values.len();
    let turn = |n: usize, seed: u64| {
        let v = Plain::random::<T>(n, 1, seed);
        let adjoint = v.op(Trans::Conj);
        let factor = number(-2.0 / adjoint.times(&v).at(0, 0).re, 0.0);
        Plain::identity(n).plus(number(1.0, 0.0), factor, &v.times(&adjoint))
    };
    let mut a = Plain::new(m, n, |i, j| number(if i == j { values[i] } else { 0.0 }, 0.0));
    for step in 0..2 {
        a = turn(m, seed + step).times(&a).times(&turn(n, seed + 9 + step));
    }
    a
}

/// Checks the factors of `a`; returns `U` and the iterations.
#[track_caller]
fn check<T: Scalar>(case: &mut usize, a: &Plain, nb: usize) -> (Plain, (usize, usize)) {
    let mut flow = next_engine(case);
    let what = format!("{} of {} x {}, tiles of {nb}", T::PRECISION.letter(), a.m, a.n);
    let tiles = a.tiles::<T>(&mut flow, (nb, nb));
    // As it was rounded.
    let a = &Plain::from_tiles(&mut flow, &tiles);
    let Polar { u, h, iterations } =
        qdwh::<T>(&mut flow, &tiles).unwrap_or_else(|error| panic!("{what}: {error}"));
    let left = Plain::from_tiles(&mut flow, &tiles);
    assert_eq!(left.plus(number(1.0, 0.0), number(-1.0, 0.0), a).max(), 0.0, "{what}: A changed");
    let (u, h) = (Plain::from_tiles(&mut flow, &u), Plain::from_tiles(&mut flow, &h));
    assert_eq!((u.m, u.n, h.m, h.n), (a.m, a.n, a.n, a.n), "{what}");
    let (one, norm) = (number(1.0, 0.0), a.one_norm().max(f64::MIN_POSITIVE));
    let unit = a.m.max(1) as f64 * T::epsilon();
    let units = |x: &Plain, y: &Plain, unit: f64| x.plus(one, -one, y).one_norm() / unit;
    let loss = units(&u.op(Trans::Conj).times(&u), &Plain::identity(a.n), unit);
    assert!(loss <= THRESHOLD, "{what}: U off orthogonal by {loss:.1} units");
    let residual = units(a, &u.times(&h), unit * norm);
    assert!(residual <= THRESHOLD, "{what}: a residual of {residual:.1} units");
    assert_eq!(units(&h, &h.op(Trans::Conj), 1.0), 0.0, "{what}: H is not Hermitian");
    let matrix = faer::Mat::<c64>::from_fn(h.m, h.n, |i, j| h.at(i, j));
    let values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).expect("it converges");
    let least = values.into_iter().fold(0.0, f64::min) / (unit * norm);
    assert!(least >= -THRESHOLD, "{what}: an eigenvalue of H is {least:.1} units");
    (u, iterations)
}

fn random_matrices<T: Scalar>() {
    let mut case = 0;
    for (seed, &(m, n, nb)) in SHAPES.iter().enumerate() {
        check::<T>(&mut case, &Plain::random::<T>(m, n, seed as u64), nb);
    }
}

#[test]
fn random_matrices_in_f32() {
    random_matrices::<f32>();
}

#[test]
fn random_matrices_in_f64() {
    random_matrices::<f64>();
}

#[test]
fn random_matrices_in_c32() {
    random_matrices::<c32>();
}

#[test]
fn random_matrices_in_c64() {
    random_matrices::<c64>();
}

/// Conditions from one to the inverse of rounding, singular values spread evenly or one alone
/// small.
fn conditions<T: Scalar>(powers: &[i32]) {
    let (mut case, n) = (0, 40);
    for (seed, &power) in powers.iter().enumerate() {
        let least = 10f64.powi(-power);
        let spread: Vec<f64> = (0..n).map(|i| least.powf(i as f64 / (n - 1) as f64)).collect();
        let alone: Vec<f64> = (0..n).map(|i| if i == 7 { least } else { 1.0 }).collect();
        for values in [spread, alone] {
            for m in [n, n + 21] {
                let a = turned::<T>(m, &values, 50 * seed as u64);
                let (_, (qr, cholesky)) = check::<T>(&mut case, &a, 12);
                // Six for the lowest bound there is, and what is below it grows by three in a step.
                assert!(qr + cholesky <= 8, "{qr} and {cholesky} iterations at 1e{power}");
            }
        }
    }
}

#[test]
fn all_conditions() {
    conditions::<f64>(&[0, 1, 3, 6, 10, 13, 15]);
    conditions::<c64>(&[0, 8, 15]);
    conditions::<f32>(&[0, 2, 4, 6]);
    conditions::<c32>(&[0, 5]);
}

/// Of a matrix that is orthogonal, or a multiple, the factor is itself.
#[test]
fn orthogonal_matrices_are_their_own_factor() {
    let mut case = 0;
    let q = turned::<c64>(30, &[1.0; 30], 3);
    for scale in [1.0, 1e-3, 700.0] {
        let a = q.map(|_, _, x| x * scale);
        let (u, _) = check::<c64>(&mut case, &a, 8);
        u.assert_near::<c64>(&q, |_, _| true, 30.0, "its own factor");
    }
}

#[test]
fn a_reflection_in_many_small_entries_has_condition_one() {
    // Squares so small beside their sum that in 32 bits it stops to grow as it should.
    let n = 256;
    let entry = |i, j| f64::from(u8::from(i == j)) - 2.0 / n as f64;
    let a = Plain::new(n, n, |i, j| number(entry(i, j), 0.0));
    check::<f32>(&mut 0, &a, n);
}

fn scales<T: Scalar>() {
    let smallest = T::Real::MIN_POSITIVE.to_f64();
    for (m, n) in [(19, 19), (40, 12)] {
        let a = Plain::random::<T>(m, n, 5);
        for scale in [4.0 * smallest / T::epsilon(), 0.001 / smallest] {
            check::<T>(&mut 0, &a.map(|_, _, x| x * scale), 5);
        }
    }
}

#[test]
fn norms_near_the_ends_of_the_range_are_scaled() {
    scales::<f32>();
    scales::<f64>();
    scales::<c64>();
}

/// A matrix of zeros is refused; others have a factor, which rounding chooses.
#[test]
fn singular_matrices() {
    let zero = number(0.0, 0.0);
    for (m, n, nb) in [(12, 12, 5), (20, 12, 5)] {
        let a = Plain::random::<f64>(m, n, 2);
        let columns = a.map(|_, j, x| if j == 3 || j == 9 { zero } else { x });
        check::<f64>(&mut 0, &columns, nb);
        let mut flow = flow(2);
        let tiles = a.map(|_, _, _| zero).tiles::<f64>(&mut flow, (nb, nb));
        let found = qdwh(&mut flow, &tiles);
        assert!(matches!(found, Err(PolarError::Zero)), "{m} x {n}: {found:?}");
        // The flow is as usable as before.
        let tiles = a.tiles::<f64>(&mut flow, (nb, nb));
        qdwh(&mut flow, &tiles).expect("a regular matrix");
    }
    let mut case = 0;
    for (m, n, nb) in [(12, 12, 5), (20, 12, 5), (60, 60, 16), (90, 60, 16)] {
        let values: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 > 0))).collect();
        check::<f64>(&mut case, &turned::<f64>(m, &values, 8), nb);
        check::<c64>(&mut case, &turned::<c64>(m, &values, 8), nb);
        check::<f32>(&mut case, &turned::<f32>(m, &values, 8), nb);
    }
}

#[test]
fn a_matrix_of_rank_one_has_a_factor_all_the_same() {
    check::<f64>(&mut 0, &Plain::new(50, 50, |_, _| number(1.0, 0.0)), 16);
}

/// Singular values down to `1e-195`: far below rounding, as good as zero.
#[test]
fn values_far_below_rounding_are_as_good_as_zero() {
    let graded = Plain::random::<f64>(40, 40, 3).map(|_, j, x| x * 10f64.powi(-5 * j as i32));
    check::<f64>(&mut 0, &graded, 16);
}

#[test]
fn what_is_not_finite_is_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let a = Plain::random::<f64>(9, 7, 1);
        let a = a.map(|i, j, x| if (i, j) == (8, 2) { number(bad, 0.0) } else { x });
        let mut flow = flow(2);
        let tiles = a.tiles::<f64>(&mut flow, (4, 4));
        assert!(matches!(qdwh(&mut flow, &tiles), Err(PolarError::NotFinite)), "{bad}");
    }
}
