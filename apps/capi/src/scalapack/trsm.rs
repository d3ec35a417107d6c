//! `PxTRSM`: solves with a triangular matrix.

use tegula_kernels::option::Side;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{Triangle, tile_size, trsm};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::matrix::{Spread, tile_of};
use crate::array::Array;
use crate::check::Letter;
use crate::export::export;
use crate::option::{DIAG, SIDE, TRANS, UPLO};
use crate::run::numerical;

export! {
    "`B = alpha inv(op(A)) B`, or `B = alpha B inv(op(A))`, with a triangular matrix `A`, over a grid."
    ptrsm(
        side: Letter, uplo: Letter, trans: Letter, diag: Letter, m: Int, n: Int, alpha: Number,
        a: Input, ia: Int, ja: Int, desca: InputInts, b: Array, ib: Int, jb: Int, descb: InputInts
    ) grid_nothing as pstrsm_: f32, pdtrsm_: f64, pctrsm_: c32, pztrsm_: c64;
}

#[expect(clippy::too_many_arguments, reason = "PBLAS's interface")]
fn ptrsm<T: Scalar>(
    side: Letter,
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    m: i32,
    n: i32,
    alpha: T,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    b: Array<T>,
    ib: i32,
    jb: i32,
    descb: Array<i32>,
) -> Outcome<()> {
    let a = Submatrix::new(a, [ia, ja], desca, 11).with_first_blocks();
    let b = Submatrix::new(b, [ib, jb], descb, 15).with_first_blocks();
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let (side, uplo) = (checks.letter(side, 1, SIDE), checks.letter(uplo, 2, UPLO));
    let (trans, diag) = (checks.letter(trans, 3, TRANS), checks.letter(diag, 4, DIAG));
    let order = if side == Side::Left { (m, 5) } else { (n, 6) };
    checks.matrix(&a, order, order);
    checks.matrix(&b, (m, 5), (n, 6));
    let [m, n] = [(m, 5), (n, 6)].map(|(size, number)| checks.size(size, number));
    checks.done()?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    let b = b.of(&grid, m, n);
    if alpha == T::ZERO {
        b.scale(&grid, T::ZERO);
        return Ok(());
    }
    let order = if side == Side::Left { m } else { n };
    let a = a.of(&grid, order, order);
    let workers = grid.all_workers();
    let (rows, columns) = (b.layout.rows, b.layout.columns);
    let (mb, nb) =
        (tile_of(&[rows], tile_size(m, workers)), tile_of(&[columns], tile_size(n, workers)));
    let of_triangle = if side == Side::Left { mb } else { nb };
    let a = a.triangle(uplo).working(&grid, Spread::Grid, (of_triangle, of_triangle), true);
    let b = b.working(&grid, Spread::Grid, (mb, nb), true);
    let done = grid.on_flow(|flow| {
        let [a, b] = [&a, &b].map(|matrix| matrix.lend(flow));
        trsm(flow, Triangle { side, uplo, trans, diag }, alpha, &a, &b);
        let done = flow.wait();
        [a, b].into_iter().for_each(|matrix| matrix.unregister(flow));
        done.map_err(numerical)
    });
    done.expect("a solve does not fail");
    b.put_back(&grid);
    Ok(())
}
