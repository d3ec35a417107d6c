//! The shares: sums along lines as `line-sums` makes them, all else by one block of threads.

use tegula_runtime::flow::{Failure, Launch};

use super::{Norm, NormFold, NormShare};
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::kernel::line_sums::{Line, MODULI, structure_flags, sum};
use crate::scalar::{Real, Scalar};

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> NormShare<T> {
    /// Puts the share on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { norm, structure, m, n, .. } = self;
        let a = Argument::<T>::place(input::<T>(launch, 0, m * n));
        let share = Argument::place(output::<T::Real>(launch, 1, norm.share(m, n)));
        let line = |line| sum(launch, line, (structure, MODULI), (m, n), (a, share));
        let (rows, cols) = (Argument::size(m), Argument::size(n));
        let [kind, lower] = structure_flags(structure);
        match norm {
            Norm::One => line(Line::Column),
            Norm::Infinity => line(Line::Row),
            Norm::Max => {
                let arguments = [rows, cols, kind, lower, a, share];
                // SAFETY: the tile is `m x n`, and the share one number.
                unsafe { Program::run(launch, "norm_largest", Grid::ONE_BLOCK, &arguments) }
            }
            Norm::Frobenius => {
                let twice = Argument::Flag(i32::from(self.twice));
                let smallest = Argument::Double(T::Real::MIN_POSITIVE.to_f64());
                let arguments = [rows, cols, kind, lower, twice, smallest, a, share];
                // SAFETY: the tile is `m x n`, and the share two numbers.
                unsafe { Program::run(launch, "norm_squares", Grid::ONE_BLOCK, &arguments) }
            }
        }
    }
}

impl<T: Scalar> NormFold<T> {
    /// Puts the fold on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { norm, length, .. } = self;
        let share = Argument::<T>::place(input::<T::Real>(launch, 0, length));
        let result = Argument::place(output::<T::Real>(launch, 1, norm.share(1, 1)));
        if norm == Norm::Frobenius {
            assert!(length == 2, "a sum of squares is two numbers, not {length}");
            let arguments = [share, result];
            // SAFETY: both are two numbers.
            return unsafe {
                Program::run(launch, "norm_fold_squares", Grid::ONE_BLOCK, &arguments)
            };
        }
        let arguments = [Argument::size(length), share, result];
        // SAFETY: the share has so many numbers, the result one.
        unsafe { Program::run(launch, "norm_fold_largest", Grid::ONE_BLOCK, &arguments) }
    }
}
