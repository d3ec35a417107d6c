//! The Cholesky family on matrices in tiles.

use tegula_kernels::option::Form;
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg::{self as linalg, View};
use tegula_tiles::TileMatrix;

use super::context::Context;
use super::is_square;
use super::matrix::{Entry, Matrix, tiles, written};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::UPLO;

export! {
    "`A = L L^H` or `A = U^H U` of a positive definite matrix in square tiles."
    potrf(context: Context, uplo: Choice, a: Desc) code
        as tegula_spotrf_tile: f32, tegula_dpotrf_tile: f64, tegula_cpotrf_tile: c32,
        tegula_zpotrf_tile: c64;

    "`B = inv(A) B`, with the factor of `A` that `potrf` has left."
    potrs(context: Context, uplo: Choice, a: Desc, b: Desc) code
        as tegula_spotrs_tile: f32, tegula_dpotrs_tile: f64, tegula_cpotrs_tile: c32,
        tegula_zpotrs_tile: c64;

    "`B = inv(A) B`, with a positive definite matrix `A`, which is factorised."
    posv(context: Context, uplo: Choice, a: Desc, b: Desc) code
        as tegula_sposv_tile: f32, tegula_dposv_tile: f64, tegula_cposv_tile: c32,
        tegula_zposv_tile: c64;

    "A triangle of `inv(A)` in place of the factor that `potrf` has left."
    potri(context: Context, uplo: Choice, a: Desc) code
        as tegula_spotri_tile: f32, tegula_dpotri_tile: f64, tegula_cpotri_tile: c32,
        tegula_zpotri_tile: c64;
}

/// The context, and the matrix of which the triangle `uplo` is stored.
fn checked<'a, T: Entry>(
    context: Option<&'a Context>,
    uplo: Letter,
    a: Option<&'a Matrix>,
) -> Checked<(&'a Context, View<'a, T>)> {
    let context = context.ok_or(Wrong(1))?;
    let uplo = uplo.of(2, UPLO)?;
    let a = tiles::<T>(3, a, context)?;
    require(3, is_square(a))?;
    Ok((context, View::of_triangle(a, Form::Hermitian, uplo)))
}

/// Right-hand sides that fit `a`, a square matrix.
fn sides<'a, T: Entry>(
    context: &Context,
    a: Option<&Matrix>,
    b: Option<&'a Matrix>,
) -> Checked<&'a TileMatrix<T>> {
    let a = tiles::<T>(3, a, context)?;
    let b = written(4, b, context, &[a])?;
    require(4, (b.m(), b.mb()) == (a.m(), a.mb()))?;
    Ok(b)
}

fn potrf<T: Entry>(context: Option<&Context>, uplo: Letter, a: Option<&Matrix>) -> Checked<i32> {
    let (context, a) = checked::<T>(context, uplo, a)?;
    context.run(|flow| linalg::potrf(flow, a))
}

fn potrs<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let (context, view) = checked::<T>(context, uplo, a)?;
    let b = sides(context, a, b)?;
    context.run(|flow| linalg::potrs(flow, view, b))
}

fn posv<T: Entry>(
    context: Option<&Context>,
    uplo: Letter,
    a: Option<&Matrix>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let (context, view) = checked::<T>(context, uplo, a)?;
    let b = sides(context, a, b)?;
    context.run(|flow| linalg::posv(flow, view, b))
}

fn potri<T: Entry>(context: Option<&Context>, uplo: Letter, a: Option<&Matrix>) -> Checked<i32> {
    let (context, a) = checked::<T>(context, uplo, a)?;
    context.run(|flow| linalg::potri(flow, a))
}
