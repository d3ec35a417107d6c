//! The filling, an entry for each thread at a time.

use tegula_runtime::flow::{Failure, Launch};

use super::Laset;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, output};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Laset<T> {
    /// Puts the filling on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.fill(launch, output::<T>(launch, 0, self.m * self.n))
    }

    /// Fills the tile at `a` on the device.
    #[allow(unsafe_code)]
    pub(in crate::kernel) fn fill(&self, launch: &Launch<'_>, a: *mut T) -> Result<(), Failure> {
        let &Self { m, n, off_diagonal, diagonal } = self;
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            Argument::number(off_diagonal),
            Argument::number(diagonal),
            Argument::place(a),
        ];
        // SAFETY: the tile is `m x n`.
        unsafe { Program::run(launch, "laset", Grid::over(m * n), &arguments) }
    }
}
