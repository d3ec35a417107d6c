//! Noise, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::{AddNoise, TimesNoise};
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Real> AddNoise<T> {
    /// Puts the sum on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let m = self.m;
        let arguments = [
            Argument::<T>::size(m),
            Argument::place(input::<f64>(launch, 0, m)),
            Argument::place(output::<T>(launch, 1, m * m)),
        ];
        // SAFETY: there are `m` numbers, and the tile is of order `m`.
        unsafe { Program::run(launch, "add_noise", Grid::over(m), &arguments) }
    }
}

impl<T: Real> TimesNoise<T> {
    /// Puts the sum on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, columns, skip_x, skip_y, alpha, .. } = self;
        let noise = input::<f64>(launch, 0, m);
        let ((x, in_x), (y, in_y)) = (launch.read::<T>(1), launch.write::<T>(2));
        let fits = (skip_x + columns) * m <= in_x && (skip_y + columns) * m <= in_y;
        assert!(fits, "{in_x} and {in_y} numbers for {self:?}");
        let arguments = [
            Argument::<T>::size(m),
            Argument::size(columns),
            Argument::Double(alpha),
            Argument::place(noise),
            Argument::place(x.wrapping_add(skip_x * m)),
            Argument::place(y.wrapping_add(skip_y * m)),
        ];
        // SAFETY: there are so many columns of `m` numbers from these places on.
        unsafe { Program::run(launch, "times_noise", Grid::matrix(m, columns), &arguments) }
    }
}
