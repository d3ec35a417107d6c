//! Checks of results as LAPACK's testers make them: backward errors in units of rounding.

use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

/// Above this, LAPACK's testers say that a result is wrong.
pub const THRESHOLD: f64 = 60.0;

/// `||A x - b|| / ((||A|| ||x|| + ||b||) n eps)` in the infinity norm, for `A` given by `entry`.
///
/// Costs `n^2` operations and no copy of the matrix. For a factorisation, `b = A 1` solved with
/// the factors tests the whole of them.
#[must_use]
pub fn solve_residual<T: Real>(entry: impl Fn(usize, usize) -> f64, x: &[T], b: &[f64]) -> f64 {
    let n = x.len();
    assert_eq!(n, b.len(), "length of the solution and of the right-hand side");
    let (mut residual, mut norm_a) = (0.0f64, 0.0f64);
    for (i, b) in b.iter().enumerate() {
        let (mut sum, mut row) = (-b, 0.0);
        for (j, x) in x.iter().enumerate() {
            let a = entry(i, j);
            sum += a * x.to_f64();
            row += a.abs();
        }
        residual = residual.max(sum.abs());
        norm_a = norm_a.max(row);
    }
    let norm_x = x.iter().fold(0.0f64, |norm, x| norm.max(x.to_f64().abs()));
    let norm_b = b.iter().fold(0.0f64, |norm, b| norm.max(b.abs()));
    let scale = (norm_a * norm_x + norm_b) * n as f64 * T::EPSILON.to_f64();
    if scale > 0.0 { residual / scale } else { residual }
}

/// The matrix as a plain column-major array.
///
/// # Errors
/// Those of the tasks that make it.
pub fn gathered<T: Real>(flow: &mut Flow, a: &TileMatrix<T>) -> Result<Vec<T>, FlowError> {
    let mut array = vec![T::ZERO; a.m() * a.n()];
    a.gather(flow, &mut array, Order::ColumnMajor { ld: a.m().max(1) })?;
    Ok(array)
}
