//! `PxGEQRF`: the QR factorisation.

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{column_width, geqrf};
use tegula_tiles::{Storage, TileMatrix};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::cyclic::Axis;
use super::matrix::{Spread, tile_of};
use super::workspace;
use crate::array::Array;
use crate::export::export;

export! {
    "`A = Q R`, of a matrix over a grid of processes."
    pgeqrf(
        m: Int, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts, tau: Array, work: Array,
        lwork: Int
    ) grid_info as psgeqrf_: f32, pdgeqrf_: f64, pcgeqrf_: c32, pzgeqrf_: c64;
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pgeqrf<T: Scalar>(
    m: i32,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    tau: Array<T>,
    work: Array<T>,
    lwork: i32,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 6);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    checks.matrix(&a, (m, 1), (n, 2));
    let (m, n) = (checks.size(m, 1), checks.size(n, 2));
    checks.done()?;
    let a = a.of(&grid, m, n);
    if workspace::is_query(work, lwork, workspace::of_qr(&grid, a.layout)) || m == 0 || n == 0 {
        return Ok(0);
    }
    let columns = a.layout.columns;
    let (nb, count) = (tile_of(&[columns], column_width(m, n, grid.all_workers())), m.min(n));
    let a = a.working(&grid, Spread::Columns, (m, nb), true);
    let factors = grid.on_flow(|flow| {
        let matrix = a.lend(flow);
        let tau = TileMatrix::new(flow, (count, 1), (nb, 1), Storage::Full);
        geqrf(flow, &matrix, &tau);
        let mut factors: Vec<T> = Vec::with_capacity(count);
        for tile in tau.indices() {
            let of_tile = flow.read(tau.tile(tile.row, tile.column));
            factors.extend_from_slice(of_tile.unwrap_or_else(|error| panic!("{error}")));
        }
        [tau, matrix].into_iter().for_each(|matrix| matrix.unregister(flow));
        factors
    });
    a.put_back(&grid);
    // Each process has the factors of its columns.
    let reflected = Axis { length: count, ..columns };
    for (first, piece) in reflected.pieces_of(grid.column()) {
        tau.after(piece.place).write(&factors[first..first + piece.length]);
    }
    Ok(0)
}
