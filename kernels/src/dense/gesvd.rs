//! The singular value decomposition of a small matrix: LAPACK's `gesdd`.

use super::bidiagonalise::{Bidiagonal, bidiagonalise};
use super::qr::factorise;
use super::{Matrix, largest, multiply, scale_of};
use crate::backend::{self, Blas};
use crate::bidiagonal::{Decomposition, singular_vectors};
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileRef;

/// A thin singular value decomposition `A = U diag(values) V'`.
#[derive(Clone, Debug)]
pub struct Svd<R> {
    /// Left vectors, `m x min(m, n)`: columns of norm one and orthogonal.
    pub u: Matrix<R>,
    /// The singular values, in descending order and not negative.
    pub values: Vec<R>,
    /// Right vectors, `n x min(m, n)`, as the left ones.
    pub v: Matrix<R>,
}

/// Rows for each column from which on a QR factorisation comes first (Chan, "An improved algorithm
/// for computing the singular value decomposition", ACM TOMS 8, 1982).
const TALL: f64 = 1.2;

/// The singular values of `a` (`m x n`) and the vectors.
///
/// By reduction to bidiagonal form and divide and conquer, after a QR factorisation if there are
/// many more rows than columns or the other way round: residuals are of the order of the rounding
/// of the norm, and the vectors orthogonal to rounding. Norms so small or large that squares might
/// leave the range are scaled as in LAPACK. Takes room for two matrices as large as `a`, and six
/// square ones of the shorter side.
///
/// # Errors
/// [`NumericalError::NoConvergence`], also if an entry is not finite.
// Compiled once: crates above call what is made here.
#[inline(never)]
pub fn gesvd<R: Real>(a: TileRef<'_, R>) -> Result<Svd<R>, NumericalError> {
    let (m, n) = (a.rows(), a.cols());
    if m < n {
        let Svd { u, values, v } = gesvd(a.transposed())?;
        return Ok(Svd { u: v, values, v: u });
    }
    let mut work = Matrix::of(a);
    let scale = scale_of(largest(n, work.entries().iter().copied())?);
    if scale != R::ONE {
        work.view_mut().scale(scale);
    }
    let blas = R::blas(backend::current());
    let (u, mut values, v) = if m as f64 > TALL * n as f64 {
        let tau = factorise(blas, &mut work);
        let r = |i, j| if i <= j { work[(i, j)] } else { R::ZERO };
        let (inside, values, v) = decompose(blas, Matrix::from_fn(n, n, r))?;
        let mut u = Matrix::zeros(m, n);
        u.view_mut().part(0, 0, n, n).copy_from(inside.view());
        multiply(blas, work.view(), &tau, u.view_mut());
        (u, values, v)
    } else {
        decompose(blas, work)?
    };
    values.iter_mut().for_each(|value| *value /= scale);
    Ok(Svd { u, values, v })
}

/// `U`, the values and `V` of a matrix with at least as many rows as columns.
#[expect(clippy::type_complexity, reason = "the three factors")]
fn decompose<R: Real>(
    blas: &dyn Blas<R>,
    mut a: Matrix<R>,
) -> Result<(Matrix<R>, Vec<R>, Matrix<R>), NumericalError> {
    let (m, n) = (a.rows(), a.cols());
    let Bidiagonal { diagonal, above, left, right } = bidiagonalise(blas, &mut a);
    let found = singular_vectors(&diagonal, &above)?;
    let Decomposition { values, left: inside, right: v } = found;
    let mut u = Matrix::zeros(m, n);
    u.view_mut().part(0, 0, n, n).copy_from(TileRef::new(&inside, n, n));
    multiply(blas, a.view(), &left, u.view_mut());
    let mut v = Matrix::of_columns(v, n, n);
    if n > 1 {
        let rows = a.view().part(0, 1, n - 1, n - 1).transposed();
        multiply(blas, rows, &right, v.view_mut().part(1, 0, n - 1, n));
    }
    Ok((u, values, v))
}
