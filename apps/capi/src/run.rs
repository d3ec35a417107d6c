//! Where a problem is solved: a small one by kernels on the calling thread, a large one in tiles on
//! the workers.

use tegula_kernels::backend::{self, Blas};
use tegula_kernels::error::NumericalError;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{column_width, tile_size};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use crate::array::Tiled;
use crate::process;

/// Whether everything is solved in tiles, which are tiny: for tests.
const IS_TINY: bool = cfg!(feature = "tiny-tiles");

/// Real operations from which on workers are worth waking.
const LARGE: f64 = if IS_TINY { 0.0 } else { 8e6 };

/// Whether a problem of this many products of numbers is solved on the calling thread.
pub(crate) fn is_small<T: Scalar>(products: f64) -> bool {
    products * if T::IS_COMPLEX { 8.0 } else { 2.0 } < LARGE
}

/// The product of sizes, as a number of operations.
pub(crate) fn product(sizes: [usize; 3]) -> f64 {
    sizes.into_iter().map(|size| size as f64).product()
}

/// The kernels' arithmetic.
pub(crate) fn blas<T: Scalar>() -> &'static dyn Blas<T> {
    T::blas(backend::current())
}

/// The order of tiles for a matrix of this order.
pub(crate) fn tile(order: usize) -> usize {
    if IS_TINY { 8 } else { tile_size(order, process::workers()) }
}

/// The width of the columns of blocks that an `m x n` matrix is factorised in.
pub(crate) fn panel(m: usize, n: usize) -> usize {
    if IS_TINY { 8 } else { column_width(m, n, process::workers()) }
}

/// The order of tiles for a matrix that is reduced to a band of that width.
pub(crate) const BAND_TILE: usize = if IS_TINY { 8 } else { 48 };

/// Runs what `submit` submits on `matrices`, in place.
///
/// # Errors
/// The first numerical failure.
///
/// # Panics
/// If it fails for another reason, such as memory.
pub(crate) fn in_tiles<T: Scalar, const N: usize>(
    matrices: [Tiled<T>; N],
    submit: impl FnOnce(&mut Flow, &[TileMatrix<T>; N]),
) -> Result<(), NumericalError> {
    process::on_flow(|flow| {
        let tiles = matrices.map(|matrix| matrix.lend(flow));
        submit(flow, &tiles);
        let outcome = flow.wait();
        tiles.into_iter().for_each(|tiles| tiles.unregister(flow));
        outcome.map_err(numerical)
    })
}

/// # Panics
/// If the failure is another one.
pub(crate) fn numerical(error: FlowError) -> NumericalError {
    error.kernel_error::<NumericalError>().copied().unwrap_or_else(|| panic!("{error}"))
}

/// LAPACK's `info` of an outcome.
pub(crate) fn info(outcome: Result<(), NumericalError>) -> i32 {
    let place = match outcome {
        Ok(()) => 0,
        Err(
            NumericalError::NotPositiveDefinite { order } | NumericalError::NoConvergence { order },
        ) => order,
        Err(
            NumericalError::Singular { index }
            | NumericalError::SingularPivot { index }
            | NumericalError::SingularTriangle { index }
            | NumericalError::NoLogDeterminant { index },
        ) => index,
    };
    place as i32
}
