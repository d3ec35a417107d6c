//! Routines on matrices in tiles.

use tegula_data::matrix::TileMatrix;
use tegula_kernels::option::{Side, Trans, Uplo};
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg::{self as linalg, Triangle};
use tegula_runtime::flow::Flow;

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::{DIAG, SIDE, TRANS, UPLO};
use crate::run::{info, numerical};

export! {
    "`C = alpha op(A) op(B) + beta C`; tiles of equal sizes where they meet."
    gemm(
        context: Context, transa: Choice, transb: Choice, alpha: Number, a: Desc, b: Desc,
        beta: Number, c: Desc
    ) code as tegula_sgemm_tile: f32, tegula_dgemm_tile: f64, tegula_cgemm_tile: c32,
        tegula_zgemm_tile: c64;

    "`B = alpha inv(op(A)) B`, or `B = alpha B inv(op(A))`, with a triangular matrix `A`."
    trsm(
        context: Context, side: Choice, uplo: Choice, transa: Choice, diag: Choice, alpha: Number,
        a: Desc, b: Desc
    ) code as tegula_strsm_tile: f32, tegula_dtrsm_tile: f64, tegula_ctrsm_tile: c32,
        tegula_ztrsm_tile: c64;

    "`B = alpha op(A) B`, or `B = alpha B op(A)`, with a triangular matrix `A`."
    trmm(
        context: Context, side: Choice, uplo: Choice, transa: Choice, diag: Choice, alpha: Number,
        a: Desc, b: Desc
    ) code as tegula_strmm_tile: f32, tegula_dtrmm_tile: f64, tegula_ctrmm_tile: c32,
        tegula_ztrmm_tile: c64;

    "The inverse of a triangular matrix in square tiles, in place."
    trtri(context: Context, uplo: Choice, diag: Choice, a: Desc) code
        as tegula_strtri_tile: f32, tegula_dtrtri_tile: f64, tegula_ctrtri_tile: c32,
        tegula_ztrtri_tile: c64;

    "`A = L L^H` of a positive definite matrix in square tiles; `uplo` is L."
    potrf(context: Context, uplo: Choice, a: Desc) code
        as tegula_spotrf_tile: f32, tegula_dpotrf_tile: f64, tegula_cpotrf_tile: c32,
        tegula_zpotrf_tile: c64;

    "`B = inv(A) B`, with the factor of `A` that `potrf` has left; `uplo` is L."
    potrs(context: Context, uplo: Choice, a: Desc, b: Desc) code
        as tegula_spotrs_tile: f32, tegula_dpotrs_tile: f64, tegula_cpotrs_tile: c32,
        tegula_zpotrs_tile: c64;

    "The lower triangle of `inv(A)` in place of the factor that `potrf` has left; `uplo` is L."
    potri(context: Context, uplo: Choice, a: Desc) code
        as tegula_spotri_tile: f32, tegula_dpotri_tile: f64, tegula_cpotri_tile: c32,
        tegula_zpotri_tile: c64;
}

/// The triangle of a Hermitian matrix in tiles of its own.
const LOWER: &[(u8, Uplo)] = &[(b'L', Uplo::Lower)];

/// Runs what `submit` submits; the code is that of the first numerical failure.
fn run(context: &Context, submit: impl FnOnce(&mut Flow)) -> Checked<i32> {
    let flow = &mut context.flow();
    submit(flow);
    Ok(info(flow.wait().map_err(numerical)))
}

/// Sizes of a matrix and of its tiles along one edge.
type Edge = (usize, usize);

/// Rows and columns of `op(a)`.
fn edges<T: Entry>(a: &TileMatrix<T>, trans: Trans) -> (Edge, Edge) {
    let (rows, columns) = ((a.m(), a.mb()), (a.n(), a.nb()));
    if trans == Trans::No { (rows, columns) } else { (columns, rows) }
}

fn is_square<T: Entry>(a: &TileMatrix<T>) -> bool {
    (a.m(), a.mb()) == (a.n(), a.nb())
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
    let (a, b, c) =
        (tiles::<T>(5, a, context)?, tiles::<T>(6, b, context)?, tiles::<T>(8, c, context)?);
    let ((m, k), (inner, n)) = (edges(a, trans.0), edges(b, trans.1));
    require(6, inner == k)?;
    require(8, edges(c, Trans::No) == (m, n))?;
    run(context, |flow| linalg::gemm(flow, trans, alpha, a, b, beta, c))
}

macro_rules! triangular {
    ($($name:ident),+) => { $(
        #[expect(clippy::too_many_arguments, reason = "BLAS's interface")]
        fn $name<T: Entry>(
            context: Option<&Context>,
            side: Letter,
            uplo: Letter,
            transa: Letter,
            diag: Letter,
            alpha: T,
            a: Option<&Matrix>,
            b: Option<&Matrix>,
        ) -> Checked<i32> {
            let context = context.ok_or(Wrong(1))?;
            let (side, uplo) = (side.of(2, SIDE)?, uplo.of(3, UPLO)?);
            let (trans, diag) = (transa.of(4, TRANS)?, diag.of(5, DIAG)?);
            let (a, b) = (tiles::<T>(7, a, context)?, tiles::<T>(8, b, context)?);
            require(7, is_square(a))?;
            let (rows, columns) = edges(b, Trans::No);
            require(8, (a.m(), a.mb()) == if side == Side::Left { rows } else { columns })?;
            let triangle = Triangle { side, uplo, trans, diag };
            run(context, |flow| linalg::$name(flow, triangle, alpha, a, b))
        }
    )+ };
}

triangular! { trsm, trmm }

fn trtri<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    diag: Letter,
    a: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let (uplo, diag) = (uplo.of(2, UPLO)?, diag.of(3, DIAG)?);
    let a = tiles::<T>(4, a, context)?;
    require(4, is_square(a))?;
    run(context, |flow| linalg::trtri(flow, uplo, diag, a))
}

fn potri<T: Entry>(context: Option<&Context>, uplo: Letter, a: Option<&Matrix>) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    uplo.of(2, LOWER)?;
    let a = tiles::<T>(3, a, context)?;
    require(3, is_square(a))?;
    run(context, |flow| linalg::potri(flow, a))
}

fn potrf<T: Entry>(context: Option<&Context>, uplo: Letter, a: Option<&Matrix>) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    uplo.of(2, LOWER)?;
    let a = tiles::<T>(3, a, context)?;
    require(3, is_square(a))?;
    run(context, |flow| linalg::potrf(flow, a))
}

fn potrs<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    uplo.of(2, LOWER)?;
    let (a, b) = (tiles::<T>(3, a, context)?, tiles::<T>(4, b, context)?);
    require(3, is_square(a))?;
    require(4, (b.m(), b.mb()) == (a.m(), a.mb()))?;
    run(context, |flow| linalg::potrs(flow, a, b))
}
