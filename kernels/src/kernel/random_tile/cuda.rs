//! The entries, some for each thread, with the bits that a core makes.

use tegula_runtime::flow::{Failure, Launch};

use super::{IMAGINARY, RandomTile};
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, output, part_flag};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> RandomTile<T> {
    /// Puts the making of the tile on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (m, n) = self.size();
        let arguments = [
            Argument::<T>::size(m),
            Argument::size(n),
            Argument::size(self.first.0 as usize),
            Argument::size(self.first.1 as usize),
            part_flag(self.part),
            Argument::Flag(i32::from(self.is_hermitian)),
            Argument::Double(f64::from(self.weight)),
            Argument::Size(self.seed),
            Argument::Size(self.seed ^ IMAGINARY),
            Argument::place(output::<T>(launch, 0, m * n)),
        ];
        // SAFETY: the tile is `m x n`.
        unsafe { Program::run(launch, "random_tile", Grid::matrix(m, n), &arguments) }
    }
}
