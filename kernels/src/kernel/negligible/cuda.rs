//! The comparison, some sums for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::Negligible;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Negligible<T> {
    /// Puts the comparison on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { n, part, .. } = self;
        let arguments = [
            Argument::size(n),
            Argument::Double(part),
            Argument::<T>::place(input::<T>(launch, 0, n)),
            Argument::place(output::<T>(launch, 1, n)),
        ];
        // SAFETY: there are `n` sums of each.
        unsafe { Program::run(launch, "negligible", Grid::over(n), &arguments) }
    }
}
