//! `PxGELS`: least squares and least norms with matrices of full rank.

use tegula_kernels::option::Storev;
use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::{column_width, gels, gels_blocks};
use tegula_tiles::{Storage, TileMatrix};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::cyclic::{Axis, Layout};
use super::grid::Grid;
use super::matrix::{Distributed, Spread, tile_of};
use super::workspace::{self, with_block};
use crate::array::Array;
use crate::check::Letter;
use crate::export::export;
use crate::option::unitary_trans;
use crate::qr::scaling::{Scaling, largest};
use crate::run::{self, numerical};

export! {
    "The `X` for which `op(A) X - B` is least, or of those for which it is zero the least, over a grid."
    pgels(
        trans: Letter, m: Int, n: Int, nrhs: Int, a: Array, ia: Int, ja: Int, desca: InputInts,
        b: Array, ib: Int, jb: Int, descb: InputInts, work: Array, lwork: Int
    ) grid_info as psgels_: f32, pdgels_: f64, pcgels_: c32, pzgels_: c64;
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pgels<T: Scalar>(
    trans: Letter,
    m: i32,
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
    work: Array<T>,
    lwork: i32,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 8);
    let b = Submatrix::new(b, [ib, jb], descb, 12);
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let trans = checks.letter(trans, 1, unitary_trans::<T>());
    checks.matrix(&a, (m, 2), (n, 3));
    let longest = if m >= n { (m, 2) } else { (n, 3) };
    checks.matrix(&b, longest, (nrhs, 4));
    let [m, n, nrhs] = [(m, 2), (n, 3), (nrhs, 4)].map(|(size, number)| checks.size(size, number));
    checks.done()?;
    let (a, b) = (a.of(&grid, m, n), b.of(&grid, m.max(n), nrhs));
    if workspace::is_query(work, lwork, least(&grid, a.layout, b.layout)) {
        return Ok(0);
    }
    let count = m.min(n);
    if nrhs == 0 {
        return Ok(0);
    }
    let size = T::Real::of_f64(grid.largest(greatest(&grid, &a)));
    if count == 0 || size == T::Real::ZERO {
        b.scale(&grid, T::ZERO);
        return Ok(0);
    }
    let workers = grid.all_workers();
    let storev = gels_blocks(m, n);
    let (spread, tile, nb) = match storev {
        Storev::Columns => {
            let nb = tile_of(&[a.layout.columns], column_width(m, n, workers));
            (Spread::Columns, (m, nb), nb)
        }
        Storev::Rows => {
            let nb = tile_of(&[a.layout.rows], column_width(m, n, workers));
            (Spread::Rows, (nb, n), nb)
        }
    };
    let width = tile_of(&[b.layout.columns], column_width(m.max(n), nrhs, workers));
    let equations = if trans.swaps() { n } else { m };
    let given = b.top(equations);
    let of_b = T::Real::of_f64(grid.largest(greatest(&grid, &given)));
    // Norms near the ends of the range are scaled away from them, in the caller's arrays.
    let of_a = scaled(&grid, &a, size);
    let of_b = scaled(&grid, &given, of_b);
    let factors = a.working(&grid, spread, tile, true);
    let sides = b.working(&grid, Spread::Columns, (m.max(n), width), true);
    let done = grid.on_flow(|flow| {
        let [matrix, sides] = [&factors, &sides].map(|matrix| matrix.lend(flow));
        let tau = TileMatrix::new(flow, (count, 1), (nb, 1), Storage::Full);
        gels(flow, trans, &matrix, &tau, &sides);
        let done = flow.wait();
        [tau, matrix, sides].into_iter().for_each(|matrix| matrix.unregister(flow));
        done.map_err(numerical)
    });
    factors.put_back(&grid);
    if done.is_ok() {
        sides.put_back(&grid);
        let unknowns = if trans.swaps() { m } else { n };
        // With c A in place of A, the solution is one c-th.
        b.top(unknowns).each_piece(&grid, |piece| {
            of_a.into_iter().for_each(|scaling| scaling.apply(piece));
            of_b.into_iter().for_each(|scaling| scaling.undo(piece));
        });
    }
    Ok(run::info(done))
}

/// The largest modulus of an entry that this process has; NaN if there is one.
fn greatest<T: Scalar>(grid: &Grid, a: &Distributed<T>) -> f64 {
    let mut found = 0.0;
    a.each_piece(grid, |piece| {
        let of_piece = largest(piece).to_f64();
        if of_piece > found || of_piece.is_nan() {
            found = of_piece;
        }
    });
    found
}

/// Scales a matrix, whose largest entry is `size`, if that is very small or very large.
fn scaled<T: Scalar>(grid: &Grid, a: &Distributed<T>, size: T::Real) -> Option<Scaling<T::Real>> {
    let scaling = Scaling::needed(size)?;
    a.each_piece(grid, |piece| scaling.apply(piece));
    Some(scaling)
}

/// The size of the workspace that ScaLAPACK asks for.
fn least(grid: &Grid, a: Layout, b: Layout) -> usize {
    let (m, n) = (a.rows.length, a.columns.length);
    let (row, column) = (grid.row(), grid.column());
    let [mp, nq] = [with_block(a.rows, row), with_block(a.columns, column)];
    let [of_b, sides] = [with_block(b.rows, row), with_block(b.columns, column)];
    let (along, block) = if m >= n { (a.columns, a.columns.block) } else { (a.rows, a.rows.block) };
    let process = if m >= n { column } else { row };
    let factors = Axis { length: m.min(n), ..along }.room(process);
    let factorisation = block * (mp + nq + block);
    let solve = (block * (block - 1) / 2).max((sides + of_b.max(nq)) * block) + block * block;
    factors + factorisation.max(solve)
}
