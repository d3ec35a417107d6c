//! Reading blocks out of chunks: each is read, inflated and unshuffled straight into the block.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use libdeflater::Decompressor;
use rust_hdf5::FilterPipeline;
use rust_hdf5::format::messages::filter::{
    FILTER_DEFLATE, FILTER_SHUFFLE, reverse_filters_masked_into,
};

use super::entries::Failure;
use super::storage::{Chunk, Chunks};

/// How the bytes of a decoded chunk stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Entry by entry.
    Entries,
    /// The first bytes of all entries, then their second ones, and so on.
    Planes,
}

/// What it takes to decode chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// They stand as they are.
    Plain,
    /// Inflate them; they are then in this order.
    Inflate(Order),
    /// Leave it to the library.
    Filters,
}

/// Reads blocks of one matrix.
pub(super) struct ChunkReader {
    file: File,
    chunks: Arc<Chunks>,
    entry_bytes: usize,
    /// One entry of chunks that were never written.
    fill: Vec<u8>,
    way: Way,
    stored: Vec<u8>,
    image: Vec<u8>,
    inflate: Decompressor,
    /// The chunk that is in `image`, and how it stands there.
    held: Option<(usize, Order)>,
}

impl ChunkReader {
    pub(super) fn new(file: File, chunks: Arc<Chunks>, fill: &[u8]) -> Self {
        let entry_bytes = fill.len();
        let way = way(&chunks.filters, entry_bytes);
        let image = vec![0; chunks.shape[0] * chunks.shape[1] * entry_bytes];
        let (stored, inflate) = (Vec::new(), Decompressor::new());
        Self {
            file,
            chunks,
            entry_bytes,
            fill: fill.to_vec(),
            way,
            stored,
            image,
            inflate,
            held: None,
        }
    }

    /// Reads the entries in `rows` and `columns` into `entries`, row by row; returns the bytes read.
    pub(super) fn read(
        &mut self,
        rows: &Range<usize>,
        columns: &Range<usize>,
        entries: &mut [u8],
    ) -> Result<u64, Failure> {
        let [height, width] = self.chunks.shape;
        let mut taken = 0;
        if rows.is_empty() || columns.is_empty() {
            return Ok(0);
        }
        for i in rows.start / height..rows.end.div_ceil(height) {
            for j in columns.start / width..columns.end.div_ceil(width) {
                let index = i * self.chunks.grid[1] + j;
                taken += self.hold(index)?;
                self.place(index, (i * height, j * width), (rows, columns), entries);
            }
        }
        Ok(taken)
    }

    /// Reads and decodes chunk `index`, unless it is held; returns the bytes read.
    fn hold(&mut self, index: usize) -> Result<u64, Failure> {
        let chunk = self.chunks.table[index];
        if chunk.size == 0 || self.held.is_some_and(|(held, _)| held == index) {
            return Ok(0);
        }
        self.held = None;
        let order = self.decode(chunk).map_err(|failure| match failure {
            Failure::Damaged(reason) => {
                let (i, j) = (index / self.chunks.grid[1], index % self.chunks.grid[1]);
                Failure::Damaged(format!("chunk ({i}, {j}), counted from 0, {reason}"))
            }
            other => other,
        })?;
        self.held = Some((index, order));
        Ok(u64::from(chunk.size))
    }

    /// Reads `chunk` into the image.
    fn decode(&mut self, chunk: Chunk) -> Result<Order, Failure> {
        let whole = self.image.len();
        let way = if chunk.mask == 0 { self.way } else { Way::Filters };
        if way == Way::Plain {
            let size = chunk.size as usize;
            if size != whole {
                return Err(Failure::Damaged(format!(
                    "takes {size} bytes where its entries take {whole}"
                )));
            }
            self.file.read_exact_at(&mut self.image, chunk.from)?;
            return Ok(Order::Entries);
        }
        self.stored.resize(chunk.size as usize, 0);
        self.file.read_exact_at(&mut self.stored, chunk.from)?;
        match way {
            Way::Inflate(order) => {
                let inflated = self.inflate.zlib_decompress(&self.stored, &mut self.image);
                match inflated {
                    Ok(count) if count == whole => Ok(order),
                    Ok(count) => {
                        Err(Failure::Damaged(format!("inflates to {count} bytes, not to {whole}")))
                    }
                    Err(error) => Err(Failure::Damaged(format!("cannot be inflated: {error}"))),
                }
            }
            _ => {
                let (filters, mask) = (&self.chunks.filters, chunk.mask);
                reverse_filters_masked_into(filters, &self.stored, mask, &mut self.image)
                    .map(|_| Order::Entries)
                    .map_err(|error| Failure::Damaged(format!("cannot be decoded: {error}")))
            }
        }
    }

    /// Copies what the block shares with chunk `index`, whose first entry is `corner`, into `entries`.
    fn place(
        &self,
        index: usize,
        corner: (usize, usize),
        (rows, columns): (&Range<usize>, &Range<usize>),
        entries: &mut [u8],
    ) {
        let [height, width] = self.chunks.shape;
        let size = self.entry_bytes;
        let (top, left) = (rows.start.max(corner.0), columns.start.max(corner.1));
        let (bottom, right) = (rows.end.min(corner.0 + height), columns.end.min(corner.1 + width));
        let count = right - left;
        for row in top..bottom {
            let to = ((row - rows.start) * columns.len() + left - columns.start) * size;
            let line = &mut entries[to..to + count * size];
            let first = (row - corner.0) * width + left - corner.1;
            match self.held.filter(|&(held, _)| held == index) {
                None => {
                    line.chunks_exact_mut(size).for_each(|entry| entry.copy_from_slice(&self.fill))
                }
                Some((_, Order::Entries)) => {
                    line.copy_from_slice(&self.image[first * size..(first + count) * size]);
                }
                Some((_, Order::Planes)) => unshuffle(&self.image, size, first, line),
            }
        }
    }
}

impl std::fmt::Debug for ChunkReader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ChunkReader").field("chunks", &self.chunks).finish_non_exhaustive()
    }
}

/// The way to decode what went through `filters`.
fn way(filters: &FilterPipeline, entry_bytes: usize) -> Way {
    let shuffles = |values: &[u32]| values.first() == Some(&(entry_bytes as u32));
    match &filters.filters[..] {
        [] => Way::Plain,
        [deflate] if deflate.id == FILTER_DEFLATE => Way::Inflate(Order::Entries),
        [shuffle, deflate]
            if shuffle.id == FILTER_SHUFFLE
                && shuffles(&shuffle.cd_values)
                && deflate.id == FILTER_DEFLATE =>
        {
            Way::Inflate(if entry_bytes == 1 { Order::Entries } else { Order::Planes })
        }
        _ => Way::Filters,
    }
}

/// Puts together the entries from `first` on, of `size` bytes each, that stand in `planes`.
fn unshuffle(planes: &[u8], size: usize, first: usize, line: &mut [u8]) {
    match size {
        2 => interleave::<2>(planes, first, line),
        4 => interleave::<4>(planes, first, line),
        _ => interleave::<8>(planes, first, line),
    }
}

fn interleave<const N: usize>(planes: &[u8], first: usize, line: &mut [u8]) {
    let count = line.len() / N;
    let each = planes.len() / N;
    let planes: [&[u8]; N] =
        std::array::from_fn(|byte| &planes[byte * each + first..byte * each + first + count]);
    for (index, entry) in line.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        *entry = std::array::from_fn(|byte| planes[byte][index]);
    }
}

#[cfg(test)]
mod tests {
    use super::unshuffle;

    #[test]
    fn planes_become_entries() {
        for size in [2, 4, 8] {
            let entries: Vec<u8> = (0..20 * size as u8).collect();
            let planes: Vec<u8> = (0..size)
                .flat_map(|byte| entries.iter().skip(byte).step_by(size).copied())
                .collect();
            for (first, last) in [(0, 20), (3, 20), (5, 6), (7, 7)] {
                let mut line = vec![0; (last - first) * size];
                unshuffle(&planes, size, first, &mut line);
                assert_eq!(line, entries[first * size..last * size], "{size} bytes");
            }
        }
    }
}
