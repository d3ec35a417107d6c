//! `xGEQRF` and `xGELQF`: the QR and LQ factorisations.

use std::marker::PhantomData;

use tegula_kernels::kernel::geqrt::{self, Geqrt};
use tegula_kernels::option::Storev;
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg as linalg;

use super::{Reflectors, is_query};
use crate::array::Array;
use crate::check::{Checked, Integer};
use crate::export::export;
use crate::run::{blas, in_tiles, is_small};

export! {
    "`A = Q R`, with reflectors in place of `Q`."
    geqrf(m: Int, n: Int, a: Array, lda: Int, tau: Array, work: Array, lwork: Int) info
        as sgeqrf_: f32, dgeqrf_: f64, cgeqrf_: c32, zgeqrf_: c64;

    "`A = L Q`, with reflectors in place of `Q`."
    gelqf(m: Int, n: Int, a: Array, lda: Int, tau: Array, work: Array, lwork: Int) info
        as sgelqf_: f32, dgelqf_: f64, cgelqf_: c32, zgelqf_: c64;
}

fn geqrf<T: Scalar>(
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    tau: Array<T>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    run(Storev::Columns, (m, n), (a, lda), tau, (work, lwork))
}

fn gelqf<T: Scalar>(
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    tau: Array<T>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    run(Storev::Rows, (m, n), (a, lda), tau, (work, lwork))
}

fn run<T: Scalar>(
    storev: Storev,
    (m, n): (i32, i32),
    (a, lda): (Array<T>, i32),
    tau: Array<T>,
    (work, lwork): (Array<T>, i32),
) -> Checked<i32> {
    let (m, n) = (m.size(1)?, n.size(2)?);
    let a = a.matrix(m, n, lda.leading(4, m)?);
    let count = m.min(n);
    let least = if count == 0 { 1 } else { storev.stored(m, n).1 };
    if !is_query(7, work, lwork, least)? && count > 0 {
        factorise(Reflectors { storev, a, tau, count });
    }
    Ok(0)
}

/// Factorises the matrix.
pub(super) fn factorise<T: Scalar>(reflectors: Reflectors<T>) {
    let Reflectors { storev, a, .. } = reflectors;
    let (m, n) = reflectors.shape();
    if is_small::<T>(geqrt::flops(m, n) / 2.0) {
        let kernel = Geqrt { storev, m, n, offset: 0, scalar: PhantomData::<T> };
        return kernel.compute_factors(blas(), a.view_mut(), reflectors.factors().view_mut());
    }
    let (width, (mb, nb)) = reflectors.tiling();
    let matrices = [a.in_tiles(mb, nb), reflectors.factors().in_tiles(width, 1)];
    in_tiles(matrices, |flow, [a, tau]| match storev {
        Storev::Columns => linalg::geqrf(flow, a, tau),
        Storev::Rows => linalg::gelqf(flow, a, tau),
    })
    .expect("a factorisation by reflectors does not fail");
}
