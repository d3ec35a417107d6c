//! The check by one block of threads.

use tegula_runtime::flow::{Failure, Launch};

use super::CheckDiagonal;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, Verdict, input};
use crate::error::NumericalError;
use crate::scalar::Scalar;

impl<T: Scalar> CheckDiagonal<T> {
    /// Puts the check on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, offset, .. } = self;
        let (a, verdict) = (input::<T>(launch, 0, m * n), Verdict::new(launch)?);
        let arguments = [
            Argument::<T>::size(m.min(n)),
            Argument::place(a),
            Argument::size(m),
            Argument::Place(verdict.address()),
        ];
        // SAFETY: the tile is `m x n`, and the verdict is on the device.
        unsafe { Program::run(launch, "find_zero", Grid::ONE_BLOCK, &arguments) }?;
        verdict
            .check(launch, move |index| NumericalError::SingularTriangle { index: index + offset })
    }
}
