//! The eigenproblem of a small symmetric matrix: LAPACK's `syevd`.

use super::{Matrix, largest, multiply, scale_of};
use crate::backend;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileRef;
use crate::tridiagonal::direct::{Tridiagonal, tridiagonalise};
use crate::tridiagonal::eigenvectors;

/// Eigenvalues with their vectors.
#[derive(Clone, Debug)]
pub struct Eigen<R> {
    /// In ascending order.
    pub values: Vec<R>,
    /// Of norm one and orthogonal, in the order of their values: the columns of an `n x n` matrix.
    pub vectors: Matrix<R>,
}

/// The eigenvalues and vectors of the symmetric matrix whose lower triangle `a` holds.
///
/// By reduction to tridiagonal form and divide and conquer: residuals are of the order of the
/// rounding of the norm, and the vectors orthogonal to rounding. Norms so small or large that
/// squares might leave the range are scaled as in LAPACK. Takes room for four matrices.
///
/// # Errors
/// [`NumericalError::NoConvergence`], also if an entry is not finite.
///
/// # Panics
/// If the matrix is not square.
// Compiled once: crates above call what is made here.
#[inline(never)]
pub fn syev<R: Real>(a: TileRef<'_, R>) -> Result<Eigen<R>, NumericalError> {
    let n = a.rows();
    assert!(a.cols() == n, "a symmetric matrix of {n} x {}", a.cols());
    let places = (0..n).flat_map(|j| (j..n).map(move |i| (i, j)));
    let scale = scale_of(largest(n, places.map(|(i, j)| a.at(i, j)))?);
    let lower = Matrix::from_fn(n, n, |i, j| if i < j { R::ZERO } else { a.at(i, j) * scale });
    let Tridiagonal { diagonal, below, reflectors, tau } = tridiagonalise(lower.view());
    let (mut values, vectors) = eigenvectors(&diagonal, &below)?;
    let mut vectors = Matrix::of_columns(vectors, n, n);
    if n > 1 {
        let v = TileRef::with_ld(&reflectors[1..], n - 1, n - 1, n);
        let blas = R::blas(backend::current());
        multiply(blas, v, &tau, vectors.view_mut().part(1, 0, n - 1, n));
    }
    values.iter_mut().for_each(|value| *value /= scale);
    Ok(Eigen { values, vectors })
}
