//! `PxPOTRF` and `PxPOSV`: the Cholesky factorisation, and solves with it.

use tegula_kernels::option::{Form, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{View, posv, potrf, tile_size};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::grid::Grid;
use super::matrix::{Distributed, Spread, factor_tile_of};
use crate::array::Array;
use crate::check::Letter;
use crate::export::export;
use crate::option::UPLO;
use crate::run::{self, numerical};

export! {
    "`A = L L^H` or `A = U^H U`, of a positive definite matrix over a grid of processes."
    ppotrf(uplo: Letter, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts) grid_info
        as pspotrf_: f32, pdpotrf_: f64, pcpotrf_: c32, pzpotrf_: c64;

    "Solves `A X = B` with a positive definite matrix over a grid of processes."
    pposv(
        uplo: Letter, n: Int, nrhs: Int, a: Array, ia: Int, ja: Int, desca: InputInts, b: Array,
        ib: Int, jb: Int, descb: InputInts
    ) grid_info as psposv_: f32, pdposv_: f64, pcposv_: c32, pzposv_: c64;
}

fn ppotrf<T: Scalar>(
    uplo: Letter,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 6);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let uplo = checks.letter(uplo, 1, UPLO);
    checks.matrix(&a, (n, 2), (n, 2));
    let n = checks.size(n, 2);
    checks.done()?;
    Ok(if n == 0 { 0 } else { factorise(&grid, uplo, a.of(&grid, n, n), None) })
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pposv<T: Scalar>(
    uplo: Letter,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    b: Array<T>,
    ib: i32,
    jb: i32,
    descb: Array<i32>,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 7);
    let b = Submatrix::new(b, [ib, jb], descb, 11);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let uplo = checks.letter(uplo, 1, UPLO);
    checks.matrix(&a, (n, 2), (n, 2));
    checks.matrix(&b, (n, 2), (nrhs, 3));
    let (n, nrhs) = (checks.size(n, 2), checks.size(nrhs, 3));
    checks.done()?;
    if n == 0 {
        return Ok(0);
    }
    let b = (nrhs > 0).then(|| b.of(&grid, n, nrhs));
    Ok(factorise(&grid, uplo, a.of(&grid, n, n), b))
}

/// Factorises `a`, whose triangle `uplo` is stored, and solves for `b`, where there is one;
/// LAPACK's `info`.
fn factorise<T: Scalar>(
    grid: &Grid,
    uplo: Uplo,
    a: Distributed<T>,
    b: Option<Distributed<T>>,
) -> i32 {
    let workers = grid.all_workers();
    let nb = factor_tile_of(&[a.layout.rows, a.layout.columns], tile_size(a.rows(), workers));
    let a = a.triangle(uplo).working(grid, Spread::Grid, (nb, nb), true);
    let b = b.map(|b| {
        let width = factor_tile_of(&[b.layout.columns], tile_size(b.columns(), workers));
        b.working(grid, Spread::Grid, (nb, width), true)
    });
    let done = grid.on_flow(|flow| {
        let matrix = a.lend(flow);
        let sides = b.as_ref().map(|b| b.lend(flow));
        let view = View::of_triangle(&matrix, Form::Hermitian, uplo);
        match &sides {
            None => potrf(flow, view),
            Some(sides) => posv(flow, view, sides),
        }
        let done = flow.wait();
        sides.into_iter().chain([matrix]).for_each(|matrix| matrix.unregister(flow));
        done.map_err(numerical)
    });
    a.put_back(grid);
    if done.is_ok() {
        b.into_iter().for_each(|b| b.put_back(grid));
    }
    run::info(done)
}
