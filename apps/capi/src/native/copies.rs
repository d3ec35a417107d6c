//! Copies between tiles and plain arrays.

use tegula_kernels::scalar::{c32, c64};
use tegula_tiles::TileMatrix;

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles};
use crate::array::Array;
use crate::check::{Checked, Integer, Wrong, require};
use crate::export::export;
use crate::run::{info, numerical};

export! {
    "Waits, and copies a column-major array into the tiles."
    to_tiles(context: Context, a: Input, lda: Count, matrix: Desc) code
        as tegula_slapack_to_tile: f32, tegula_dlapack_to_tile: f64,
        tegula_clapack_to_tile: c32, tegula_zlapack_to_tile: c64;

    "Waits, and copies the tiles into a column-major array. Returns the info of what has spoiled them."
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
    require(2, holds(a, tiles))?;
    let a = a.matrix(tiles.m(), tiles.n(), lda.leading(3, tiles.m())?).view();
    let outcome = tiles.fill_with(&mut context.settled(), |i, j| a.at(i, j));
    Ok(info(outcome.map_err(numerical)))
}

/// Whether there is an array, which a matrix without entries does not need.
fn holds<T: Entry>(a: Array<T>, tiles: &TileMatrix<T>) -> bool {
    !a.is_null() || tiles.m() == 0 || tiles.n() == 0
}

fn to_array<T: Entry>(
    context: Option<&Context>,
    matrix: Option<&Matrix>,
    a: Array<T>,
    lda: i32,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let tiles = tiles::<T>(2, matrix, context)?;
    require(3, holds(a, tiles))?;
    let ld = lda.leading(4, tiles.m())?;
    let outcome = a.matrix(tiles.m(), tiles.n(), ld).gather(&mut context.settled(), tiles);
    Ok(info(outcome.map_err(numerical)))
}
