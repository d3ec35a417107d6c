//! `xGETRF`: LU factorisation with partial pivoting.

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{self as linalg, Pivots};

use crate::array::{Array, Matrix};
use crate::check::{Checked, Integer};
use crate::export::export;
use crate::process;
use crate::run::{blas, is_small, panel, product};

export! {
    "`A = P L U`, with exchanges of rows."
    getrf(m: Int, n: Int, a: Array, lda: Int, ipiv: Ints) info
        as sgetrf_: f32, dgetrf_: f64, cgetrf_: c32, zgetrf_: c64;

    "The same as `xGETRF`."
    getrf(m: Int, n: Int, a: Array, lda: Int, ipiv: Ints) info
        as sgetrf2_: f32, dgetrf2_: f64, cgetrf2_: c32, zgetrf2_: c64;

    "The same as `xGETRF`."
    getrf(m: Int, n: Int, a: Array, lda: Int, ipiv: Ints) info
        as sgetf2_: f32, dgetf2_: f64, cgetf2_: c32, zgetf2_: c64;
}

fn getrf<T: Scalar>(m: i32, n: i32, a: Array<T>, lda: i32, ipiv: Array<i32>) -> Checked<i32> {
    let (m, n) = (m.size(1)?, n.size(2)?);
    let a = a.matrix(m, n, lda.leading(4, m)?);
    Ok(factorise(a, ipiv))
}

/// Factorises; answers the first step, from 1, that found only zeros, or 0. Step `i` exchanged rows
/// `i` and `ipiv(i)`, from 1.
pub(crate) fn factorise<T: Scalar>(a: Matrix<T>, ipiv: Array<i32>) -> i32 {
    let steps = a.rows.min(a.cols);
    if steps == 0 {
        return 0;
    }
    let rows: &mut [u32] = bytemuck::cast_slice_mut(ipiv.slice(steps));
    let singular = if is_small::<T>(product([a.rows, a.cols, steps]) / 2.0) {
        blas().getrf_pivoting(a.view_mut(), rows).map(|step| step + 1)
    } else {
        in_columns(a, rows)
    };
    rows.iter_mut().for_each(|row| *row += 1);
    singular.map_or(0, |step| step as i32)
}

/// Factorises in columns of blocks.
fn in_columns<T: Scalar>(a: Matrix<T>, rows: &mut [u32]) -> Option<usize> {
    process::on_flow(|flow| {
        let tiles = a.in_tiles(a.rows, panel(a.rows, a.cols)).lend(flow);
        let pivots = Pivots::new(flow, &tiles);
        linalg::getrf(flow, &tiles, &pivots);
        let found = pivots.rows(flow).unwrap_or_else(|error| panic!("{error}"));
        rows.copy_from_slice(&found);
        let singular = pivots.singular(flow).unwrap_or_else(|error| panic!("{error}"));
        pivots.unregister(flow);
        tiles.unregister(flow);
        singular.map(|error| crate::run::info(Err(error)) as usize)
    })
}
