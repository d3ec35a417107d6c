//! BLAS's products and solves on tiles, against plain loops: every variant, all precisions, awkward
//! shapes, several engines; what must not be read is NaN.

use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{Triangle, gemm, symm, syr2k, syrk, trmm, trsm};
use tegula_tests::plain::{Plain, exact, next_engine, number, rounded};

/// Runs `$test` in all four precisions.
macro_rules! in_all_precisions {
    ($test:ident) => {
        $test::<f32>();
        $test::<f64>();
        $test::<c32>();
        $test::<c64>();
    };
}

/// Sizes `m`, `n`, `k` and the order of tiles.
const SHAPES: &[((usize, usize, usize), usize)] = &[
    ((0, 3, 2), 4),
    ((3, 0, 2), 4),
    ((3, 4, 0), 4),
    ((1, 1, 1), 4),
    ((4, 4, 4), 4),
    ((9, 5, 13), 4),
    ((11, 14, 47), 5),
    ((33, 40, 29), 64),
];

/// Factors as BLAS has them: general ones, and those that overwrite or do not read.
const FACTORS: [((f64, f64), (f64, f64)); 4] = [
    ((-0.5, 0.25), (2.0, -1.0)),
    ((1.0, 0.0), (0.0, 0.0)),
    ((0.0, 0.0), (0.5, 1.0)),
    ((0.0, 0.0), (0.0, 0.0)),
];

/// Both factors in precision `T`, and exactly.
fn factors<T: Scalar>((a, b): ((f64, f64), (f64, f64))) -> ((T, T), (c64, c64)) {
    let (alpha, beta) = (rounded::<T>(number(a.0, a.1)), rounded::<T>(number(b.0, b.1)));
    ((alpha, beta), (exact(alpha), exact(beta)))
}

fn is_zero(x: c64) -> bool {
    x == number(0.0, 0.0)
}

/// `a`, or NaN if a factor of zero says that it is not read.
fn read_if(factor: c64, a: &Plain) -> Plain {
    a.keep(|_, _| !is_zero(factor))
}

fn products<T: Scalar>() {
    let mut case = 0;
    for &((m, n, k), nb) in SHAPES {
        for trans_a in Trans::ALL {
            for trans_b in Trans::ALL {
                for factors_of in FACTORS {
                    let ((alpha, beta), (x, y)) = factors::<T>(factors_of);
                    let mut flow = next_engine(&mut case);
                    let turned = |rows, cols, seed, trans: Trans| {
                        let (rows, cols) = trans.stored(rows, cols);
                        Plain::random::<T>(rows, cols, seed)
                    };
                    let (a, b) = (turned(m, k, 1, trans_a), turned(k, n, 2, trans_b));
                    let c = Plain::random::<T>(m, n, 3);
                    let a_tile = trans_a.stored(nb, nb + 1);
                    let b_tile = trans_b.stored(nb + 1, nb);
                    let tiles = (
                        read_if(x, &a).tiles::<T>(&mut flow, a_tile),
                        read_if(x, &b).tiles::<T>(&mut flow, b_tile),
                        read_if(y, &c).tiles::<T>(&mut flow, (nb, nb)),
                    );
                    gemm(&mut flow, (trans_a, trans_b), alpha, &tiles.0, &tiles.1, beta, &tiles.2);
                    let product = a.op(trans_a).times(&b.op(trans_b));
                    let got = Plain::from_tiles(&mut flow, &tiles.2);
                    let what = format!("{m} {n} {k} in {nb} {trans_a:?} {trans_b:?} {x} {y}");
                    let expected = product.plus(x, y, &c);
                    got.assert_near::<T>(&expected, |_, _| true, (k + 1) as f64, &what);
                }
            }
        }
    }
}

#[test]
fn gemm_multiplies() {
    in_all_precisions!(products);
}

fn symmetric_factors<T: Scalar>() {
    let mut case = 0;
    for &((m, n, _), nb) in SHAPES {
        for (side, uplo) in Side::ALL.into_iter().flat_map(|s| Uplo::ALL.map(|u| (s, u))) {
            for (form, factors_of) in Form::ALL.into_iter().flat_map(|f| FACTORS.map(|x| (f, x))) {
                let ((alpha, beta), (x, y)) = factors::<T>(factors_of);
                let mut flow = next_engine(&mut case);
                let order = if side == Side::Left { m } else { n };
                let a = Plain::random::<T>(order, order, 1);
                let (b, c) = (Plain::random::<T>(m, n, 2), Plain::random::<T>(m, n, 3));
                let tile = if side == Side::Left { (nb, nb + 1) } else { (nb + 1, nb) };
                let readable = read_if(x, &a).keep(|i, j| uplo.holds(i, j));
                let tiles = (
                    readable.tiles::<T>(&mut flow, (nb, nb)),
                    read_if(x, &b).tiles::<T>(&mut flow, tile),
                    read_if(y, &c).tiles::<T>(&mut flow, tile),
                );
                let choice = (form, side, uplo);
                symm(&mut flow, choice, alpha, &tiles.0, &tiles.1, beta, &tiles.2);
                let a = a.completed(form, uplo);
                let product = if side == Side::Left { a.times(&b) } else { b.times(&a) };
                let got = Plain::from_tiles(&mut flow, &tiles.2);
                let what = format!("{m} {n} in {nb} {choice:?} {x} {y}");
                let expected = product.plus(x, y, &c);
                got.assert_near::<T>(&expected, |_, _| true, (order + 1) as f64, &what);
            }
        }
    }
}

#[test]
fn symm_multiplies_by_either_triangle_from_both_sides() {
    in_all_precisions!(symmetric_factors);
}

/// The forms, triangles and ways in which a symmetric product's operands enter, as BLAS has them.
fn symmetric_products<T: Scalar>() -> impl Iterator<Item = (Form, Uplo, Trans)> {
    let ways = |form: Form| [Trans::No, if T::IS_COMPLEX { form.mirror() } else { Trans::Conj }];
    Form::ALL.into_iter().flat_map(move |form| {
        Uplo::ALL.into_iter().flat_map(move |uplo| ways(form).map(|trans| (form, uplo, trans)))
    })
}

/// The old contents as a symmetric product reads them.
fn old(form: Form, c: &Plain) -> Plain {
    let is_real = |i, j| form == Form::Hermitian && i == j;
    c.map(|i, j, x| if is_real(i, j) { number(x.re, 0.0) } else { x })
}

fn squares<T: Scalar>() {
    let mut case = 0;
    for &((n, _, k), nb) in SHAPES {
        for (form, uplo, trans) in symmetric_products::<T>() {
            for factors_of in FACTORS {
                let ((alpha, beta), (x, y)) = factors::<T>(factors_of);
                let is_hermitian = form == Form::Hermitian;
                let real = |x: c64| if is_hermitian { number(x.re, 0.0) } else { x };
                let (x, y) = (real(x), real(y));
                let mut flow = next_engine(&mut case);
                let (rows, cols) = trans.stored(n, k);
                let (a, c) = (Plain::random::<T>(rows, cols, 1), Plain::random::<T>(n, n, 3));
                let tile = trans.stored(nb, nb + 1);
                let tiles = (
                    read_if(x, &a).tiles::<T>(&mut flow, tile),
                    read_if(y, &c).keep(|i, j| uplo.holds(i, j)).tiles::<T>(&mut flow, (nb, nb)),
                );
                let choice = (form, uplo, trans);
                syrk(&mut flow, choice, alpha, &tiles.0, beta, &tiles.1);
                let a = a.op(trans);
                let product = a.times(&a.op(form.mirror()));
                let got = Plain::from_tiles(&mut flow, &tiles.1);
                let what = format!("{n} {k} in {nb} {choice:?} {x} {y}");
                let expected = product.plus(x, y, &old(form, &c));
                got.assert_near::<T>(&expected, |i, j| uplo.holds(i, j), (k + 1) as f64, &what);
            }
        }
    }
}

#[test]
fn syrk_computes_one_triangle() {
    in_all_precisions!(squares);
}

fn double_squares<T: Scalar>() {
    let mut case = 0;
    for &((n, _, k), nb) in SHAPES {
        for (form, uplo, trans) in symmetric_products::<T>() {
            for factors_of in FACTORS {
                let ((alpha, beta), (x, y)) = factors::<T>(factors_of);
                let is_hermitian = form == Form::Hermitian;
                let (z, y) = if is_hermitian { (x.conj(), number(y.re, 0.0)) } else { (x, y) };
                let mut flow = next_engine(&mut case);
                let (rows, cols) = trans.stored(n, k);
                let (a, b) = (Plain::random::<T>(rows, cols, 1), Plain::random::<T>(rows, cols, 2));
                let c = Plain::random::<T>(n, n, 3);
                let tile = trans.stored(nb, nb + 1);
                let tiles = (
                    read_if(x, &a).tiles::<T>(&mut flow, tile),
                    read_if(x, &b).tiles::<T>(&mut flow, tile),
                    read_if(y, &c).keep(|i, j| uplo.holds(i, j)).tiles::<T>(&mut flow, (nb, nb)),
                );
                let choice = (form, uplo, trans);
                syr2k(&mut flow, choice, alpha, &tiles.0, &tiles.1, beta, &tiles.2);
                let (a, b) = (a.op(trans), b.op(trans));
                let mirror = form.mirror();
                let product = a.times(&b.op(mirror)).plus(x, z, &b.times(&a.op(mirror)));
                let got = Plain::from_tiles(&mut flow, &tiles.2);
                let what = format!("{n} {k} in {nb} {choice:?} {x} {y}");
                let expected = product.plus(number(1.0, 0.0), y, &old(form, &c));
                got.assert_near::<T>(&expected, |i, j| uplo.holds(i, j), (2 * k + 1) as f64, &what);
            }
        }
    }
}

#[test]
fn syr2k_computes_one_triangle() {
    in_all_precisions!(double_squares);
}

fn triangles() -> impl Iterator<Item = Triangle> {
    Side::ALL.into_iter().flat_map(|side| {
        Uplo::ALL.into_iter().flat_map(move |uplo| {
            Trans::ALL.into_iter().flat_map(move |trans| {
                Diag::ALL.map(move |diag| Triangle { side, uplo, trans, diag })
            })
        })
    })
}

/// `op(T)` of a random triangle whose unread entries are NaN, and its tiles' contents.
fn triangle<T: Scalar>(order: usize, triangle: Triangle) -> (Plain, Plain) {
    let Triangle { uplo, trans, diag, .. } = triangle;
    let scale = 1.0 / order.max(1) as f64;
    let random = Plain::random::<T>(order, order, 4);
    let t = random.map(|i, j, x| {
        exact(rounded::<c32>(x * scale + number(if i == j { 2.0 } else { 0.0 }, 0.0)))
    });
    let readable = t.keep(|i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit));
    (t.triangle(uplo, diag).op(trans), readable)
}

fn triangular_products<T: Scalar>() {
    let mut case = 0;
    for &((m, n, _), nb) in SHAPES {
        for choice in triangles() {
            for alpha in [number(-0.5, 0.25), number(0.0, 0.0)] {
                let mut flow = next_engine(&mut case);
                let alpha = rounded::<T>(alpha);
                let is_left = choice.side == Side::Left;
                let (t, readable) = triangle::<T>(if is_left { m } else { n }, choice);
                let b = Plain::random::<T>(m, n, 5);
                let tile = if is_left { (nb, nb + 1) } else { (nb + 1, nb) };
                let tiles = (
                    read_if(exact(alpha), &readable).tiles::<T>(&mut flow, (nb, nb)),
                    read_if(exact(alpha), &b).tiles::<T>(&mut flow, tile),
                );
                trmm(&mut flow, choice, alpha, &tiles.0, &tiles.1);
                let product = if is_left { t.times(&b) } else { b.times(&t) };
                let got = Plain::from_tiles(&mut flow, &tiles.1);
                let expected = product.plus(exact(alpha), number(0.0, 0.0), &b);
                let what = format!("{m} {n} in {nb} {choice:?} {alpha}");
                got.assert_near::<T>(&expected, |_, _| true, (t.m + 3) as f64, &what);
            }
        }
    }
}

#[test]
fn trmm_multiplies_from_both_sides() {
    in_all_precisions!(triangular_products);
}

fn triangular_solves<T: Scalar>() {
    let mut case = 0;
    for &((m, n, _), nb) in SHAPES {
        for choice in triangles() {
            for alpha in [number(-0.5, 0.25), number(0.0, 0.0)] {
                let mut flow = next_engine(&mut case);
                let alpha = rounded::<T>(alpha);
                let is_left = choice.side == Side::Left;
                let (t, readable) = triangle::<T>(if is_left { m } else { n }, choice);
                let b = Plain::random::<T>(m, n, 5);
                let tile = if is_left { (nb, nb + 1) } else { (nb + 1, nb) };
                let tiles = (
                    read_if(exact(alpha), &readable).tiles::<T>(&mut flow, (nb, nb)),
                    read_if(exact(alpha), &b).tiles::<T>(&mut flow, tile),
                );
                trsm(&mut flow, choice, alpha, &tiles.0, &tiles.1);
                let x = Plain::from_tiles(&mut flow, &tiles.1);
                let back = if is_left { t.times(&x) } else { x.times(&t) };
                let expected = b.plus(exact(alpha), number(0.0, 0.0), &b);
                let what = format!("{m} {n} in {nb} {choice:?} {alpha}");
                // Higham, "Accuracy and stability", theorem 8.5: n u |T| |X|, at most 4 in each
                // row.
                back.assert_near::<T>(&expected, |_, _| true, 4.0 * (t.m + 1) as f64, &what);
            }
        }
    }
}

#[test]
fn trsm_solves_from_both_sides() {
    in_all_precisions!(triangular_solves);
}
