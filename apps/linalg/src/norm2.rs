//! The two-norm, the largest singular value, by power iteration.
//!
//! Golub, Van Loan, "Matrix computations", 4th edition, 7.3.1, on `A^H A`.

use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix, random_entry};

use crate::build::build;
use crate::elementwise::lascal;
use crate::gemm::gemm;
use crate::norm::lange;

/// The decision for one iteration more.
const ITERATION: char = 'i';
/// The decision that the norm is zero.
const ZERO: char = 'z';
/// What it [decides](Flow::decide).
pub(crate) const DECISIONS: &[(char, &str)] =
    &[(ITERATION, "an iteration after the first"), (ZERO, "the norm is zero")];

/// Seed of the vector that iterations start from.
const SEED: u64 = 0x2b99;

/// An estimate of the two-norm of `a` from below: iterations end when one changes it by no more
/// than `tolerance` relative, or after `most` of them. Waits for the tasks of each iteration.
///
/// The error may exceed the tolerance where the largest singular values lie close together. A NaN
/// makes the norm NaN.
///
/// # Errors
/// Those of the tasks that make the matrix.
///
/// # Panics
/// If the matrix is stored as a triangle.
pub fn norm2<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    tolerance: f64,
    most: usize,
) -> Result<T::Real, FlowError> {
    assert!(a.storage() == Storage::Full, "the two-norm needs the whole matrix");
    let x = TileMatrix::<T>::new(flow, (a.n(), 1), (a.nb(), 1), Storage::Full);
    let y = TileMatrix::<T>::new(flow, (a.m(), 1), (a.mb(), 1), Storage::Full);
    build(flow, &x, |i, j| random_entry(SEED, i, j));
    let estimate = iterate(flow, a, (&x, &y), tolerance, most);
    x.unregister(flow);
    y.unregister(flow);
    estimate
}

fn iterate<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    (x, y): (&TileMatrix<T>, &TileMatrix<T>),
    tolerance: f64,
    most: usize,
) -> Result<T::Real, FlowError> {
    let mut estimate = T::Real::ZERO;
    for _ in 0..most {
        let length = lange(flow, Norm::Frobenius, x)?;
        if flow.decide(ZERO, length == T::Real::ZERO) {
            return Ok(length);
        }
        lascal(flow, Part::Whole, T::from_real(T::Real::ONE / length), x);
        gemm(flow, (Trans::No, Trans::No), T::ONE, a, x, T::ZERO, y);
        let before = std::mem::replace(&mut estimate, lange(flow, Norm::Frobenius, y)?);
        let change = (estimate.to_f64() - before.to_f64()).abs();
        // Written so that a NaN ends it too.
        let goes_on = change > tolerance * estimate.to_f64();
        if !flow.decide(ITERATION, goes_on) {
            break;
        }
        gemm(flow, (Trans::Conj, Trans::No), T::ONE, a, y, T::ZERO, x);
    }
    Ok(estimate)
}
