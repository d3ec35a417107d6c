//! Norms, elementwise operations and generators on tiles, against plain loops.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Diag, Form, Part, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::{
    build, geadd, lacpy, lange, lansy, lantr, lascal, lascl, laset, map, norm2, plghe, plrnt,
    redistribute, tradd, transpose,
};
use tegula_runtime::flow::Flow;
use tegula_tests::plain::{Plain, exact, next_engine, number, rounded};
use tegula_tiles::{Storage, TileMatrix, random_entry};

/// Shapes and the order of tiles.
const SHAPES: &[((usize, usize), usize)] = &[
    ((0, 3), 4),
    ((3, 0), 4),
    ((1, 1), 4),
    ((4, 4), 4),
    ((5, 9), 4),
    ((23, 11), 5),
    ((30, 33), 64),
];

/// A test at one shape and tile size.
type Test = fn(&mut Flow, (usize, usize), usize);

/// Runs `test` over shapes.
fn over(tests: &[Test]) {
    let mut case = 0;
    for &(shape, nb) in SHAPES {
        tests.iter().for_each(|test| test(&mut next_engine(&mut case), shape, nb));
    }
}

/// Runs `$test` over shapes, in all four precisions.
macro_rules! in_all_precisions {
    ($test:ident) => {
        over(&[$test::<f32>, $test::<f64>, $test::<c32>, $test::<c64>])
    };
}

/// The norm by the definition.
fn norm_of(norm: Norm, a: &Plain) -> f64 {
    match norm {
        Norm::Max => a.max(),
        Norm::One => a.one_norm(),
        Norm::Infinity => a.op(Trans::Yes).one_norm(),
        Norm::Frobenius => {
            let all = (0..a.n).flat_map(|j| (0..a.m).map(move |i| (i, j)));
            all.map(|(i, j)| a.at(i, j).norm_sqr()).sum::<f64>().sqrt()
        }
    }
}

#[track_caller]
fn assert_norm<T: Scalar>(got: T::Real, expected: f64, a: &Plain, what: &str) {
    // A sum of m n positive terms, each with a few roundings.
    let terms = (a.m * a.n) as f64 + 4.0;
    let error = (got.to_f64() - expected).abs();
    assert!(error <= terms * T::epsilon() * expected, "{what}: {got} against {expected}");
}

fn norms<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    for norm in Norm::ALL {
        let a = Plain::random::<T>(m, n, 1);
        let tiles = a.tiles::<T>(flow, (nb, nb + 2));
        let got = lange(flow, norm, &tiles).expect("filled");
        let what = format!("{norm:?} of {m} x {n} in {nb}");
        assert_norm::<T>(got, norm_of(norm, &a), &a, &what);
        for (uplo, diag) in Uplo::ALL.into_iter().flat_map(|u| Diag::ALL.map(|d| (u, d))) {
            let stored = |i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit);
            let tiles = a.keep(stored).tiles::<T>(flow, (nb, nb));
            let got = lantr(flow, norm, (uplo, diag), &tiles).expect("filled");
            let whole = a.triangle(uplo, diag);
            assert_norm::<T>(got, norm_of(norm, &whole), &whole, &format!("{uplo:?} {what}"));
        }
        for (uplo, form) in Uplo::ALL.into_iter().flat_map(|u| Form::ALL.map(|f| (u, f))) {
            let a = Plain::random::<T>(n, n, 2);
            let tiles = a.keep(|i, j| uplo.holds(i, j)).tiles::<T>(flow, (nb, nb));
            let got = lansy(flow, norm, (form, uplo), &tiles).expect("filled");
            let whole = a.completed(form, uplo);
            assert_norm::<T>(got, norm_of(norm, &whole), &whole, &format!("{form:?} {what}"));
        }
    }
}

#[test]
fn norms_are_those_of_the_definition() {
    in_all_precisions!(norms);
}

#[test]
fn norms_tell_nan_and_do_not_overflow() {
    let mut case = 0;
    for norm in Norm::ALL {
        let mut flow = next_engine(&mut case);
        let large = Plain::constant(9, 9, 1e200).tiles::<f64>(&mut flow, (4, 4));
        let got = lange(&mut flow, norm, &large).expect("filled");
        assert_norm::<f64>(
            got,
            norm_of(norm, &Plain::constant(9, 9, 1.0)) * 1e200,
            &Plain::constant(9, 9, 1.0),
            "large",
        );
        for (value, is_nan) in [(f64::NAN, true), (f64::INFINITY, false)] {
            let spoiled = |place| {
                let entry = move |i, j| if (i, j) == place { value } else { 1.0 };
                Plain::new(9, 9, |i, j| number(entry(i, j), 0.0))
            };
            for place in [(0, 0), (5, 2), (8, 8)] {
                let tiles = spoiled(place).tiles::<f64>(&mut flow, (4, 4));
                let got = lange(&mut flow, norm, &tiles).expect("filled");
                assert!(if is_nan { got.is_nan() } else { got == value }, "{norm:?} {value} {got}");
            }
        }
    }
}

fn sums<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    for (part, trans) in Part::ALL.into_iter().flat_map(|p| Trans::ALL.map(|t| (p, t))) {
        let (alpha, beta) = (rounded::<T>(number(0.5, -1.0)), rounded::<T>(number(2.0, 0.25)));
        let (rows, cols) = trans.stored(m, n);
        let (a, b) = (Plain::random::<T>(rows, cols, 1), Plain::random::<T>(m, n, 2));
        let what = format!("{part:?} {trans:?} of {m} x {n} in {nb}");
        let counts = |i, j| part.holds(i, j);
        let from = a.tiles::<T>(flow, (nb, nb));
        let to = b.keep(counts).tiles::<T>(flow, (nb, nb));
        tradd(flow, (part, trans), alpha, &from, beta, &to);
        let expected = a.op(trans).plus(exact(alpha), exact(beta), &b);
        Plain::from_tiles(flow, &to).assert_near::<T>(&expected, counts, 1.0, &what);
    }
    let (a, b) = (Plain::random::<T>(m, n, 1), Plain::random::<T>(m, n, 2));
    let (from, to) = (a.tiles::<T>(flow, (nb, 3)), b.tiles::<T>(flow, (nb, 3)));
    geadd(flow, Trans::No, T::ONE, &from, -T::ONE, &to);
    let expected = a.plus(number(1.0, 0.0), number(-1.0, 0.0), &b);
    Plain::from_tiles(flow, &to).assert_near::<T>(&expected, |_, _| true, 1.0, "geadd");
    let turned = Plain::constant(n, m, f64::NAN).tiles::<T>(flow, (3, nb));
    transpose(flow, Trans::Conj, &from, &turned);
    let expected = a.op(Trans::Conj);
    Plain::from_tiles(flow, &turned).assert_near::<T>(&expected, |_, _| true, 1.0, "transpose");
}

#[test]
fn sums_are_those_of_entries() {
    in_all_precisions!(sums);
}

fn parts<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    let a = Plain::random::<T>(m, n, 3);
    for part in Part::ALL {
        let counts = |i, j| part.holds(i, j);
        let what = format!("{part:?} of {m} x {n} in {nb}");
        let from = a.keep(counts).tiles::<T>(flow, (nb, nb));
        let to = Plain::constant(m, n, f64::NAN).tiles::<T>(flow, (nb, nb));
        lacpy(flow, part, &from, &to);
        Plain::from_tiles(flow, &to).assert_near::<T>(&a, counts, 1.0, &what);
        lascal(flow, part, T::from_f64(-2.0), &to);
        let doubled = a.map(|_, _, x| x * -2.0);
        Plain::from_tiles(flow, &to).assert_near::<T>(&doubled, counts, 1.0, &what);
        map(flow, part, &to, |i, j, x| x + T::from_f64(i as f64 - 3.0 * j as f64));
        let shift = |i: usize, j: usize| number(i as f64 - 3.0 * j as f64, 0.0);
        let shifted = doubled.map(|i, j, x| x + shift(i, j));
        let scale = 4.0 * (m + n + 1) as f64;
        Plain::from_tiles(flow, &to).assert_near::<T>(&shifted, counts, scale, &what);
        let filled = Plain::constant(m, n, f64::NAN).tiles::<T>(flow, (nb, nb));
        laset(flow, part, (T::from_f64(0.5), T::from_f64(-1.0)), &filled);
        let expected = Plain::new(m, n, |i, j| number(if i == j { -1.0 } else { 0.5 }, 0.0));
        Plain::from_tiles(flow, &filled).assert_near::<T>(&expected, counts, 1.0, &what);
    }
}

#[test]
fn parts_are_copied_scaled_changed_and_filled() {
    in_all_precisions!(parts);
}

fn generators<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    let tiles = TileMatrix::<T>::new(flow, (m, n), (nb, 3), Storage::Full);
    plrnt(flow, 9, &tiles);
    let expected = Plain::new(m, n, |i, j| exact(random_entry::<T>(9, i, j)));
    Plain::from_tiles(flow, &tiles).assert_near::<T>(&expected, |_, _| true, 1.0, "plrnt");
    build(flow, &tiles, |i, j| T::from_f64((i + 2 * j) as f64));
    let expected = Plain::new(m, n, |i, j| number((i + 2 * j) as f64, 0.0));
    Plain::from_tiles(flow, &tiles).assert_near::<T>(&expected, |_, _| true, 1.0, "build");
    for form in Form::ALL {
        let square = TileMatrix::<T>::new(flow, (n, n), (nb, nb), Storage::Full);
        plghe(flow, form, T::from_f64(n as f64), 4, &square);
        let got = Plain::from_tiles(flow, &square);
        let mirrored = got.op(form.mirror());
        got.assert_near::<T>(&mirrored, |_, _| true, 1.0, "symmetric");
    }
}

#[test]
fn generators_depend_on_places_alone() {
    in_all_precisions!(generators);
}

fn copies<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    let a = Plain::random::<T>(m, n, 5);
    let from = a.tiles::<T>(flow, (nb, nb + 1));
    for tile in [(3, 2), (7, 5), (64, 1)] {
        let to = Plain::constant(m, n, f64::NAN).tiles::<T>(flow, tile);
        redistribute(flow, &from, &to);
        let what = format!("{m} x {n} from {nb} to {tile:?}");
        Plain::from_tiles(flow, &to).assert_near::<T>(&a, |_, _| true, 1.0, &what);
    }
    let a = Plain::random::<T>(n, n, 6);
    let (from, to) = (a.lower_tiles::<T>(flow, nb), TileMatrix::<T>::lower(flow, n, 7));
    redistribute(flow, &from, &to);
    let got = Plain::from_tiles(flow, &to);
    got.assert_near::<T>(&a, |i, j| i >= j, 1.0, "triangles");
}

#[test]
fn matrices_move_to_tiles_of_other_sizes() {
    in_all_precisions!(copies);
}

fn largest_singular_values<T: Scalar>(flow: &mut Flow, (m, n): (usize, usize), nb: usize) {
    // Orthogonal columns of known lengths: 1, and 1 / 2 or less.
    let diagonal = |i: usize, j: usize| if i == j { 2.0 / (2.0 + 2.0 * i as f64) } else { 0.0 };
    let a = Plain::new(m, n, |i, j| number(diagonal(i, j), 0.0));
    let tiles = a.tiles::<T>(flow, (nb, nb));
    let got = norm2(flow, &tiles, 1e-6, 200).expect("filled").to_f64();
    let expected = if m * n == 0 { 0.0 } else { 1.0 };
    // The error falls by a factor of 16 in each iteration, so it is less than the last change.
    assert!((got - expected).abs() <= 1e-5, "{m} x {n} in {nb}: {got}");
    let spoiled = a.map(|i, j, x| if i + j == 0 { number(f64::NAN, 0.0) } else { x });
    let tiles = spoiled.tiles::<T>(flow, (nb, nb));
    let got = norm2(flow, &tiles, 1e-6, 200).expect("filled").to_f64();
    assert!(got.is_nan() || m * n == 0, "{got}");
}

#[test]
fn the_two_norm_is_the_largest_singular_value() {
    in_all_precisions!(largest_singular_values);
}

/// What is left of `x` times `to / from`, for factors whose quotient may have no representation.
fn rescaled(from: f64, to: f64, x: f64) -> f64 {
    let mut flow = tegula_tests::flow(1);
    let a = Plain::constant(5, 5, x).tiles::<f64>(&mut flow, (3, 3));
    lascl(&mut flow, Part::Whole, (from, to), &a);
    Plain::from_tiles(&mut flow, &a).at(4, 4).re
}

#[test]
fn scaling_in_steps_neither_overflows_nor_underflows_on_the_way() {
    let powers: [f64; 5] = [1e-300, 1e-150, 3.0, 1e150, 1e300];
    for (from, to) in powers.into_iter().flat_map(|from| powers.map(|to| (from, to))) {
        for x in powers.into_iter().flat_map(|x| [x, -x]) {
            // In logarithms, to know what has a representation.
            let digits = to.log10() - from.log10() + x.abs().log10();
            if digits.abs() > 300.0 {
                continue;
            }
            let (got, expected) = (rescaled(from, to, x), x / from * to);
            // What is exact when divided first, or in the other order where that overflows.
            let expected = if expected.is_normal() { expected } else { x * to / from };
            let error = (got / expected - 1.0).abs();
            assert!(error < 8.0 * f64::EPSILON, "{x} {to} / {from}: {got} against {expected}");
        }
    }
    assert_eq!(rescaled(2.0, 0.0, 5.0), 0.0);
    assert_eq!(rescaled(2.0, -6.0, 5.0), -15.0);
}

#[test]
fn scaling_by_what_is_no_number_is_refused() {
    for (from, to) in [(0.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
        let caught = std::panic::catch_unwind(|| rescaled(from, to, 1.0));
        let message = caught.expect_err("no factor").downcast::<String>().expect("a message");
        assert!(message.contains("a factor of"), "{message}");
    }
}
