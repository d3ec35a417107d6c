//! The sums, a block of threads for each column or for some rows, always in the same order.

use tegula_runtime::flow::{Failure, Launch};

use super::{Line, LineSums, Term};
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, input, output};
use crate::kernel::pack::Structure;
use crate::option::{Diag, Form, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Sums of moduli, which are real numbers.
pub(in crate::kernel) const MODULI: i32 = 2;

/// What a tile stands for, as device code takes it.
pub(in crate::kernel) fn structure_flags<T>(structure: Structure) -> [Argument<T>; 2] {
    let lower = |uplo| i32::from(uplo == Uplo::Lower);
    let (kind, lower) = match structure {
        Structure::General => (0, 0),
        Structure::Symmetric(Form::Symmetric, uplo) => (1, lower(uplo)),
        Structure::Symmetric(Form::Hermitian, uplo) => (2, lower(uplo)),
        Structure::Triangular(uplo, Diag::NonUnit) => (3, lower(uplo)),
        Structure::Triangular(uplo, Diag::Unit) => (4, lower(uplo)),
    };
    [Argument::Flag(kind), Argument::Flag(lower)]
}

/// Adds to the sums at a place those of the lines of the `m x n` tile at another; there is one for
/// each line, of numbers of type `T`, or of real ones if they are [`MODULI`].
#[allow(unsafe_code)]
pub(in crate::kernel) fn sum<T: Scalar>(
    launch: &Launch<'_>,
    line: Line,
    (structure, term): (Structure, i32),
    (m, n): (usize, usize),
    (a, sums): (Argument<T>, Argument<T>),
) -> Result<(), Failure> {
    let [kind, lower] = structure_flags(structure);
    let (rows, cols, term) = (Argument::size(m), Argument::size(n), Argument::Flag(term));
    if m == 0 || n == 0 {
        return Ok(());
    }
    match line {
        Line::Row => {
            let arguments = [rows, cols, kind, lower, term, a, sums];
            // SAFETY: the caller's tile and sums have these shapes.
            unsafe { Program::run(launch, "sum_rows", Grid::matrix(m, 1), &arguments) }
        }
        Line::Column => {
            let arguments = [rows, kind, lower, term, a, sums];
            // SAFETY: as above, and there is a block for each column.
            unsafe { Program::run(launch, "sum_columns", Grid::block_each(n), &arguments) }
        }
    }
}

impl<T: Scalar> LineSums<T> {
    /// Puts the sums on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { line, term, structure, m, n, .. } = self;
        let lines = if line == Line::Row { m } else { n };
        let places = (
            Argument::place(input::<T>(launch, 0, m * n)),
            Argument::place(output::<T>(launch, 1, lines)),
        );
        sum::<T>(launch, line, (structure, i32::from(term == Term::Square)), (m, n), places)
    }
}
