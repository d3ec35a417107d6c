//! Tiles of random matrices, made on the device: a matrix to be factorised there need not be sent.

use tegula_runtime::flow::{Failure, Launch};

use super::device_code::Argument;
use super::{Grid, Program, output};
use crate::option::Uplo;
use crate::scalar::Scalar;

/// The device's side.
pub(super) const SOURCE: &str = include_str!("random.cu");

/// What of a random matrix is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// All.
    Full,
    /// A triangle.
    Triangle(Uplo),
    /// Nothing: every entry is not a number.
    Nothing,
}

/// A tile of a random matrix, each entry of which is known from its position alone.
#[derive(Clone, Copy, Debug)]
pub struct RandomTile {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Row and column at which its first entry is stored.
    pub first: (usize, usize),
    /// Rows and columns of the blocks on the diagonal, if only they are stored, side by side.
    pub blocks: Option<(usize, usize)>,
    /// Seeds of real and imaginary parts.
    pub seeds: (u64, u64),
    /// What is added to the diagonal.
    pub heavy: f64,
    /// Whether the matrix is Hermitian.
    pub is_hermitian: bool,
    /// What is there.
    pub held: Held,
}

impl RandomTile {
    /// Puts the making of the tile, which is buffer `index`, on the stream.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Panics
    /// If the buffer is of another size.
    #[allow(unsafe_code)]
    pub fn launch<T: Scalar>(&self, launch: &Launch<'_>, index: usize) -> Result<(), Failure> {
        let ((m, n), (row, column)) = (self.shape, self.first);
        let (block_rows, block_columns) = self.blocks.unwrap_or((0, 0));
        let held = match self.held {
            Held::Full => 0,
            Held::Triangle(Uplo::Lower) => 1,
            Held::Triangle(Uplo::Upper) => 2,
            Held::Nothing => 3,
        };
        let arguments = [
            Argument::<T>::size(m),
            Argument::size(n),
            Argument::size(row),
            Argument::size(column),
            Argument::size(block_rows),
            Argument::size(block_columns),
            Argument::Size(self.seeds.0),
            Argument::Size(self.seeds.1),
            Argument::Double(self.heavy),
            Argument::Flag(i32::from(self.is_hermitian)),
            Argument::Flag(held),
            Argument::place(output::<T>(launch, index, m * n)),
        ];
        // SAFETY: the tile is `m x n`.
        unsafe { Program::run(launch, "random_tile", Grid::matrix(m, n), &arguments) }
    }
}
