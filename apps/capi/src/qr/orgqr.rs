//! `xORGQR` and `xORGLQ`, in complex precisions `xUNGQR` and `xUNGLQ`: the orthogonal factor.

use std::marker::PhantomData;

use tegula_kernels::kernel::{larft::Larft, ungqr::Ungqr};
use tegula_kernels::option::Storev;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_linalg as linalg;

use super::{Reflectors, is_query};
use crate::array::Array;
use crate::check::{Checked, Integer, require};
use crate::export::export;
use crate::run::{blas, in_tiles, is_small, product};

export! {
    "The first `n` columns of the `Q` whose reflectors `xGEQRF` has left."
    orgqr(m: Int, n: Int, k: Int, a: Array, lda: Int, tau: Input, work: Array, lwork: Int) info
        as sorgqr_: f32, dorgqr_: f64, cungqr_: c32, zungqr_: c64;

    "The first `m` rows of the `Q` whose reflectors `xGELQF` has left."
    orglq(m: Int, n: Int, k: Int, a: Array, lda: Int, tau: Input, work: Array, lwork: Int) info
        as sorglq_: f32, dorglq_: f64, cunglq_: c32, zunglq_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn orgqr<T: Scalar>(
    m: i32,
    n: i32,
    k: i32,
    a: Array<T>,
    lda: i32,
    tau: Array<T>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    let m = m.size(1)?;
    let n = n.size(2)?;
    require(2, n <= m)?;
    let count = k.size(3)?;
    require(3, count <= n)?;
    let a = a.matrix(m, n, lda.leading(5, m)?);
    if !is_query(8, work, lwork, n)? && n > 0 {
        form(Reflectors { storev: Storev::Columns, a, tau, count });
    }
    Ok(0)
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn orglq<T: Scalar>(
    m: i32,
    n: i32,
    k: i32,
    a: Array<T>,
    lda: i32,
    tau: Array<T>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    let m = m.size(1)?;
    let n = n.size(2)?;
    require(2, n >= m)?;
    let count = k.size(3)?;
    require(3, count <= m)?;
    let a = a.matrix(m, n, lda.leading(5, m)?);
    if !is_query(8, work, lwork, m)? && m > 0 {
        form(Reflectors { storev: Storev::Rows, a, tau, count });
    }
    Ok(0)
}

/// Multiplies the reflectors out, in place.
fn form<T: Scalar>(reflectors: Reflectors<T>) {
    let Reflectors { storev, a, count, .. } = reflectors;
    let (m, n) = reflectors.shape();
    if count == 0 || is_small::<T>(2.0 * product([m, n, count])) {
        let (scalar, offset, k) = (PhantomData::<T>, 0, count);
        let mut triangle = vec![T::ZERO; k * k];
        let larft = Larft { storev, m, n, k, offset, scalar };
        let tau = reflectors.factors().view();
        larft.compute(blas(), a.view(), tau, TileMut::new(&mut triangle, k, k));
        let ungqr = Ungqr { storev, m, n, k, offset, scalar };
        return ungqr.compute(blas(), a.view_mut(), TileRef::new(&triangle, k, k));
    }
    let (width, (mb, nb)) = reflectors.tiling();
    let matrices = [a.in_tiles(mb, nb), reflectors.factors().in_tiles(width, 1)];
    in_tiles(matrices, |flow, [a, tau]| match storev {
        Storev::Columns => linalg::orgqr(flow, a, tau),
        Storev::Rows => linalg::orglq(flow, a, tau),
    })
    .expect("a product of reflectors does not fail");
}
