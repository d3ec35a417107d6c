//! `PxGEMM`: the product of matrices.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{self as linalg, tile_size};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::matrix::{Spread, tile_of};
use crate::array::Array;
use crate::check::Letter;
use crate::export::export;
use crate::option::TRANS;
use crate::run::numerical;

export! {
    "`C = alpha op(A) op(B) + beta C`, of matrices over a grid of processes."
    pgemm(
        transa: Letter, transb: Letter, m: Int, n: Int, k: Int, alpha: Number, a: Input, ia: Int,
        ja: Int, desca: InputInts, b: Input, ib: Int, jb: Int, descb: InputInts, beta: Number,
        c: Array, ic: Int, jc: Int, descc: InputInts
    ) grid_nothing as psgemm_: f32, pdgemm_: f64, pcgemm_: c32, pzgemm_: c64;
}

#[expect(clippy::too_many_arguments, reason = "PBLAS's interface")]
fn pgemm<T: Scalar>(
    transa: Letter,
    transb: Letter,
    m: i32,
    n: i32,
    k: i32,
    alpha: T,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    b: Array<T>,
    ib: i32,
    jb: i32,
    descb: Array<i32>,
    beta: T,
    c: Array<T>,
    ic: i32,
    jc: i32,
    descc: Array<i32>,
) -> Outcome<()> {
    let a = Submatrix::new(a, [ia, ja], desca, 10).with_first_blocks();
    let b = Submatrix::new(b, [ib, jb], descb, 14).with_first_blocks();
    let c = Submatrix::new(c, [ic, jc], descc, 19).with_first_blocks();
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let (trans_a, trans_b) = (checks.letter(transa, 1, TRANS), checks.letter(transb, 2, TRANS));
    let (of_a, of_b) = (turned(trans_a, (m, 3), (k, 5)), turned(trans_b, (k, 5), (n, 4)));
    checks.matrix(&a, of_a.0, of_a.1);
    checks.matrix(&b, of_b.0, of_b.1);
    checks.matrix(&c, (m, 3), (n, 4));
    let [m, n, k] = [(m, 3), (n, 4), (k, 5)].map(|(size, number)| checks.size(size, number));
    checks.done()?;
    let is_empty = alpha == T::ZERO || k == 0;
    if m == 0 || n == 0 || is_empty && beta == T::ONE {
        return Ok(());
    }
    let c = c.of(&grid, m, n);
    if is_empty {
        c.scale(&grid, beta);
        return Ok(());
    }
    let (rows_a, columns_a) = trans_a.stored(m, k);
    let (rows_b, columns_b) = trans_b.stored(k, n);
    let (a, b) = (a.of(&grid, rows_a, columns_a), b.of(&grid, rows_b, columns_b));
    let (left, right) = (a.layout, b.layout);
    let (a_m, a_k) = turned(trans_a, left.rows, left.columns);
    let (b_k, b_n) = turned(trans_b, right.rows, right.columns);
    let workers = grid.all_workers();
    let mb = tile_of(&[c.layout.rows, a_m], tile_size(m, workers));
    let nb = tile_of(&[c.layout.columns, b_n], tile_size(n, workers));
    let kb = tile_of(&[a_k, b_k], tile_size(k, workers));
    let a = a.working(&grid, Spread::Grid, trans_a.stored(mb, kb), true);
    let b = b.working(&grid, Spread::Grid, trans_b.stored(kb, nb), true);
    let c = c.working(&grid, Spread::Grid, (mb, nb), beta != T::ZERO);
    let done = grid.on_flow(|flow| {
        let [a, b, c] = [&a, &b, &c].map(|matrix| matrix.lend(flow));
        linalg::gemm(flow, (trans_a, trans_b), alpha, &a, &b, beta, &c);
        let done = flow.wait();
        [a, b, c].into_iter().for_each(|matrix| matrix.unregister(flow));
        done.map_err(numerical)
    });
    done.expect("a product does not fail");
    c.put_back(&grid);
    Ok(())
}

/// Rows and columns of `op` of a matrix that has these.
fn turned<X>(trans: Trans, rows: X, columns: X) -> (X, X) {
    if trans.swaps() { (columns, rows) } else { (rows, columns) }
}
