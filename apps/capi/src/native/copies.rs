//! Copies between tiles and plain arrays.

use tegula_data::matrix::Order;
use tegula_kernels::scalar::{c32, c64};

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles};
use crate::array::Array;
use crate::check::{Checked, Integer, Wrong};
use crate::export::export;

export! {
    "Copies a column-major array into the tiles."
    to_tiles(context: Context, a: Input, lda: Count, matrix: Desc) code
        as tegula_slapack_to_tile: f32, tegula_dlapack_to_tile: f64,
        tegula_clapack_to_tile: c32, tegula_zlapack_to_tile: c64;

    "Copies the tiles into a column-major array."
    to_array(context: Context, matrix: Desc, a: Array, lda: Count) code
        as tegula_stile_to_lapack: f32, tegula_dtile_to_lapack: f64,
        tegula_ctile_to_lapack: c32, tegula_ztile_to_lapack: c64;
}

fn to_tiles<T: Entry>(
    context: Option<&Context>,
    a: Array<T>,
    lda: i32,
    matrix: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let tiles = tiles::<T>(4, matrix, context)?;
    let a = a.matrix(tiles.m(), tiles.n(), lda.leading(3, tiles.m())?).view();
    let outcome = tiles.fill_with(&mut context.flow(), |i, j| a.at(i, j));
    outcome.unwrap_or_else(|error| panic!("{error}"));
    Ok(0)
}

fn to_array<T: Entry>(
    context: Option<&Context>,
    matrix: Option<&Matrix>,
    a: Array<T>,
    lda: i32,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let tiles = tiles::<T>(2, matrix, context)?;
    let ld = lda.leading(4, tiles.m())?;
    if tiles.m() > 0 && tiles.n() > 0 {
        let array = a.slice(ld * (tiles.n() - 1) + tiles.m());
        let outcome = tiles.gather(&mut context.flow(), array, Order::ColumnMajor { ld });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    Ok(0)
}
