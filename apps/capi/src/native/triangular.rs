//! Products, solves and inverses with triangular matrices in tiles.

use tegula_kernels::option::{Side, Trans};
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg::{self as linalg, Triangle};

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles, written};
use super::{edges, is_square};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::{DIAG, SIDE, TRANS, UPLO};

export! {
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
            let a = tiles::<T>(7, a, context)?;
            let b = written(8, b, context, &[a])?;
            require(7, is_square(a))?;
            let (rows, columns) = edges(b, Trans::No);
            require(8, (a.m(), a.mb()) == if side == Side::Left { rows } else { columns })?;
            let triangle = Triangle { side, uplo, trans, diag };
            context.run(|flow| linalg::$name(flow, triangle, alpha, a, b))
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
    context.run(|flow| linalg::trtri(flow, uplo, diag, a))
}
