//! `xLASWP`: exchanges of rows.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::count;
use crate::array::Array;
use crate::check::Checked;
use crate::export::export;

export! {
    "Rows `k1` to `k2` change places with the rows that `ipiv` says, one after the other."
    laswp(n: Int, a: Array, lda: Int, k1: Int, k2: Int, ipiv: InputInts, incx: Int) nothing
        as slaswp_: f32, dlaswp_: f64, claswp_: c32, zlaswp_: c64;
}

fn laswp<T: Scalar>(
    n: i32,
    a: Array<T>,
    lda: i32,
    k1: i32,
    k2: i32,
    ipiv: Array<i32>,
    incx: i32,
) -> Checked<()> {
    if incx == 0 || k2 < k1 {
        return Ok(());
    }
    let steps = count(k2 - k1 + 1);
    let stride = incx.unsigned_abs() as usize;
    // Row and entry of `ipiv` of a step; a negative stride goes from the last row to the first.
    let step = |at: usize| {
        let row = count(k1 - 1) + at;
        (row, count(k1 - 1) + at * stride)
    };
    for j in 0..count(n) {
        let column = a.after(j * count(lda));
        let exchange = |at: usize| {
            let (row, entry) = step(at);
            let other = count(ipiv.get(entry) - 1);
            let (upper, lower) = (column.get(row), column.get(other));
            column.set(row, lower);
            column.set(other, upper);
        };
        if incx > 0 {
            (0..steps).for_each(exchange);
        } else {
            (0..steps).rev().for_each(exchange);
        }
    }
    Ok(())
}
