//! LAPACK's routines for singular values and vectors.

pub mod gesdd;
pub mod gesvd;

use tegula_kernels::scalar::{Real, Scalar};
use tegula_linalg::{GesvdError, Vectors};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use crate::array::{Array, Matrix};
use crate::export::Export;
use crate::process;
use crate::run::BAND_TILE;

/// Which vectors are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    All,
    /// As many as there are values.
    Some,
    /// The same; those of one side in place of the matrix.
    Overwrite,
    None,
}

const JOBS: &[(u8, Job)] =
    &[(b'A', Job::All), (b'S', Job::Some), (b'O', Job::Overwrite), (b'N', Job::None)];

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] = &[gesvd::EXPORTS, gesdd::EXPORTS];

/// Why there are no singular values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    /// An entry of the matrix is NaN.
    Nan,
    /// The iteration has not ended, or an entry is infinite.
    NoConvergence,
}

/// Where vectors go: as many as the place has columns (`U`) or rows (`V^H`).
#[derive(Clone, Copy)]
struct Wanted<T> {
    u: Option<Matrix<T>>,
    vh: Option<Matrix<T>>,
}

impl<T: Scalar> Wanted<T> {
    /// As many as all that are wanted ask for.
    fn vectors(&self, least: usize) -> Vectors {
        let counts = [self.u.map(|u| u.cols), self.vh.map(|vh| vh.rows)];
        match counts.into_iter().flatten().max() {
            None => Vectors::None,
            Some(most) if most > least => Vectors::Full,
            Some(_) => Vectors::Thin,
        }
    }
}

/// The singular values of `a` in `values`, in descending order, and the vectors where they are
/// wanted, which may be in place of `a`.
fn solve<T: Scalar>(a: Matrix<T>, values: Array<T::Real>, wanted: Wanted<T>) -> Result<(), Failed> {
    let least = a.rows.min(a.cols);
    let values = values.slice(least);
    let outcome = process::on_flow(|flow| {
        let nb = BAND_TILE;
        let tiles = a.in_tiles(nb, nb).lend(flow);
        let found = tegula_linalg::gesvd(flow, &tiles, wanted.vectors(least));
        tiles.unregister(flow);
        let found = found?;
        values.copy_from_slice(&found.values);
        put(flow, found.u, wanted.u)?;
        put(flow, found.vh, wanted.vh)?;
        Ok(())
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(GesvdError::Flow(error)) => panic!("{error}"),
        Err(error) => {
            values.fill(T::Real::NAN);
            let is_nan = matches!(error, GesvdError::NotFinite) && has_nan(a);
            Err(if is_nan { Failed::Nan } else { Failed::NoConvergence })
        }
    }
}

/// Copies the vectors that are wanted out of those that were found, which are given back.
fn put<T: Scalar>(
    flow: &mut Flow,
    found: Option<TileMatrix<T>>,
    wanted: Option<Matrix<T>>,
) -> Result<(), FlowError> {
    let Some(found) = found else { return Ok(()) };
    if let Some(to) = wanted {
        let (m, n) = (found.m(), found.n());
        if (m, n) == (to.rows, to.cols) {
            to.gather(flow, &found)?;
        } else {
            let mut room = vec![T::ZERO; m * n];
            let all = Array::of(&mut room).matrix(m, n, m);
            all.gather(flow, &found)?;
            to.view_mut().copy_from(all.corner(to.rows, to.cols).view());
        }
    }
    found.unregister(flow);
    Ok(())
}

fn has_nan<T: Scalar>(a: Matrix<T>) -> bool {
    let entries = a.view();
    let is_nan = |x: T| x.re().is_nan() || x.im().is_nan();
    (0..a.cols).any(|j| (0..a.rows).any(|i| is_nan(entries.at(i, j))))
}
