//! The eigenproblem of a real tridiagonal matrix: by QR, of the crate faer, for eigenvalues alone, by
//! divide and conquer with eigenvectors.

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::{MatMut, Par};

use super::blocks::{Block, blocks};
use super::divide::{divide, scaled};
use crate::backend;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileMut;

/// The eigenvalues of the symmetric tridiagonal matrix with this diagonal and these entries below
/// it, in ascending order.
///
/// # Errors
/// [`NumericalError::NoConvergence`].
///
/// # Panics
/// If there are not as many entries below the diagonal as on it, less one.
pub fn eigenvalues<R: Real>(diagonal: &[R], below: &[R]) -> Result<Vec<R>, NumericalError> {
    let mut values = Vec::with_capacity(order(diagonal, below)?);
    for Block { first, diagonal, below, norm } in blocks(diagonal, below) {
        debug_assert_eq!(values.len(), first);
        let mut found = vec![0.0; diagonal.len()];
        values_of(&diagonal, &below, &mut found)?;
        values.extend(found.into_iter().map(|value| R::of_f64(value * norm)));
    }
    values.sort_unstable_by(|x, y| x.partial_cmp(y).unwrap_or(std::cmp::Ordering::Equal));
    Ok(values)
}

/// The eigenvalues as [`eigenvalues`], and the eigenvectors: the columns of an `n x n` matrix
/// without gaps.
///
/// # Errors
/// [`NumericalError::NoConvergence`].
///
/// # Panics
/// As [`eigenvalues`].
pub fn eigenvectors<R: Real>(
    diagonal: &[R],
    below: &[R],
) -> Result<(Vec<R>, Vec<R>), NumericalError> {
    let (mut values, below, norm) = scaled(diagonal, below)?;
    let n = values.len();
    let mut vectors = vec![R::ZERO; n * n];
    let blas = R::blas(backend::current());
    divide(blas, &mut values, &below, TileMut::new(&mut vectors, n, n))?;
    values.iter_mut().for_each(|value| *value *= norm);
    Ok((values, vectors))
}

/// The order of the matrix with this diagonal and these entries below it.
pub(super) fn order<R: Real>(diagonal: &[R], below: &[R]) -> Result<usize, NumericalError> {
    let (n, count) = (diagonal.len(), below.len());
    assert!(count == n.saturating_sub(1), "{count} entries below a diagonal of {n}");
    let finite = diagonal.iter().chain(below).all(|x| x.is_finite());
    if finite { Ok(n) } else { Err(NumericalError::NoConvergence { order: n }) }
}

/// Writes the eigenvalues to `values`, in any order.
fn values_of(diagonal: &[f64], below: &[f64], values: &mut [f64]) -> Result<(), NumericalError> {
    solve(diagonal, below, values, None)
}

/// Writes the eigenvalues to `values` in ascending order, and the eigenvectors to `vectors`.
pub(super) fn vectors_of(
    diagonal: &[f64],
    below: &[f64],
    values: &mut [f64],
    vectors: &mut [f64],
) -> Result<(), NumericalError> {
    let n = diagonal.len();
    solve(diagonal, below, values, Some(MatMut::from_column_major_slice_mut(vectors, n, n)))
}

fn solve(
    diagonal: &[f64],
    below: &[f64],
    values: &mut [f64],
    vectors: Option<MatMut<'_, f64>>,
) -> Result<(), NumericalError> {
    let n = diagonal.len();
    if n == 0 {
        return Ok(());
    }
    // As many entries as on the diagonal are asked for; the last one is not read.
    let padded: Vec<f64> = below.iter().copied().chain([0.0]).collect();
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let (par, parameters) = (Par::Seq, Default::default());
    let room = self_adjoint_evd_scratch::<f64>(n, wanted, par, parameters);
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(diagonal),
        DiagRef::from_slice(&padded),
        DiagMut::from_slice_mut(values),
        vectors,
        par,
        MemStack::new(&mut MemBuffer::new(room)),
        parameters,
    )
    .map_err(|_| NumericalError::NoConvergence { order: n })
}
