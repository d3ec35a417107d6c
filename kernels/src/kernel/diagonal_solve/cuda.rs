//! The solve, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::DiagonalSolve;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> DiagonalSolve<T> {
    /// Puts the solve on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, .. } = self;
        let (d, b) = (Block::<T>::input(launch, 0, m, m), Block::output(launch, 1, m, n));
        divide_rows_on(launch, d, b)
    }
}

/// Puts `B = inv(D) B` on the stream, with the diagonal of the tile `d`; both are whole tiles.
///
/// # Panics
/// If the shapes do not agree.
#[allow(unsafe_code)]
pub(in crate::kernel) fn divide_rows_on<T: Scalar>(
    launch: &Launch<'_>,
    d: Block<T>,
    b: Block<T>,
) -> Result<(), Failure> {
    let (m, n) = (b.rows(), b.cols());
    let fits = (d.rows(), d.cols(), d.stride(), b.stride()) == (m, m, m, m);
    assert!(fits, "{d:?} beside {b:?}");
    let arguments = [Argument::size(m), Argument::size(n), d.place(), b.place()];
    // SAFETY: the tiles are `m x m` and `m x n`.
    unsafe { Program::run(launch, "diagonal_solve", Grid::matrix(m, n), &arguments) }
}
