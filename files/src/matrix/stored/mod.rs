//! A matrix whose entries lie in a file or in memory without gaps, in one of several orders.

mod gather;
mod read;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_kernels::element::Element;
use tegula_runtime::platform::ByPosition;

pub(super) use gather::{Gather, no_room};

use crate::source::{BlockReader, Coverage, Source, SourceError};
use read::StoredReader;

/// Where entries lie.
#[derive(Debug)]
pub(super) enum Bytes {
    /// In memory.
    Memory(Vec<u8>),
    /// In a file, from byte `start` on.
    File {
        /// The file.
        file: File,
        /// Where the entries begin.
        start: u64,
    },
}

impl Bytes {
    /// Fills `out` with what lies `offset` bytes behind the first entry; returns how much of it the
    /// disk gave.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<u64> {
        match self {
            Self::Memory(bytes) => {
                let start = usize::try_from(offset).expect("an offset within memory");
                out.copy_from_slice(&bytes[start..start + out.len()]);
                Ok(0)
            }
            Self::File { file, start } => {
                file.read_exact_at(out, start + offset)?;
                Ok(out.len() as u64)
            }
        }
    }
}

/// In which order entries lie. A line is what lies without gaps: a row, a column, or the stored
/// part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
    /// Row by row, of each what is above the diagonal, which is zero: SciPy's condensed form.
    Upper,
    /// Row by row, of each what is below the diagonal, and the diagonal too or not: then it is
    /// zero.
    Lower {
        /// Whether the diagonal is there.
        diagonal: bool,
    },
}

impl Order {
    /// Index of the first entry of line `line` of a matrix of this `shape`, and the positions in
    /// the line that are there.
    fn line(self, [m, n]: [usize; 2], line: usize) -> (usize, Range<usize>) {
        match self {
            Self::Rows => (line * n, 0..n),
            Self::Columns => (line * m, 0..m),
            Self::Upper => (triangle(n) - triangle(n - line), line + 1..n),
            Self::Lower { diagonal: false } => (triangle(line), 0..line),
            Self::Lower { diagonal: true } => (triangle(line + 1), 0..line + 1),
        }
    }

    /// Number of entries that a matrix of this `shape` stores, if it can be counted.
    pub(super) fn entries(self, [m, n]: [usize; 2]) -> Option<usize> {
        match self {
            Self::Rows | Self::Columns => m.checked_mul(n),
            Self::Upper | Self::Lower { diagonal: false } => {
                n.checked_mul(n.saturating_sub(1)).map(|twice| twice / 2)
            }
            Self::Lower { diagonal: true } => n.checked_mul(n + 1).map(|twice| twice / 2),
        }
    }

    fn is_triangle(self) -> bool {
        matches!(self, Self::Upper | Self::Lower { .. })
    }
}

/// Pairs among `n` things.
fn triangle(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// What a stored matrix is.
#[derive(Debug)]
pub(super) struct Stored {
    /// The file that messages name.
    pub(super) path: PathBuf,
    /// What messages call it.
    pub(super) name: String,
    /// Rows and columns.
    pub(super) shape: [usize; 2],
    /// How an entry is represented.
    pub(super) element: Element,
    /// Whether its bytes stand in the other order than on this machine.
    pub(super) is_swapped: bool,
    /// In which order entries lie.
    pub(super) order: Order,
    /// Where they lie.
    pub(super) bytes: Bytes,
    /// Names of the rows and of the columns.
    pub(super) names: [Option<Vec<String>>; 2],
}

impl Stored {
    /// A matrix of 64-bit numbers that a text of `bytes_read` bytes gave, row by row.
    pub(super) fn of_text(
        path: &Path,
        shape: [usize; 2],
        (order, bytes): (Order, Bytes),
        names: [Option<Vec<String>>; 2],
        bytes_read: u64,
    ) -> Box<dyn Source> {
        let (path, name) = (path.to_owned(), path.display().to_string());
        let element = Element::F64;
        let stored = Self { path, name, shape, element, is_swapped: false, order, bytes, names };
        Box::new(StoredMatrix { stored: Arc::new(stored), bytes_read })
    }

    /// The source.
    pub(super) fn open(self) -> Box<dyn Source> {
        Box::new(StoredMatrix { stored: Arc::new(self), bytes_read: 0 })
    }
}

/// A [`Source`] of what is stored.
#[derive(Debug)]
struct StoredMatrix {
    stored: Arc<Stored>,
    /// Bytes that opening it took from the file.
    bytes_read: u64,
}

impl Source for StoredMatrix {
    fn name(&self) -> &str {
        &self.stored.name
    }

    fn shape(&self) -> [usize; 2] {
        self.stored.shape
    }

    fn element(&self) -> Element {
        self.stored.element
    }

    fn coverage(&self) -> Coverage {
        if self.stored.order.is_triangle() { Coverage::Triangle } else { Coverage::Full }
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        let [m, n] = self.stored.shape;
        match (&self.stored.bytes, self.stored.order.entries([m, n])) {
            (Bytes::File { .. }, Some(entries)) => {
                self.stored.element.bytes() as f64 * entries as f64 / (m as f64 * n as f64)
            }
            _ => 0.0,
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    fn row_names(&self) -> Option<&[String]> {
        self.stored.names[0].as_deref()
    }

    fn column_names(&self) -> Option<&[String]> {
        self.stored.names[1].as_deref()
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        Ok(Box::new(StoredReader::new(Arc::clone(&self.stored))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_order_follow_each_other() {
        let shape = [7, 7];
        for order in [
            Order::Rows,
            Order::Columns,
            Order::Upper,
            Order::Lower { diagonal: false },
            Order::Lower { diagonal: true },
        ] {
            let mut next = 0;
            for line in 0..7 {
                let (first, there) = order.line(shape, line);
                assert_eq!(first, next, "{order:?}, line {line}");
                next = first + there.len();
            }
            assert_eq!(order.entries(shape), Some(next), "{order:?}");
        }
    }
}
