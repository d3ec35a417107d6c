//! The centring, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::Centre;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output, part_flag};
use crate::kernel::line_sums::Term;
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Centre<T> {
    /// Puts the centring on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { part, term, m, n, alpha, factors } = self;
        // What has a factor of zero is not read, and need not be there.
        let sums = |index, factor: f64, count| match factor {
            0.0 => Argument::<T>::Place(0),
            _ => Argument::place(input::<T>(launch, index, count)),
        };
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            part_flag(part),
            Argument::Flag(i32::from(term == Term::Square)),
            Argument::number(alpha),
            Argument::Double(factors.row),
            sums(0, factors.row, m),
            Argument::Double(factors.column),
            sums(1, factors.column, n),
            Argument::Double(factors.all),
            sums(2, factors.all, 1),
            Argument::place(output::<T>(launch, 3, m * n)),
        ];
        // SAFETY: there are as many sums as lines where these are read, and the tile is `m x n`.
        unsafe { Program::run(launch, "centre", Grid::matrix(m, n), &arguments) }
    }
}
