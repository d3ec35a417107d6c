//! The sums, a block of threads for each column, always in the same order.

use tegula_runtime::flow::{Failure, Launch};

use super::ColumnSquares;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Real> ColumnSquares<T> {
    /// Puts the sums on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, .. } = self;
        let (a, sums) = (input::<T>(launch, 0, m * n), output::<T>(launch, 1, n));
        if n == 0 {
            return Ok(());
        }
        let arguments = [Argument::<T>::size(m), Argument::place(a), Argument::place(sums)];
        // SAFETY: the buffers have the sizes of the contract, and there is a block per column.
        unsafe { Program::run(launch, "column_squares", Grid::block_each(n), &arguments) }
    }
}
