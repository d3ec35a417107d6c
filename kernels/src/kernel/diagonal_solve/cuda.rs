//! The solve, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::DiagonalSolve;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> DiagonalSolve<T> {
    /// Puts the solve on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, .. } = self;
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            Argument::<T>::place(input::<T>(launch, 0, m * m)),
            Argument::place(output::<T>(launch, 1, m * n)),
        ];
        // SAFETY: the tiles are `m x m` and `m x n`.
        unsafe { Program::run(launch, "diagonal_solve", Grid::matrix(m, n), &arguments) }
    }
}
