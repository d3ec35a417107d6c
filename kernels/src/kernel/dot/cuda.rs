//! The sum by one block of threads, always in the same order.

use tegula_runtime::flow::{Failure, Launch};

use super::Dot;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Real> Dot<T> {
    /// Puts the sum on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (x, y) = (input::<T>(launch, 0, self.n), input::<T>(launch, 1, self.n));
        let sum = output::<f64>(launch, 2, 1);
        let arguments: [Argument<T>; 4] =
            [Argument::size(self.n), Argument::place(x), Argument::place(y), Argument::place(sum)];
        // SAFETY: the buffers have the sizes of the contract.
        unsafe { Program::run(launch, "dot", Grid::ONE_BLOCK, &arguments) }
    }
}
