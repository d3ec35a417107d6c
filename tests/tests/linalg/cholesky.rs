//! Cholesky's family on tiles: factors, solves, inverses and triangular inverses, of either
//! triangle, in all precisions; the other triangle is NaN.

use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{
    View, check_diagonal, lauum, poinv, posv, potrf, potri, potrs, sysv, sytrf, sytrs, trtri,
};
use tegula_runtime::flow::Flow;
use tegula_tests::plain::{Plain, exact, next_engine, number, rounded};
use tegula_tiles::TileMatrix;

/// Orders and tile sizes: empty, one, less than a tile, just so, one more, many.
const SIZES: &[(usize, usize)] =
    &[(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (23, 4), (40, 7), (33, 64), (90, 31)];

/// Runs `test` over sizes and triangles, in all four precisions.
fn over(test: &[fn(&mut Flow, usize, usize, Uplo)]) {
    let mut case = 0;
    for &(n, nb) in SIZES {
        for uplo in Uplo::ALL {
            test.iter().for_each(|test| test(&mut next_engine(&mut case), n, nb, uplo));
        }
    }
}

/// Runs `$test` over sizes and triangles, in all four precisions.
macro_rules! in_all_precisions {
    ($test:ident) => {
        over(&[$test::<f32>, $test::<f64>, $test::<c32>, $test::<c64>])
    };
}

/// A random Hermitian positive definite matrix.
fn positive<T: Scalar>(n: usize) -> Plain {
    Plain::dominant::<T>(n, 5).completed(Form::Hermitian, Uplo::Lower)
}

/// The triangle `uplo` of `a` as tiles, NaN beside it.
fn stored<T: Scalar>(flow: &mut Flow, a: &Plain, nb: usize, uplo: Uplo) -> TileMatrix<T> {
    a.keep(|i, j| uplo.holds(i, j)).tiles(flow, (nb, nb))
}

fn hermitian<T: Scalar>(tiles: &TileMatrix<T>, uplo: Uplo) -> View<'_, T> {
    View::of_triangle(tiles, Form::Hermitian, uplo)
}

fn factors<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    let a = positive::<T>(n);
    let tiles = stored::<T>(flow, &a, nb, uplo);
    potrf(flow, hermitian(&tiles, uplo));
    let got = Plain::from_tiles(flow, &tiles);
    let factor = got.triangle(uplo, Diag::NonUnit);
    let adjoint = factor.op(Trans::Conj);
    let product = if uplo == Uplo::Lower { factor.times(&adjoint) } else { adjoint.times(&factor) };
    // Higham, "Accuracy and stability", theorem 10.3: (n + 1) eps times |L| |L'|, at most 2 n.
    let scale = (n + 1) as f64 * 2.0 * n as f64;
    let what = format!("{uplo:?} of order {n} in {nb}");
    product.assert_near::<T>(&a, |_, _| true, scale, &what);
    got.assert_near::<T>(&got, |i, j| uplo.holds(i, j), 1.0, &what);
}

#[test]
fn potrf_factorises_either_triangle() {
    in_all_precisions!(factors);
}

fn solves<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    let (a, b) = (positive::<T>(n), Plain::random::<T>(n, 5, 6));
    let what = format!("{uplo:?} of order {n} in {nb}");
    let tiles = stored::<T>(flow, &a, nb, uplo);
    let (once, twice) = (b.tiles::<T>(flow, (nb, 3)), b.tiles::<T>(flow, (nb, 3)));
    posv(flow, hermitian(&tiles, uplo), &once);
    potrs(flow, hermitian(&tiles, uplo), &twice);
    let (once, twice) = (Plain::from_tiles(flow, &once), Plain::from_tiles(flow, &twice));
    // Theorem 10.4: c n eps |A| |X|, with |A| of at most 2 n and |X| of about 1 / n.
    a.times(&once).assert_near::<T>(&b, |_, _| true, 4.0 * (n + 1) as f64, &what);
    twice.assert_near::<T>(&once, |_, _| true, 1.0, &what);
}

#[test]
fn posv_and_potrs_solve() {
    in_all_precisions!(solves);
}

fn inverses<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    let a = positive::<T>(n);
    let (once, steps) = (stored::<T>(flow, &a, nb, uplo), stored::<T>(flow, &a, nb, uplo));
    poinv(flow, hermitian(&once, uplo));
    potrf(flow, hermitian(&steps, uplo));
    flow.wait().expect("positive definite");
    potri(flow, hermitian(&steps, uplo));
    let what = format!("{uplo:?} of order {n} in {nb}");
    for tiles in [once, steps] {
        let got = Plain::from_tiles(flow, &tiles);
        got.assert_near::<T>(&got, |i, j| uplo.holds(i, j), 1.0, &what);
        let product = a.times(&got.completed(Form::Hermitian, uplo));
        // As LAPACK's xPOT03: n eps |A| |inv(A)|, which for these matrices is at most 4.
        product.assert_near::<T>(&Plain::identity(n), |_, _| true, 4.0 * (n + 1) as f64, &what);
    }
}

#[test]
fn poinv_and_potri_invert() {
    in_all_precisions!(inverses);
}

fn triangular<T: Scalar>(n: usize, uplo: Uplo, diag: Diag) -> Plain {
    let random = Plain::random::<T>(n, n, 4);
    let shift = |i, j| number(if i == j { 2.0 } else { 0.0 }, 0.0);
    let a = random.map(|i, j, x| exact(rounded::<c32>(x / n as f64 + shift(i, j))));
    a.keep(|i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit))
}

fn triangular_inverses<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    for diag in Diag::ALL {
        let a = triangular::<T>(n, uplo, diag);
        let tiles = a.tiles::<T>(flow, (nb, nb));
        trtri(flow, uplo, diag, &tiles);
        let got = Plain::from_tiles(flow, &tiles);
        let what = format!("{uplo:?} {diag:?} of order {n} in {nb}");
        let counts = |i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit);
        got.assert_near::<T>(&got, counts, 1.0, &what);
        let product = a.triangle(uplo, diag).times(&got.triangle(uplo, diag));
        // Higham, section 14.2: n eps |T| |inv(T)|, a few units for these matrices.
        let scale = 8.0 * (n + 1) as f64;
        product.assert_near::<T>(&Plain::identity(n), |_, _| true, scale, &what);
    }
}

#[test]
fn trtri_inverts_either_triangle() {
    in_all_precisions!(triangular_inverses);
}

fn triangular_squares<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    let a = Plain::random::<T>(n, n, 7);
    let tiles = stored::<T>(flow, &a, nb, uplo);
    lauum(flow, hermitian(&tiles, uplo));
    let factor = a.triangle(uplo, Diag::NonUnit);
    let adjoint = factor.op(Trans::Conj);
    let expected =
        if uplo == Uplo::Lower { adjoint.times(&factor) } else { factor.times(&adjoint) };
    let what = format!("{uplo:?} of order {n} in {nb}");
    let got = Plain::from_tiles(flow, &tiles);
    got.assert_near::<T>(&expected, |i, j| uplo.holds(i, j), (n + 1) as f64, &what);
}

#[test]
fn lauum_multiplies_either_triangle() {
    in_all_precisions!(triangular_squares);
}

fn factors_without_roots<T: Scalar>(flow: &mut Flow, n: usize, nb: usize, uplo: Uplo) {
    for form in Form::ALL {
        // Diagonally dominant and indefinite.
        let random = Plain::dominant::<T>(n, 8);
        let a = random.map(|i, j, x| if i == j && i % 3 == 1 { -x } else { x });
        let a = a.completed(form, uplo);
        let what = format!("{form:?} {uplo:?} of order {n} in {nb}");
        let tiles = stored::<T>(flow, &a, nb, uplo);
        sytrf(flow, (form, uplo), &tiles);
        let got = Plain::from_tiles(flow, &tiles);
        got.assert_near::<T>(&got, |i, j| uplo.holds(i, j), 1.0, &what);
        let unit = got.triangle(uplo, Diag::Unit);
        let lower = if uplo == Uplo::Lower { unit } else { unit.op(form.mirror()) };
        let scaled = lower.map(|_, j, x| x * got.at(j, j));
        let product = scaled.times(&lower.op(form.mirror()));
        // As for Cholesky: n eps |L| |D| |L'|, at most 4 n for dominant matrices.
        let scale = (n + 1) as f64 * 4.0 * n as f64;
        product.assert_near::<T>(&a, |_, _| true, scale, &what);
        let b = Plain::random::<T>(n, 5, 6);
        let rhs = b.tiles::<T>(flow, (nb, 3));
        sytrs(flow, (form, uplo), &tiles, &rhs);
        let again = (stored::<T>(flow, &a, nb, uplo), b.tiles::<T>(flow, (nb, 3)));
        sysv(flow, (form, uplo), &again.0, &again.1);
        for x in [rhs, again.1] {
            let back = a.times(&Plain::from_tiles(flow, &x));
            back.assert_near::<T>(&b, |_, _| true, 8.0 * (n + 1) as f64, &what);
        }
    }
}

#[test]
fn sytrf_factorises_and_sytrs_solves() {
    in_all_precisions!(factors_without_roots);
}

#[test]
fn a_lower_triangle_is_enough() {
    let mut case = 0;
    let (n, nb) = (23, 4);
    let mut flow = next_engine(&mut case);
    let a = positive::<f64>(n);
    let tiles = a.lower_tiles::<f64>(&mut flow, nb);
    poinv(&mut flow, &tiles);
    let got = Plain::from_tiles(&mut flow, &tiles).completed(Form::Symmetric, Uplo::Lower);
    let scale = 4.0 * (n + 1) as f64;
    a.times(&got).assert_near::<f64>(
        &Plain::identity(n),
        |_, _| true,
        scale,
        "stored as a triangle",
    );
}

#[test]
fn failures_name_their_place_in_the_whole_matrix() {
    let mut case = 0;
    for uplo in Uplo::ALL {
        for (place, nb) in [(0, 4), (3, 4), (4, 4), (16, 4), (19, 64)] {
            let mut flow = next_engine(&mut case);
            let flawed = |value: f64| {
                Plain::identity(20)
                    .map(|i, j, x| if (i, j) == (place, place) { number(value, 0.0) } else { x })
            };
            let tiles = stored::<c64>(&mut flow, &flawed(-1.0), nb, uplo);
            potrf(&mut flow, hermitian(&tiles, uplo));
            let error = flow.wait().expect_err("not positive definite");
            let order = place + 1;
            let expected = NumericalError::NotPositiveDefinite { order };
            assert_eq!(error.kernel_error(), Some(&expected));
            let tiles = stored::<c64>(&mut flow, &flawed(0.0), nb, uplo);
            check_diagonal(&mut flow, &tiles);
            let singular = NumericalError::SingularTriangle { index: place + 1 };
            let error = flow.wait().expect_err("a zero");
            assert_eq!(error.kernel_error(), Some(&singular));
            trtri(&mut flow, uplo, Diag::NonUnit, &tiles);
            let error = flow.wait().expect_err("a zero");
            assert_eq!(error.kernel_error(), Some(&singular));
            let tiles = flawed(2.0).tiles::<c64>(&mut flow, (nb, nb));
            check_diagonal(&mut flow, &tiles);
            assert!(flow.wait().is_ok(), "no zero");
        }
    }
}
