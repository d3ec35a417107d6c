//! `PxGETRF` and `PxGESV`: LU factorisation with partial pivoting, and solves with it.

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{Pivots, column_width, gesv, getrf};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::cyclic::Axis;
use super::grid::Grid;
use super::matrix::{Distributed, Spread, tile_of};
use crate::array::Array;
use crate::export::export;
use crate::run;

export! {
    "`A = P L U`, with exchanges of rows, of a matrix over a grid of processes."
    pgetrf(m: Int, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts, ipiv: Ints) grid_info
        as psgetrf_: f32, pdgetrf_: f64, pcgetrf_: c32, pzgetrf_: c64;

    "Solves `A X = B` with a general matrix over a grid of processes."
    pgesv(
        n: Int, nrhs: Int, a: Array, ia: Int, ja: Int, desca: InputInts, ipiv: Ints, b: Array,
        ib: Int, jb: Int, descb: InputInts
    ) grid_info as psgesv_: f32, pdgesv_: f64, pcgesv_: c32, pzgesv_: c64;
}

fn pgetrf<T: Scalar>(
    m: i32,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    ipiv: Array<i32>,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 6);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    checks.matrix(&a, (m, 1), (n, 2));
    let (m, n) = (checks.size(m, 1), checks.size(n, 2));
    checks.done()?;
    if m == 0 || n == 0 {
        return Ok(0);
    }
    Ok(factorise(&grid, &a, (m, n), ipiv, None))
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pgesv<T: Scalar>(
    n: i32,
    nrhs: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    ipiv: Array<i32>,
    b: Array<T>,
    ib: i32,
    jb: i32,
    descb: Array<i32>,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 6);
    let b = Submatrix::new(b, [ib, jb], descb, 11);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    checks.matrix(&a, (n, 1), (n, 1));
    checks.matrix(&b, (n, 1), (nrhs, 2));
    let (n, nrhs) = (checks.size(n, 1), checks.size(nrhs, 2));
    checks.done()?;
    if n == 0 {
        return Ok(0);
    }
    let b = (nrhs > 0).then(|| b.of(&grid, n, nrhs));
    Ok(factorise(&grid, &a, (n, n), ipiv, b))
}

/// Factorises the `m x n` matrix in whole columns, and solves for `b` where there is one and no
/// pivot is zero; the first step, from 1, that found only zeros, or 0.
fn factorise<T: Scalar>(
    grid: &Grid,
    named: &Submatrix<T>,
    (m, n): (usize, usize),
    ipiv: Array<i32>,
    b: Option<Distributed<T>>,
) -> i32 {
    let a = named.of(grid, m, n);
    let (rows, workers) = (a.layout.rows, grid.all_workers());
    let nb = tile_of(&[a.layout.columns], column_width(m, n, workers));
    let a = a.working(grid, Spread::Columns, (m, nb), true);
    let b = b.map(|b| {
        let width = tile_of(&[b.layout.columns], column_width(m, b.columns(), workers));
        b.working(grid, Spread::Columns, (m, width), true)
    });
    let (pivots, singular) = grid.on_flow(|flow| {
        let matrix = a.lend(flow);
        let sides = b.as_ref().map(|b| b.lend(flow));
        let pivots = Pivots::new(flow, &matrix);
        match &sides {
            None => getrf(flow, &matrix, &pivots),
            Some(sides) => gesv(flow, &matrix, &pivots, sides),
        }
        let found = pivots.rows(flow).unwrap_or_else(|error| panic!("{error}"));
        let singular = pivots.singular(flow).unwrap_or_else(|error| panic!("{error}"));
        pivots.unregister(flow);
        sides.into_iter().chain([matrix]).for_each(|matrix| matrix.unregister(flow));
        (found, singular.map_or(0, |error| run::info(Err(error))))
    });
    a.put_back(grid);
    if singular == 0 {
        b.into_iter().for_each(|b| b.put_back(grid));
    }
    // Each process has the exchanges of its rows, by their numbers in the whole matrix.
    let exchanged = Axis { length: pivots.len(), ..rows };
    let first = named.first_row();
    for (step, piece) in exchanged.pieces_of(grid.row()) {
        for next in 0..piece.length {
            ipiv.set(piece.place + next, pivots[step + next] as i32 + first);
        }
    }
    singular
}
