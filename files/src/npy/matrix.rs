//! Reading a matrix from one of NumPy's files, a block at a time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::platform::ByPosition;

use super::NpyError;
use super::header::{Header, Kind, Objection};

/// A matrix in a file, of which only the header has been read.
#[derive(Debug)]
pub struct NpyMatrix {
    path: PathBuf,
    file: File,
    /// Where the entries begin.
    first: u64,
    kind: Kind,
    is_in_columns: bool,
    m: usize,
    n: usize,
}

impl NpyMatrix {
    /// Opens `path` and reads its header. A vector is a column.
    ///
    /// # Errors
    /// If the file cannot be read, is no `.npy` file, holds no matrix of numbers, or is cut short.
    pub fn open(path: &Path) -> Result<Self, NpyError> {
        let failed = |cause| NpyError::Read { path: path.to_owned(), cause };
        let mut file = File::open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(NpyError::NoFile { path: path.to_owned() });
        }
        let read = Header::read(&mut file).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                NpyError::Header { path: path.to_owned(), reason: error.to_string() }
            }
            _ => failed(error),
        })?;
        let no_type = |found| NpyError::Type { path: path.to_owned(), found };
        let (header, first) = read.map_err(|objection| match objection {
            Objection::Text(reason) => NpyError::Header { path: path.to_owned(), reason },
            Objection::Type(found) => no_type(found),
        })?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == header.descr);
        let kind = kind.ok_or_else(|| no_type(header.descr))?;
        let (m, n) = match header.shape[..] {
            [m] => (m, 1),
            [m, n] => (m, n),
            _ => return Err(NpyError::Shape { path: path.to_owned(), shape: header.shape }),
        };
        let found = file.metadata().map_err(failed)?.len().saturating_sub(first);
        let expected = (m as u64).saturating_mul(n as u64);
        let expected = expected.saturating_mul(kind.bytes() as u64);
        if found != expected {
            return Err(NpyError::Length { path: path.to_owned(), expected, found });
        }
        let (is_in_columns, path) = (header.is_in_columns, path.to_owned());
        Ok(Self { path, file, first, kind, is_in_columns, m, n })
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    /// Type of the numbers.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The block of `rows x columns` entries from entry `(i, j)` on, column by column; entries for
    /// which `counts` says no may be anything.
    ///
    /// # Errors
    /// If the file cannot be read, holds complex numbers and `T` is real, or an entry that counts
    /// is not finite as a number of type `T`.
    ///
    /// # Panics
    /// If the block is not within the matrix.
    pub fn block<T: Scalar>(
        &self,
        (i, j): (usize, usize),
        (rows, columns): (usize, usize),
        counts: impl Fn(usize, usize) -> bool,
    ) -> Result<Vec<T>, NpyError> {
        let (m, n) = (self.m, self.n);
        assert!(
            i + rows <= m && j + columns <= n,
            "{rows} x {columns} from ({i}, {j}) of {m} x {n}"
        );
        if self.kind.is_complex() && !T::IS_COMPLEX {
            return Err(NpyError::Complex { path: self.path.clone() });
        }
        let mut block = vec![T::ZERO; rows * columns];
        let (lines, length) = if self.is_in_columns { (columns, rows) } else { (rows, columns) };
        let mut bytes = vec![0u8; length * self.kind.bytes()];
        for line in 0..lines {
            let (row, column) = if self.is_in_columns { (i, j + line) } else { (i + line, j) };
            self.read_line(row, column, &mut bytes)
                .map_err(|cause| NpyError::Read { path: self.path.clone(), cause })?;
            for (step, number) in bytes.chunks_exact(self.kind.bytes()).enumerate() {
                let (a, b) = if self.is_in_columns { (step, line) } else { (line, step) };
                let number: T = self.kind.number(number);
                if !number.is_finite() && counts(i + a, j + b) {
                    let (row, column) = (i + a, j + b);
                    return Err(NpyError::NotFinite { path: self.path.clone(), row, column });
                }
                block[a + b * rows] = number;
            }
        }
        Ok(block)
    }

    /// Fills `bytes` from entry `(row, column)` on, along the lines of the file.
    fn read_line(&self, row: usize, column: usize, bytes: &mut [u8]) -> io::Result<()> {
        let index = if self.is_in_columns { row + column * self.m } else { row * self.n + column };
        self.file.read_exact_at(bytes, self.first + (index * self.kind.bytes()) as u64)
    }
}

impl Kind {
    /// The number in `bytes`, rounded to `T`; of a real type the real part.
    fn number<T: Scalar>(self, bytes: &[u8]) -> T {
        let part = |bytes: &[u8]| match self.is_double() {
            true => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
            false => f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        };
        let (re, im) = if self.is_complex() {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            (part(re), part(im))
        } else {
            (part(bytes), 0.0)
        };
        T::from_parts(T::Real::of_f64(re), T::Real::of_f64(im))
    }
}
