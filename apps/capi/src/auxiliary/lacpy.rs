//! `xLACPY`: copies.

use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{count, part};
use crate::array::Array;
use crate::check::{Checked, Letter};
use crate::export::export;

export! {
    "`B = A`, or a triangle of it."
    lacpy(uplo: Letter, m: Int, n: Int, a: Input, lda: Int, b: Array, ldb: Int) nothing
        as slacpy_: f32, dlacpy_: f64, clacpy_: c32, zlacpy_: c64;
}

fn lacpy<T: Scalar>(
    uplo: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
) -> Checked<()> {
    let (m, n, part) = (count(m), count(n), part(uplo));
    if m == 0 {
        return Ok(());
    }
    for j in 0..n {
        let rows = part.rows(m, j);
        let from = a.after(j * count(lda) + rows.start).matrix(rows.len(), 1, m).view();
        let mut to = b.after(j * count(ldb) + rows.start).matrix(rows.len(), 1, m).view_mut();
        if let (Some(to), Some(from)) = (to.col_mut(0), from.col(0)) {
            to.copy_from_slice(from);
        }
    }
    Ok(())
}
