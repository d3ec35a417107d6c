//! LU factorisation with partial pivoting of matrices in one row of tiles.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg as linalg;
use tegula_tiles::TileMatrix;

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles, written};
use super::pivots::{Ipiv, pivots, singular};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::TRANS;

export! {
    "`A = P L U`, with exchanges of rows; `A` in one row of tiles."
    getrf(context: Context, a: Desc, pivots: Pivots) code
        as tegula_sgetrf_tile: f32, tegula_dgetrf_tile: f64, tegula_cgetrf_tile: c32,
        tegula_zgetrf_tile: c64;

    "`B = inv(op(A)) B`, with the factors of `A` that `getrf` has left; all in one row of tiles."
    getrs(context: Context, trans: Choice, a: Desc, pivots: Pivots, b: Desc) code
        as tegula_sgetrs_tile: f32, tegula_dgetrs_tile: f64, tegula_cgetrs_tile: c32,
        tegula_zgetrs_tile: c64;

    "`B = inv(A) B`, with a general matrix `A`, which is factorised; all in one row of tiles."
    gesv(context: Context, a: Desc, pivots: Pivots, b: Desc) code
        as tegula_sgesv_tile: f32, tegula_dgesv_tile: f64, tegula_cgesv_tile: c32,
        tegula_zgesv_tile: c64;
}

fn getrf<T: Entry>(
    context: Option<&Context>,
    a: Option<&Matrix>,
    ipiv: Option<&Ipiv>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let a = tiles::<T>(2, a, context)?;
    require(2, a.mt() <= 1)?;
    let pivots = pivots(3, ipiv, context, a)?;
    let failed = context.run(|flow| linalg::getrf(flow, a, pivots))?;
    if failed != 0 || context.is_asynchronous() {
        return Ok(failed);
    }
    singular(&mut context.flow(), pivots)
}

fn getrs<T: Entry>(
    context: Option<&Context>,
    trans: Letter,
    a: Option<&Matrix>,
    ipiv: Option<&Ipiv>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let trans = trans.of(2, TRANS)?;
    let a = tiles::<T>(3, a, context)?;
    let b = written(5, b, context, &[a])?;
    require(3, a.mt() <= 1 && a.m() == a.n())?;
    let pivots = pivots(4, ipiv, context, a)?;
    require(5, fits(a, b))?;
    context.run(|flow| linalg::getrs(flow, trans, a, pivots, b))
}

fn gesv<T: Entry>(
    context: Option<&Context>,
    a: Option<&Matrix>,
    ipiv: Option<&Ipiv>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let owner = context.ok_or(Wrong(1))?;
    let factors = tiles::<T>(2, a, owner)?;
    let sides = written(4, b, owner, &[factors])?;
    require(2, factors.mt() <= 1 && factors.m() == factors.n())?;
    let pivots = pivots(3, ipiv, owner, factors)?;
    require(4, fits(factors, sides))?;
    let failed = getrf::<T>(context, a, ipiv)?;
    if failed != 0 {
        return Ok(failed);
    }
    owner.run(|flow| linalg::getrs(flow, Trans::No, factors, pivots, sides))
}

/// Whether `b` is in one row of tiles with the rows of `a`.
fn fits<T: Entry>(a: &TileMatrix<T>, b: &TileMatrix<T>) -> bool {
    b.m() == a.m() && b.mt() <= 1
}
