//! `xLASET`: constants.

use tegula_kernels::option::Part;
use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{count, part};
use crate::array::Array;
use crate::check::{Checked, Letter};
use crate::export::export;

export! {
    "`alpha` outside the diagonal, or in a triangle without it, and `beta` on it."
    laset(uplo: Letter, m: Int, n: Int, alpha: Number, beta: Number, a: Array, lda: Int) nothing
        as slaset_: f32, dlaset_: f64, claset_: c32, zlaset_: c64;
}

fn laset<T: Scalar>(
    uplo: Letter,
    m: i32,
    n: i32,
    alpha: T,
    beta: T,
    a: Array<T>,
    lda: i32,
) -> Checked<()> {
    let (m, n) = (count(m), count(n));
    let part: Part = part(uplo);
    for j in 0..n {
        let column = a.after(j * count(lda));
        let rows = part.rows(m, j);
        column.after(rows.start).slice(rows.len()).fill(alpha);
        if j < m {
            column.set(j, beta);
        }
    }
    Ok(())
}
