//! The sum by one block of threads, always in the same order.

use tegula_runtime::flow::{Failure, Launch};

use super::LogDet;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, Verdict, input, output};
use crate::error::NumericalError;
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Real> LogDet<T> {
    /// Puts the sum on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { n, factor, offset, .. } = self;
        let (a, sum) = (input::<T>(launch, 0, n * n), output::<f64>(launch, 1, 1));
        let verdict = Verdict::new(launch)?;
        let arguments: [Argument<T>; 5] = [
            Argument::size(n),
            Argument::place(a),
            Argument::Double(factor),
            Argument::place(sum),
            Argument::Place(verdict.address()),
        ];
        // SAFETY: the buffers have the sizes of the contract, and the verdict is on the device.
        unsafe { Program::run(launch, "logdet", Grid::ONE_BLOCK, &arguments) }?;
        verdict
            .check(launch, move |index| NumericalError::NoLogDeterminant { index: index + offset })
    }
}
