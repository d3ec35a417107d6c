//! The filling, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::LasetTriangle;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, output, part_flag};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> LasetTriangle<T> {
    /// Puts the filling on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { uplo, m, n, off_diagonal, diagonal } = self;
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            part_flag(uplo.into()),
            Argument::number(off_diagonal),
            Argument::number(diagonal),
            Argument::place(output::<T>(launch, 0, m * n)),
        ];
        // SAFETY: the tile is `m x n`.
        unsafe { Program::run(launch, "laset_part", Grid::matrix(m, n), &arguments) }
    }
}
