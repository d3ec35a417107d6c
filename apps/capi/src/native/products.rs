//! Products of matrices in tiles.

use tegula_kernels::option::{Form, Side, Trans, Uplo};
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg as linalg;

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles, written};
use super::{edges, is_square};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::{ADJOINT, SIDE, TRANS, UPLO, plain_trans};

export! {
    "`C = alpha op(A) op(B) + beta C`; tiles of equal sizes where they meet."
    gemm(
        context: Context, transa: Choice, transb: Choice, alpha: Number, a: Desc, b: Desc,
        beta: Number, c: Desc
    ) code as tegula_sgemm_tile: f32, tegula_dgemm_tile: f64, tegula_cgemm_tile: c32,
        tegula_zgemm_tile: c64;

    "`C = alpha A B + beta C`, or `C = alpha B A + beta C`, with a symmetric matrix `A`."
    symm(
        context: Context, side: Choice, uplo: Choice, alpha: Number, a: Desc, b: Desc,
        beta: Number, c: Desc
    ) code as tegula_ssymm_tile: f32, tegula_dsymm_tile: f64, tegula_csymm_tile: c32,
        tegula_zsymm_tile: c64;

    "`C = alpha A B + beta C`, or `C = alpha B A + beta C`, with a Hermitian matrix `A`."
    hemm(
        context: Context, side: Choice, uplo: Choice, alpha: Number, a: Desc, b: Desc,
        beta: Number, c: Desc
    ) code as tegula_chemm_tile: c32, tegula_zhemm_tile: c64;

    "A triangle of `C = alpha A A^T + beta C`, or with `A^T A`."
    syrk(
        context: Context, uplo: Choice, trans: Choice, alpha: Number, a: Desc, beta: Number,
        c: Desc
    ) code as tegula_ssyrk_tile: f32, tegula_dsyrk_tile: f64, tegula_csyrk_tile: c32,
        tegula_zsyrk_tile: c64;

    "A triangle of `C = alpha A A^H + beta C`, or with `A^H A`."
    herk(
        context: Context, uplo: Choice, trans: Choice, alpha: Real, a: Desc, beta: Real, c: Desc
    ) code as tegula_cherk_tile: c32, tegula_zherk_tile: c64;

    "A triangle of `C = alpha A B^T + alpha B A^T + beta C`, or with `A^T B` and `B^T A`."
    syr2k(
        context: Context, uplo: Choice, trans: Choice, alpha: Number, a: Desc, b: Desc,
        beta: Number, c: Desc
    ) code as tegula_ssyr2k_tile: f32, tegula_dsyr2k_tile: f64, tegula_csyr2k_tile: c32,
        tegula_zsyr2k_tile: c64;

    "A triangle of `C = alpha A B^H + conj(alpha) B A^H + beta C`, or with `A^H B` and `B^H A`."
    her2k(
        context: Context, uplo: Choice, trans: Choice, alpha: Number, a: Desc, b: Desc, beta: Real,
        c: Desc
    ) code as tegula_cher2k_tile: c32, tegula_zher2k_tile: c64;
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn gemm<T: Entry>(
    context: Option<&Context>,
    transa: Letter,
    transb: Letter,
    alpha: T,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
    beta: T,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let trans = (transa.of(2, TRANS)?, transb.of(3, TRANS)?);
    let (a, b) = (tiles::<T>(5, a, context)?, tiles::<T>(6, b, context)?);
    let c = written(8, c, context, &[a, b])?;
    let ((m, k), (inner, n)) = (edges(a, trans.0), edges(b, trans.1));
    require(6, inner == k)?;
    require(8, edges(c, Trans::No) == (m, n))?;
    context.run(|flow| linalg::gemm(flow, trans, alpha, a, b, beta, c))
}

macro_rules! with_symmetric_factor {
    ($($name:ident $form:ident),+) => { $(
        #[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
        fn $name<T: Entry>(
            context: Option<&Context>,
            side: Letter,
            uplo: Letter,
            alpha: T,
            a: Option<&Matrix>,
            b: Option<&Matrix>,
            beta: T,
            c: Option<&Matrix>,
        ) -> Checked<i32> {
            let context = context.ok_or(Wrong(1))?;
            let (side, uplo) = (side.of(2, SIDE)?, uplo.of(3, UPLO)?);
            let (a, b) = (tiles::<T>(5, a, context)?, tiles::<T>(6, b, context)?);
            let c = written(8, c, context, &[a, b])?;
            require(5, is_square(a))?;
            let (rows, columns) = edges(b, Trans::No);
            require(6, (a.m(), a.mb()) == if side == Side::Left { rows } else { columns })?;
            require(8, edges(c, Trans::No) == (rows, columns))?;
            let how = (Form::$form, side, uplo);
            context.run(|flow| linalg::symm(flow, how, alpha, a, b, beta, c))
        }
    )+ };
}

with_symmetric_factor! { symm Symmetric, hemm Hermitian }

fn syrk<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    trans: Letter,
    alpha: T,
    a: Option<&Matrix>,
    beta: T,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let (uplo, trans) = (uplo.of(2, UPLO)?, plainly::<T>(trans)?);
    rank_k((Form::Symmetric, uplo, trans), context, (alpha, beta), a, c)
}

fn herk<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    trans: Letter,
    alpha: T::Real,
    a: Option<&Matrix>,
    beta: T::Real,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let (uplo, trans) = (uplo.of(2, UPLO)?, trans.of(3, ADJOINT)?);
    let factors = (T::from_real(alpha), T::from_real(beta));
    rank_k((Form::Hermitian, uplo, trans), context, factors, a, c)
}

fn rank_k<T: Entry>(
    how: (Form, Uplo, Trans),
    context: Option<&Context>,
    (alpha, beta): (T, T),
    a: Option<&Matrix>,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let a = tiles::<T>(5, a, context)?;
    let c = written(7, c, context, &[a])?;
    require(7, is_square(c) && edges(a, how.2).0 == (c.m(), c.mb()))?;
    context.run(|flow| linalg::syrk(flow, how, alpha, a, beta, c))
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn syr2k<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    trans: Letter,
    alpha: T,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
    beta: T,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let (uplo, trans) = (uplo.of(2, UPLO)?, plainly::<T>(trans)?);
    rank_2k((Form::Symmetric, uplo, trans), context, (alpha, beta), (a, b), c)
}

#[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
fn her2k<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    trans: Letter,
    alpha: T,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
    beta: T::Real,
    c: Option<&Matrix>,
) -> Checked<i32> {
    let (uplo, trans) = (uplo.of(2, UPLO)?, trans.of(3, ADJOINT)?);
    rank_2k((Form::Hermitian, uplo, trans), context, (alpha, T::from_real(beta)), (a, b), c)
}

fn rank_2k<T: Entry>(
    how: (Form, Uplo, Trans),
    context: Option<&Context>,
    (alpha, beta): (T, T),
    (a, b): (Option<&Matrix>, Option<&Matrix>),
    c: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let (a, b) = (tiles::<T>(5, a, context)?, tiles::<T>(6, b, context)?);
    let c = written(8, c, context, &[a, b])?;
    require(6, edges(a, Trans::No) == edges(b, Trans::No))?;
    require(8, is_square(c) && edges(a, how.2).0 == (c.m(), c.mb()))?;
    context.run(|flow| linalg::syr2k(flow, how, alpha, a, b, beta, c))
}

/// How a matrix enters that is not conjugated: real ones take C for T.
fn plainly<T: Entry>(trans: Letter) -> Checked<Trans> {
    let trans = trans.of(3, plain_trans::<T>())?;
    Ok(if trans.swaps() { Trans::Yes } else { trans })
}
