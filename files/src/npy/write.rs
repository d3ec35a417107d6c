//! Writing a matrix to one of NumPy's files, column by column.

use std::io::{self, Write};

use tegula_kernels::scalar::{Precision, Real, Scalar};

use super::header::{Header, Kind};

/// Writes an `m x n` matrix of numbers of type `T`, in columns (`fortran_order`).
#[derive(Debug)]
pub struct NpyWriter<W, T> {
    out: W,
    /// Entries that are still to come.
    left: usize,
    scalar: std::marker::PhantomData<T>,
}

impl<W: Write, T: Scalar> NpyWriter<W, T> {
    /// Writes the header of an `m x n` matrix.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, (m, n): (usize, usize)) -> io::Result<Self> {
        let kind = match T::PRECISION {
            Precision::Single => Kind::Single,
            Precision::Double => Kind::Double,
            Precision::ComplexSingle => Kind::ComplexSingle,
            Precision::ComplexDouble => Kind::ComplexDouble,
        };
        let descr = kind.name().to_owned();
        out.write_all(&Header { descr, is_in_columns: true, shape: vec![m, n] }.preamble())?;
        Ok(Self { out, left: m * n, scalar: std::marker::PhantomData })
    }

    /// Writes the next entries, column by column.
    ///
    /// # Errors
    /// Those of the file.
    ///
    /// # Panics
    /// If they are more than the matrix has left.
    pub fn push(&mut self, entries: &[T]) -> io::Result<()> {
        let count = entries.len();
        assert!(count <= self.left, "{count} entries where {} are left", self.left);
        self.left -= count;
        let mut bytes = Vec::with_capacity(size_of_val(entries));
        for entry in entries {
            let parts = [entry.re(), entry.im()];
            for part in &parts[..if T::IS_COMPLEX { 2 } else { 1 }] {
                // Exact, since the part was a number of that precision.
                match size_of::<T::Real>() {
                    4 => bytes.extend_from_slice(&(part.to_f64() as f32).to_le_bytes()),
                    _ => bytes.extend_from_slice(&part.to_f64().to_le_bytes()),
                }
            }
        }
        self.out.write_all(&bytes)
    }

    /// Ends the matrix.
    ///
    /// # Panics
    /// If entries are missing.
    pub fn finish(self) {
        assert!(self.left == 0, "{} entries are missing", self.left);
    }
}
