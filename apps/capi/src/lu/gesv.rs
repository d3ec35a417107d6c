//! `xGESV`: solves with a general matrix.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Scalar, c32, c64};

use super::{getrf, getrs};
use crate::array::Array;
use crate::check::{Checked, Integer};
use crate::export::export;

export! {
    "`B = inv(A) B`, with a general matrix `A`, which is factorised."
    gesv(n: Int, nrhs: Int, a: Array, lda: Int, ipiv: Ints, b: Array, ldb: Int) info
        as sgesv_: f32, dgesv_: f64, cgesv_: c32, zgesv_: c64;
}

fn gesv<T: Scalar>(
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    ipiv: Array<i32>,
    b: Array<T>,
    ldb: i32,
) -> Checked<i32> {
    let (n, nrhs) = (n.size(1)?, nrhs.size(2)?);
    let a = a.matrix(n, n, lda.leading(4, n)?);
    let b = b.matrix(n, nrhs, ldb.leading(7, n)?);
    let singular = getrf::factorise(a, ipiv);
    if singular == 0 {
        getrs::solve(Trans::No, a, ipiv, b);
    }
    Ok(singular)
}
