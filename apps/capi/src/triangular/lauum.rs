//! `xLAUUM`: the product of a triangular matrix with its own adjoint.

use tegula_kernels::kernel::lauum::Lauum;
use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::UPLO;
use crate::run::{blas, in_tiles, is_small, product, tile};

export! {
    "`L^H L` in place of `L`, or `U U^H` in place of `U`."
    lauum(uplo: Letter, n: Int, a: Array, lda: Int) info
        as slauum_: f32, dlauum_: f64, clauum_: c32, zlauum_: c64;

    "The same as `xLAUUM`."
    lauum(uplo: Letter, n: Int, a: Array, lda: Int) info
        as slauu2_: f32, dlauu2_: f64, clauu2_: c32, zlauu2_: c64;
}

fn lauum<T: Scalar>(uplo: Letter, n: i32, a: Array<T>, lda: i32) -> Checked<i32> {
    let (uplo, n) = (uplo.of(1, UPLO)?, n.size(2)?);
    multiply(a.lower(uplo, n, lda.leading(4, n)?));
    Ok(0)
}

/// `L^H L` in place of the lower triangle `L`.
pub(crate) fn multiply<T: Scalar>(a: Matrix<T>) {
    let n = a.rows;
    if is_small::<T>(product([n, n, n]) / 6.0) {
        return Lauum::new(Uplo::Lower, n).compute(blas(), a.view_mut());
    }
    in_tiles([a.lower_in_tiles(tile(n))], |flow, [a]| linalg::lauum(flow, a))
        .expect("a product does not fail");
}
