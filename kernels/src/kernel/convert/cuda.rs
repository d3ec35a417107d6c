//! The conversion, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::Convert;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output, part_flag};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Convert<T> {
    /// Puts the conversion on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { part, m, n, .. } = self;
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            part_flag(part),
            Argument::<T>::place(input::<T>(launch, 0, m * n)),
            Argument::place(output::<T::Other>(launch, 1, m * n)),
        ];
        // SAFETY: both tiles are `m x n`, the second in the other precision.
        unsafe { Program::run(launch, "convert", Grid::matrix(m, n), &arguments) }
    }
}
