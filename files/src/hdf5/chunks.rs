//! Reading blocks out of chunks: each is read, inflated and unshuffled straight into the block.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use libdeflater::Decompressor;
use rust_hdf5::FilterPipeline;
use rust_hdf5::format::messages::filter::{
    FILTER_DEFLATE, FILTER_SHUFFLE, reverse_filters_masked_into,
};
use tegula_runtime::platform::ByPosition;

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

/// A decoded chunk.
struct Held {
    index: usize,
    order: Order,
    image: Vec<u8>,
}

/// Bytes by which filters may make a chunk longer, beside twice its length.
const SLACK: usize = 1 << 16;
/// No chunk.
const NONE: usize = usize::MAX;

/// Reads blocks of one matrix.
pub(super) struct ChunkReader {
    file: File,
    chunks: Arc<Chunks>,
    entry_bytes: usize,
    /// One entry of chunks that were never written.
    fill: Vec<u8>,
    way: Way,
    stored: Vec<u8>,
    inflate: Decompressor,
    /// Bytes of a decoded chunk.
    whole: usize,
    /// Decoded chunks, as many as there may be.
    held: Vec<Held>,
    most: usize,
    /// Where in `held` each stands.
    places: HashMap<usize, usize>,
    /// The one of `held` that makes room for another.
    oldest: usize,
}

impl ChunkReader {
    /// A reader of `chunks` in `file`, where `fill` is the entry of those that were never written.
    /// Of what it decoded it holds up to `memory` bytes, or one chunk.
    pub(super) fn new(file: File, chunks: Arc<Chunks>, fill: &[u8], memory: usize) -> Self {
        let entry_bytes = fill.len();
        let whole = chunks.shape[0] * chunks.shape[1] * entry_bytes;
        Self {
            file,
            entry_bytes,
            fill: fill.to_vec(),
            way: way(&chunks.filters, entry_bytes),
            stored: Vec::new(),
            inflate: Decompressor::new(),
            whole,
            held: Vec::new(),
            most: (memory / whole).clamp(1, chunks.table.len().max(1)),
            places: HashMap::new(),
            oldest: 0,
            chunks,
        }
    }

    /// Reads the entries in `rows` and `columns` into `entries`, row by row; returns the bytes
    /// read.
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
                let (held, bytes) = self.hold(index)?;
                taken += bytes;
                self.place(held, (i * height, j * width), (rows, columns), entries);
            }
        }
        Ok(taken)
    }

    /// Reads and decodes chunk `index`, unless it is held; returns where it is held, if it was ever
    /// written, and the bytes read.
    fn hold(&mut self, index: usize) -> Result<(Option<usize>, u64), Failure> {
        let chunk = self.chunks.table[index];
        if chunk.size == 0 {
            return Ok((None, 0));
        }
        if let Some(&place) = self.places.get(&index) {
            return Ok((Some(place), 0));
        }
        let place = self.room();
        let mut image = std::mem::take(&mut self.held[place].image);
        let decoded = self.decode(chunk, &mut image);
        let order = decoded.map_err(|failure| match failure {
            Failure::Damaged(reason) => {
                let (i, j) = (index / self.chunks.grid[1], index % self.chunks.grid[1]);
                Failure::Damaged(format!("chunk ({i}, {j}), counted from 0, {reason}"))
            }
            other => other,
        })?;
        self.held[place] = Held { index, order, image };
        self.places.insert(index, place);
        Ok((Some(place), u64::from(chunk.size)))
    }

    /// A place for a chunk: another one, or that of the chunk which is held longest.
    fn room(&mut self) -> usize {
        if self.held.len() < self.most {
            self.held.push(Held { index: NONE, order: Order::Entries, image: Vec::new() });
            return self.held.len() - 1;
        }
        let place = self.oldest;
        self.oldest = (place + 1) % self.most;
        let index = std::mem::replace(&mut self.held[place].index, NONE);
        self.places.remove(&index);
        place
    }

    /// Reads `chunk` into `image`.
    fn decode(&mut self, chunk: Chunk, image: &mut Vec<u8>) -> Result<Order, Failure> {
        let whole = self.whole;
        image.resize(whole, 0);
        let way = if chunk.mask == 0 { self.way } else { Way::Filters };
        if way == Way::Plain {
            let size = chunk.size as usize;
            if size != whole {
                return Err(Failure::Damaged(format!(
                    "takes {size} bytes where its entries take {whole}"
                )));
            }
            self.file.read_exact_at(image, chunk.from)?;
            return Ok(Order::Entries);
        }
        if chunk.size as usize > 2 * whole + SLACK {
            let size = chunk.size;
            return Err(Failure::Damaged(format!("takes {size} bytes for {whole} of entries")));
        }
        self.stored.resize(chunk.size as usize, 0);
        self.file.read_exact_at(&mut self.stored, chunk.from)?;
        match way {
            Way::Inflate(order) => {
                let inflated = self.inflate.zlib_decompress(&self.stored, image);
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
                reverse_filters_masked_into(filters, &self.stored, mask, image)
                    .map(|_| Order::Entries)
                    .map_err(|error| Failure::Damaged(format!("cannot be decoded: {error}")))
            }
        }
    }

    /// Copies what the block shares with the chunk that is held there, or was never written, and
    /// whose first entry is `corner`, into `entries`.
    fn place(
        &self,
        held: Option<usize>,
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
            match held.map(|place| &self.held[place]) {
                None => {
                    line.chunks_exact_mut(size).for_each(|entry| entry.copy_from_slice(&self.fill))
                }
                Some(Held { order: Order::Entries, image, .. }) => {
                    line.copy_from_slice(&image[first * size..(first + count) * size]);
                }
                Some(Held { order: Order::Planes, image, .. }) => {
                    unshuffle(image, size, first, line);
                }
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
    use std::io::Write;
    use std::ops::Range;
    use std::sync::Arc;

    use rust_hdf5::FilterPipeline;

    use super::{Chunk, ChunkReader, Chunks, unshuffle};

    #[test]
    fn chunks_are_held_as_memory_allows() {
        let mut file = tempfile::tempfile().expect("a file can be made");
        let bytes: Vec<u8> = (0..24u32).flat_map(u32::to_ne_bytes).collect();
        file.write_all(&bytes).expect("it is written");
        let chunk = |index: u64| Chunk { from: 16 * index, size: 16, mask: 0 };
        let chunks = Chunks {
            shape: [1, 4],
            grid: [1, 6],
            table: (0..6).map(chunk).collect(),
            filters: FilterPipeline::none(),
        };
        // Two chunks.
        let mut reader = ChunkReader::new(file, Arc::new(chunks), &[0; 4], 40);
        let mut taken = |columns: Range<usize>| {
            let mut entries = vec![0; 4 * columns.len()];
            let taken = reader.read(&(0..1), &columns, &mut entries).expect("it is read");
            assert_eq!(entries, bytes[4 * columns.start..4 * columns.end], "{columns:?}");
            taken
        };
        assert_eq!(taken(1..8), 32, "chunks 0 and 1");
        assert_eq!(taken(2..6), 0);
        assert_eq!(taken(8..9), 16, "chunk 2 instead of 0");
        assert_eq!(taken(4..12), 0);
        assert_eq!(taken(0..4), 16, "chunk 0 instead of 1");
        assert_eq!(taken(0..24), 80, "all others, and 0 again");
    }

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
