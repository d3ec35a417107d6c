//! The singular values, and vectors, of a real upper bidiagonal matrix.

use super::divide::{divide, scale};
use super::iterate::{Nothing, iterate};
use crate::backend;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileMut;

/// Singular values with their vectors.
#[derive(Clone, Debug)]
pub struct Decomposition<R> {
    /// In descending order.
    pub values: Vec<R>,
    /// Left vectors: the columns of an `n x n` matrix without gaps.
    pub left: Vec<R>,
    /// Right vectors, as the left ones.
    pub right: Vec<R>,
}

/// The singular values of the upper bidiagonal matrix with this diagonal and these entries above
/// it, in descending order, each to nearly full relative accuracy: by QR iterations.
///
/// # Errors
/// [`NumericalError::NoConvergence`].
///
/// # Panics
/// If there are not as many entries above the diagonal as on it, less one.
pub fn singular_values<R: Real>(diagonal: &[R], above: &[R]) -> Result<Vec<R>, NumericalError> {
    let (mut d, mut e) = checked(diagonal, above)?;
    let norm = scale(&mut d, &mut e);
    iterate(&mut d, &mut e, &mut Nothing)?;
    d.iter_mut().for_each(|d| *d = d.abs() * norm);
    d.sort_unstable_by(|x, y| descending(*x, *y));
    Ok(d)
}

/// The singular values and the vectors: by divide and conquer, values to rounding of the largest.
///
/// # Errors
/// [`NumericalError::NoConvergence`].
///
/// # Panics
/// As [`singular_values`].
// Compiled once: crates above call what is made here.
#[inline(never)]
pub fn singular_vectors<R: Real>(
    diagonal: &[R],
    above: &[R],
) -> Result<Decomposition<R>, NumericalError> {
    let (mut d, mut e) = checked(diagonal, above)?;
    let n = d.len();
    if n == 0 {
        return Ok(Decomposition { values: d, left: Vec::new(), right: Vec::new() });
    }
    let norm = scale(&mut d, &mut e);
    let (mut u, mut v) = (vec![R::ZERO; n * n], vec![R::ZERO; n * n]);
    let blas = R::blas(backend::current());
    divide(blas, &mut d, &mut e, TileMut::new(&mut u, n, n), TileMut::new(&mut v, n, n))?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| descending(d[i], d[j]));
    let sorted = |x: &[R]| order.iter().flat_map(|&j| &x[j * n..][..n]).copied().collect();
    let values = order.iter().map(|&j| d[j] * norm).collect();
    Ok(Decomposition { values, left: sorted(&u), right: sorted(&v) })
}

fn descending<R: Real>(x: R, y: R) -> std::cmp::Ordering {
    y.partial_cmp(&x).unwrap_or(std::cmp::Ordering::Equal)
}

/// Copies, of finite numbers.
fn checked<R: Real>(diagonal: &[R], above: &[R]) -> Result<(Vec<R>, Vec<R>), NumericalError> {
    let (n, count) = (diagonal.len(), above.len());
    assert!(count == n.saturating_sub(1), "{count} entries above a diagonal of {n}");
    if !diagonal.iter().chain(above).all(|x| x.is_finite()) {
        return Err(NumericalError::NoConvergence { order: n });
    }
    Ok((diagonal.to_vec(), above.to_vec()))
}
