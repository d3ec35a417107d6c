//! The eigenproblem of a real tridiagonal matrix: by QL iterations for eigenvalues alone, by divide
//! and conquer with eigenvectors.

use super::blocks::{Block, blocks};
use super::divide::{divide, scaled};
use super::iterate::iterate;
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
    for Block { first, mut diagonal, mut below, norm } in blocks(diagonal, below) {
        debug_assert_eq!(values.len(), first);
        iterate(&mut diagonal, &mut below, &mut [])?;
        values.extend(diagonal.into_iter().map(|value| R::of_f64(value * norm)));
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
