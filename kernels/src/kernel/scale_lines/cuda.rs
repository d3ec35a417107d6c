//! The scaling, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::{Root, ScaleLines};
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> ScaleLines<T> {
    /// Puts the scaling on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, .. } = self;
        let (row, rows) = line::<T>(launch, 0, self.row, m);
        let (column, columns) = line::<T>(launch, 1, self.column, n);
        let a = Argument::place(output::<T>(launch, 2, m * n));
        let arguments = [Argument::size(m), Argument::size(n), row, rows, column, columns, a];
        // SAFETY: there are as many sums as lines where these are read, and the tile is `m x n`.
        unsafe { Program::run(launch, "scale_lines", Grid::matrix(m, n), &arguments) }
    }
}

/// A root, and the sums that it is of, if there is one.
fn line<T: Scalar>(
    launch: &Launch<'_>,
    index: usize,
    root: Root,
    count: usize,
) -> (Argument<T>, Argument<T>) {
    match root {
        Root::None => (Argument::Flag(0), Argument::Place(0)),
        Root::Square => (Argument::Flag(1), Argument::place(input::<T>(launch, index, count))),
        Root::Fourth => (Argument::Flag(2), Argument::place(input::<T>(launch, index, count))),
    }
}
