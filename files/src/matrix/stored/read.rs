//! Reading blocks of a matrix that is stored without gaps.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::{Order, Stored};
use crate::source::{Block, BlockReader, SourceError};

/// Reads blocks.
pub(super) struct StoredReader {
    stored: Arc<Stored>,
    /// A part of a line that goes into a column of a block.
    line: Vec<u8>,
}

impl StoredReader {
    pub(super) fn new(stored: Arc<Stored>) -> Self {
        Self { stored, line: Vec::new() }
    }

    /// Fills `out` from position `at` of line `line` on.
    fn along(&self, line: usize, at: usize, out: &mut [u8]) -> io::Result<u64> {
        let stored = &self.stored;
        let (first, there) = stored.order.line(stored.shape, line);
        let index = first + (at - there.start);
        stored.bytes.read_at((index * stored.element.bytes()) as u64, out)
    }

    /// The part of `wanted` that is in line `line`.
    fn common(&self, line: usize, wanted: &Range<usize>) -> Range<usize> {
        let (_, there) = self.stored.order.line(self.stored.shape, line);
        let start = wanted.start.max(there.start);
        start..wanted.end.min(there.end).max(start)
    }

    /// Fills the rows of the block from lines that are rows.
    fn rows(&self, block: &Block, entries: &mut [u8]) -> io::Result<u64> {
        let (size, width) = (self.stored.element.bytes(), block.columns.len());
        let is_whole = self.stored.order == Order::Rows && width == self.stored.shape[1];
        if is_whole && !block.rows.is_empty() {
            return self.along(block.rows.start, 0, entries);
        }
        let mut read = 0;
        for (place, row) in block.rows.clone().enumerate() {
            let part = self.common(row, &block.columns);
            if !part.is_empty() {
                let start = (place * width + part.start - block.columns.start) * size;
                read += self.along(row, part.start, &mut entries[start..][..part.len() * size])?;
            }
        }
        Ok(read)
    }

    /// Fills the columns of the block from lines that are columns, the diagonal aside where that is
    /// in rows already.
    fn columns(&mut self, block: &Block, entries: &mut [u8]) -> io::Result<u64> {
        let (size, width) = (self.stored.element.bytes(), block.columns.len());
        let mut read = 0;
        let mut line = std::mem::take(&mut self.line);
        for (place, column) in block.columns.clone().enumerate() {
            let mut part = self.common(column, &block.rows);
            if self.stored.order == (Order::Lower { diagonal: true }) {
                part.end = part.end.min(column).max(part.start);
            }
            if part.is_empty() {
                continue;
            }
            line.resize(part.len() * size, 0);
            read += self.along(column, part.start, &mut line)?;
            let first = part.start - block.rows.start;
            for (step, entry) in line.chunks_exact(size).enumerate() {
                let start = ((first + step) * width + place) * size;
                entries[start..start + size].copy_from_slice(entry);
            }
        }
        self.line = line;
        Ok(read)
    }
}

impl BlockReader for StoredReader {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        let stored = Arc::clone(&self.stored);
        let ([m, n], size) = (stored.shape, stored.element.bytes());
        assert!(block.rows.end <= m && block.columns.end <= n, "{block:?} of {m} x {n}");
        assert_eq!(entries.len(), block.entries() * size, "bytes of the block");
        let read = match stored.order {
            Order::Rows => self.rows(block, entries),
            Order::Columns => self.columns(block, entries),
            Order::Upper | Order::Lower { .. } => {
                entries.fill(0);
                let direct = self.rows(block, entries);
                direct.and_then(|direct| Ok(direct + self.columns(block, entries)?))
            }
        };
        let read = read.map_err(|cause| SourceError::read(&stored.path, cause))?;
        if stored.is_swapped {
            entries.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(read)
    }
}
