//! QR on square tiles with a tree of reductions, for tall matrices, and by Cholesky factorisations.

use crate::{cholesky_qr2, geqrf_tree, orgqr_tree, ormqr_tree};
use tegula_kernels::option::{Diag, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::{Storage, TileMatrix};

use super::qr::{Geqrf, Ormq};
use crate::program::Routine;
use crate::program::case::{Case, product};
use crate::program::freivalds::{Sum, difference, exact, rounded};
use crate::program::operand::Operand;
use crate::program::options::Choice;
use crate::program::random::Entries::{Dominant, Nothing, Uniform};
use crate::program::sizes::Size::{self, K, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "tall QR";

/// Factorises operand 0, and keeps what is beside it.
fn factorise<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
    let factors = geqrf_tree(flow, &case[0], case.sizes.options.tree);
    if let Some(before) = case.tree.replace(Some(factors)) {
        before.retire(flow);
    }
}

/// Submits `C = op(Q) C`, if there is a `Q`.
fn multiply<T: Scalar>(flow: &mut Flow, case: &Case<T>, trans: Trans, c: &TileMatrix<T>) {
    if let Some(factors) = case.tree.borrow().as_ref() {
        ormqr_tree(flow, trans, &case[0], factors, c);
    }
}

/// `op(Q) x`, computed in `T`: rounded entries stand for those of `x`, and each sum has at most the
/// size of all of `x`.
fn times_q<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    trans: Trans,
    x: &Sum,
) -> Result<Sum, Failure> {
    let (rows, nb) = (x.value.len(), case.sizes.nb);
    let column = TileMatrix::<T>::new(flow, (rows, 1), (nb, nb), Storage::Full);
    column.fill_with(flow, |i, _| rounded(x.value[i]))?;
    multiply(flow, case, trans, &column);
    let mut found = Sum::zero(rows);
    for i in 0..column.mt() {
        let tile = flow.read::<T>(column.tile(i, 0))?;
        for (value, &entry) in found.value[i * nb..].iter_mut().zip(tile) {
            *value = exact(entry);
        }
    }
    column.unregister(flow);
    found.size.fill(x.size.iter().map(|size| size * size).sum::<f64>().sqrt());
    Ok(found)
}

/// How far the columns of operand `q` are from orthonormal, and operand 0 as it was from what they
/// span.
fn basis_error<T: Scalar>(flow: &mut Flow, case: &Case<T>, q: usize) -> Result<f64, Failure> {
    let w = case.signs(q);
    let tall = case.found(q).times(flow, &w)?;
    let found = case.found(q).op(Trans::Conj).times(flow, &tall)?;
    // A w = Q (Q^H A w).
    let original = case.original(0).times(flow, &w)?;
    let back = product(flow, &[case.found(q), case.found(q).op(Trans::Conj)], &original)?;
    let Sizes { m, n, .. } = case.sizes;
    Ok(difference::<T>(&found, &w, n).max(difference::<T>(&back, &original, m)))
}

/// `A = Q R`.
pub(super) struct GeqrfTree;

impl Routine for GeqrfTree {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "geqrf-tree";
    const FORMULA: &'static str = "A = Q R on square tiles";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "2 m n^2 - 2 n^3/3";
    const CHECK: &'static str = "Q (R w) - A w";
    const CHOICES: &'static [Choice] = &[Choice::Tree];
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Uniform).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        Geqrf::flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        factorise(flow, case);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?;
        let r = case.found(0).triangle(Uplo::Upper, Diag::NonUnit).times(flow, &w)?;
        let found = times_q(flow, case, Trans::No, &r.resized(case.sizes.m))?;
        Ok(difference::<T>(&found, &expected, case.sizes.m))
    }
}

/// The first columns of `Q`.
pub(super) struct OrgqrTree;

impl Routine for OrgqrTree {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "orgqr-tree";
    const FORMULA: &'static str = "Q from the factors of geqrf-tree";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "2 m n^2 - 2 n^3/3";
    const CHECK: &'static str = "Q^H (Q w) - w";
    const CHOICES: &'static [Choice] = &[Choice::Tree];
    const LIMITS: &'static [(Size, Size)] = &[(N, M)];
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Uniform).input(), Operand::full(M, N, Nothing).result()];

    fn flops(sizes: &Sizes) -> f64 {
        Geqrf::flops(sizes)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        factorise(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        if let Some(factors) = case.tree.borrow().as_ref() {
            orgqr_tree(flow, &case[0], factors, &case[1]);
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        basis_error(flow, case, 1)
    }
}

/// Product with `Q`.
pub(super) struct OrmqrTree;

impl Routine for OrmqrTree {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "ormqr-tree";
    const FORMULA: &'static str = "C = op(Q) C with Q of geqrf-tree";
    const SIZES: &'static [Size] = &[M, N, K];
    const FLOPS: &'static str = "4 m n k - 2 n k^2";
    const CHECK: &'static str = "op(Q)^H (C w) - C0 w";
    const CHOICES: &'static [Choice] = &[Choice::Tree, Choice::Adjoint];
    const LIMITS: &'static [(Size, Size)] = &[(K, M)];
    const OPERANDS: &'static [Operand] = &[
        Operand::full(M, K, Uniform).input(),
        Operand::full(M, N, Uniform).right_sides().result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        Ormq::<false>::flops(sizes)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        factorise(flow, case);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        multiply(flow, case, adjoint_or_not(case.sizes.options.trans), &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(1).times(flow, &w)?;
        let found = case.found(1).times(flow, &w)?;
        let back = if case.sizes.options.trans == Trans::No { Trans::Conj } else { Trans::No };
        let found = times_q(flow, case, back, &found)?;
        Ok(difference::<T>(&found, &expected, case.sizes.m))
    }
}

/// The adjoint of a real matrix for its transpose.
fn adjoint_or_not(trans: Trans) -> Trans {
    if trans == Trans::No { Trans::No } else { Trans::Conj }
}

/// `A = Q R` by Cholesky factorisations.
pub(super) struct CholeskyQr2;

impl Routine for CholeskyQr2 {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "cholesky-qr2";
    const FORMULA: &'static str = "A = Q R, well conditioned, by A^H A";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "4 m n^2 + n^3";
    const CHECK: &'static str = "Q (R w) - A w and Q^H (Q w) - w";
    const LIMITS: &'static [(Size, Size)] = &[(N, M)];
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Dominant).input().result(), Operand::full(N, N, Nothing)];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        4.0 * m * n * n + n.powi(3)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        cholesky_qr2(flow, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let factors = [case.found(0), case.found(1).triangle(Uplo::Upper, Diag::NonUnit)];
        let error = case.product_error(flow, &case.original(0), &factors)?;
        Ok(error.max(basis_error(flow, case, 0)?))
    }
}
