//! Checks of matrix results in a number of operations that grows with the square of the order:
//! both sides of an equation are multiplied by a random vector of signs (Freivalds 1979).
//!
//! A residual is divided by the size of what was added up and by the unit of rounding, as LAPACK's
//! testers do, so that correct results stay below [`THRESHOLD`].

use tegula_data::matrix::{TileMatrix, random_entry};
use tegula_kernels::scalar::{Real, Scalar, c64};
use tegula_runtime::flow::{Flow, FlowError};

pub(super) use tegula_linalg::residual::THRESHOLD;

/// A vector with the sizes of the sums that made it.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// The values.
    pub(super) value: Vec<c64>,
    /// The same sums of absolute values.
    pub(super) size: Vec<f64>,
}

/// A number as a complex one of 64 bits, exactly.
pub(super) fn exact<T: Scalar>(number: T) -> c64 {
    c64::new(number.re().to_f64(), number.im().to_f64())
}

/// A vector of `n` random signs.
pub(super) fn signs(seed: u64, n: usize) -> Sum {
    let value = (0..n).map(|i| if random_entry::<f64>(!seed, i, n) < 0.0 { -1.0 } else { 1.0 });
    let value = value.map(c64::from_real).collect();
    Sum { value, size: vec![1.0; n] }
}

/// The product of the `m x n` matrix `entry` with `x`.
pub(super) fn multiply(m: usize, entry: impl Fn(usize, usize) -> c64, x: &Sum) -> Sum {
    let (mut value, mut size) = (vec![c64::ZERO; m], vec![0.0; m]);
    for (j, (x, x_size)) in x.value.iter().zip(&x.size).enumerate() {
        for i in 0..m {
            let entry = entry(i, j);
            value[i] += entry * x;
            size[i] += entry.size() * x_size;
        }
    }
    Sum { value, size }
}

/// The product of `matrix` with `x`.
///
/// # Errors
/// Those of the flow.
pub(super) fn multiply_tiles<T: Scalar>(
    flow: &mut Flow,
    matrix: &TileMatrix<T>,
    x: &Sum,
) -> Result<Sum, FlowError> {
    let (mut value, mut size) = (vec![c64::ZERO; matrix.m()], vec![0.0; matrix.m()]);
    for index in matrix.indices() {
        let (rows, first) = (matrix.tile_rows(index.row), index.row * matrix.mb());
        let tile = flow.read::<T>(matrix.tile(index.row, index.column))?;
        for (column, entries) in tile.chunks_exact(rows).enumerate() {
            let j = index.column * matrix.nb() + column;
            for (i, entry) in entries.iter().enumerate() {
                let entry = exact(*entry);
                value[first + i] += entry * x.value[j];
                size[first + i] += entry.size() * x.size[j];
            }
        }
    }
    Ok(Sum { value, size })
}

/// Largest component of `a - b`, over the largest size of what was added up, `n` and the unit of
/// rounding of `T`.
pub(super) fn difference<T: Scalar>(a: &Sum, b: &Sum, n: usize) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, f64::max);
    let pairs = || a.value.iter().zip(&b.value);
    if pairs().any(|(a, b)| !(a - b).is_finite()) {
        return f64::INFINITY;
    }
    let error = largest(&mut pairs().map(|(a, b)| (a - b).size()));
    let size = largest(&mut a.size.iter().zip(&b.size).map(|(a, b)| a + b));
    error / (size * n as f64 * T::epsilon()).max(f64::MIN_POSITIVE)
}

/// Backward error of `x`, `n` columns of solutions of `A X = B`: `A (X w)` against `B w`.
///
/// # Errors
/// Those of the flow.
pub(super) fn solve_residual<T: Scalar>(
    flow: &mut Flow,
    a: impl Fn(usize, usize) -> c64,
    x: &TileMatrix<T>,
    b: impl Fn(usize, usize) -> c64,
    seed: u64,
) -> Result<f64, FlowError> {
    let (m, w) = (x.m(), signs(seed, x.n()));
    let found = multiply(m, a, &multiply_tiles(flow, x, &w)?);
    Ok(difference::<T>(&found, &multiply(m, b, &w), m))
}
