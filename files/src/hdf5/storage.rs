//! Where the entries of a data set stand in the file.

use rust_hdf5::FilterPipeline;
use rust_hdf5::format::FormatContext;
use rust_hdf5::format::messages::data_layout::{ChunkIndexType, DataLayoutMessage};
use rust_hdf5::format::messages::{MSG_DATA_LAYOUT, MSG_EXTERNAL_FILE_LIST, MSG_FILTER_PIPELINE};

use super::headers::Bytes;
use super::index::{Found, Table};

/// The address of what was never written.
pub(super) const NOWHERE: u64 = u64::MAX;
/// A decoded chunk, or a table of chunks, may take this much whatever memory there is.
const ALWAYS: u64 = 64 << 20;
/// So many chunks are looked for in any file, however few it can hold.
const FEW: u64 = 1 << 16;
/// In the flags of a layout: chunks that reach over the edge of the matrix went through no filter.
const PLAIN_EDGES: u8 = 1;
/// No filter was applied.
const NO_FILTER: u32 = u32::MAX;

/// One chunk in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Where it begins, counted from the beginning of the file.
    pub(super) from: u64,
    /// Bytes that it takes; 0 if it was never written.
    pub(super) size: u32,
    /// Filters that were left out.
    pub(super) mask: u32,
}

/// The chunks of a matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    /// Rows and columns of one.
    pub(super) shape: [usize; 2],
    /// How many there are below and beside each other.
    pub(super) grid: [usize; 2],
    pub(super) table: Vec<Chunk>,
    /// What was done to them, in this order.
    pub(super) filters: FilterPipeline,
}

/// Where the entries stand.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// Without gaps from this byte of the file on.
    Contiguous(u64),
    /// In chunks.
    Chunked(Chunks),
    /// Nowhere: none was ever written.
    Nowhere,
    /// In so many chunks, above [`FEW`], as the file cannot hold: most were never written.
    Sparse {
        /// Chunks of the matrix.
        chunks: u64,
        /// Of these the file cannot hold so many.
        absent: u64,
    },
    /// In a way that is left to the library.
    Other,
}

/// What is to be found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) path: &'a str,
    /// Rows and columns; a data set of one dimension is one row.
    pub(super) shape: [usize; 2],
    /// Dimensions as they are stored.
    pub(super) rank: usize,
    pub(super) entry_bytes: usize,
    /// Rows and columns to which it may grow; none where there is no limit.
    pub(super) most: [Option<u64>; 2],
    /// Memory for a decoded chunk, and for the table of all.
    pub(super) memory_bytes: u64,
}

impl Bytes<'_> {
    /// Where the entries of `wanted` stand.
    ///
    /// # Errors
    /// If the file says that they stand where it has no bytes, or its index of chunks is damaged.
    pub(super) fn storage(self, wanted: Wanted<'_>) -> Result<Storage, String> {
        let Some((layout, filters)) = self.layout(wanted.path) else { return Ok(Storage::Other) };
        match layout {
            DataLayoutMessage::Contiguous { address, .. } => self.contiguous(wanted, address),
            DataLayoutMessage::ChunkedV3 { chunk_dims, b_tree_address } => {
                self.chunked(wanted, (&chunk_dims, 0), filters, |table| {
                    self.fill_by_tree(table, wanted.rank, b_tree_address)
                })
            }
            DataLayoutMessage::ChunkedV4 {
                flags,
                chunk_dims,
                index_type,
                earray_params,
                single_chunk_filter,
                index_address: address,
                ..
            } => self.chunked(wanted, (&chunk_dims, flags), filters, |table| match index_type {
                ChunkIndexType::SingleChunk => {
                    self.fill_by_one(table, single_chunk_filter.as_ref(), address)
                }
                ChunkIndexType::Implicit => self.fill_in_order(table, address),
                ChunkIndexType::FixedArray => self.fill_by_array(table, address),
                ChunkIndexType::ExtensibleArray => {
                    self.fill_by_extensible(table, earray_params.as_ref(), address)
                }
                ChunkIndexType::BTreeV2 => self.fill_by_tree_2(table, wanted.rank, address),
            }),
            _ => Ok(Storage::Other),
        }
    }

    /// Entries without gaps from `address` on.
    fn contiguous(self, wanted: Wanted<'_>, address: u64) -> Result<Storage, String> {
        let [rows, columns] = wanted.shape.map(|length| length as u64);
        let count = rows.saturating_mul(columns).saturating_mul(wanted.entry_bytes as u64);
        if address == NOWHERE {
            return Ok(Storage::Nowhere);
        }
        let from = self.within(address, count);
        let from = from.ok_or("it is damaged: its entries go past the end of the file")?;
        Ok(Storage::Contiguous(from))
    }

    /// How the data set at `path` is laid out and what its chunks went through; none if that is
    /// unusual.
    fn layout(self, path: &str) -> Option<(DataLayoutMessage, FilterPipeline)> {
        let messages = self.messages(self.header_of(path)?)?;
        let find = |number| messages.iter().find(|message| message.number == number);
        let layout = find(MSG_DATA_LAYOUT).filter(|message| !message.is_shared)?;
        if find(MSG_EXTERNAL_FILE_LIST).is_some() {
            return None;
        }
        let (layout, _) =
            DataLayoutMessage::decode(&layout.data, &FormatContext::default_v3()).ok()?;
        let filters = match find(MSG_FILTER_PIPELINE) {
            None => FilterPipeline::none(),
            Some(message) if message.is_shared => return None,
            Some(message) => FilterPipeline::decode(&message.data).ok()?.0,
        };
        Some((layout, filters))
    }

    /// The chunks of shape `stored` (with the bytes of an entry at the end), of which `fill` fills
    /// the table.
    fn chunked(
        self,
        wanted: Wanted<'_>,
        (stored, flags): (&[u64], u8),
        filters: FilterPipeline,
        fill: impl FnOnce(&mut Table) -> Result<(), String>,
    ) -> Result<Storage, String> {
        let shape = match *stored {
            [columns, _] if wanted.rank == 1 => [1, columns],
            [rows, columns, _] if wanted.rank == 2 => [rows, columns],
            _ => return Err(format!("it is damaged: chunks of {stored:?}")),
        };
        let shape = shape.map(|length| length as usize);
        let image = shape[0].saturating_mul(shape[1]).saturating_mul(wanted.entry_bytes);
        let allowed = wanted.memory_bytes.max(ALWAYS);
        if image == 0 {
            return Err(format!("it is damaged: chunks of {} x {} entries", shape[0], shape[1]));
        }
        // As it is stored, and decoded.
        if (image as u64).saturating_mul(2) > allowed {
            let [height, width] = shape;
            return Err(format!(
                "reading a chunk of it, {height} x {width} entries, takes twice {}, more than the {} of memory for it: \
                 allow more --memory, or cut it smaller by h5repack -l CHUNK=256x256",
                in_words(image as u64),
                in_words(allowed)
            ));
        }
        let grid = [0, 1].map(|axis| wanted.shape[axis].div_ceil(shape[axis]));
        let chunks = (grid[0] as u64).saturating_mul(grid[1] as u64);
        // Each takes a byte at least.
        if chunks > self.superblock.length.max(FEW) {
            let absent = chunks - self.superblock.length;
            return Ok(Storage::Sparse { chunks, absent });
        }
        let table_bytes = chunks.saturating_mul(size_of::<Chunk>() as u64);
        if table_bytes > allowed {
            return Err(format!(
                "it has {chunks} chunks, of which a table takes {}, more than the {} of memory for it: allow more --memory, \
                 or make them larger by h5repack -l CHUNK=1024x1024",
                in_words(table_bytes),
                in_words(allowed)
            ));
        }
        let most = [0, 1].map(|axis| wanted.most[axis].map(|n| n.div_ceil(shape[axis] as u64)));
        let count = chunks as usize;
        let mut table = Table { shape, grid, most, image, chunks: vec![Chunk::default(); count] };
        fill(&mut table)?;
        if flags & PLAIN_EDGES != 0 {
            table.leave_edges_plain(wanted.shape, NO_FILTER);
        }
        Ok(Storage::Chunked(Chunks { shape, grid, table: table.chunks, filters }))
    }

    /// Notes a chunk at `address`.
    pub(super) fn note(
        self,
        chunk: &mut Chunk,
        (address, size, mask): Found,
    ) -> Result<(), String> {
        if address == NOWHERE {
            return Ok(());
        }
        let from = self.within(address, size).filter(|_| size > 0);
        let from = from.ok_or_else(|| {
            format!(
                "it is damaged: its index says that a chunk of {size} bytes is at byte {address}"
            )
        })?;
        if chunk.size != 0 {
            return Err("it is damaged: its index names a chunk twice".to_owned());
        }
        let size = u32::try_from(size).map_err(|_| format!("a chunk takes {size} bytes"))?;
        *chunk = Chunk { from, size, mask };
        Ok(())
    }
}

impl Chunks {
    /// How many were never written, and where the first of them is: its row and column of chunks.
    pub(super) fn absent(&self) -> Option<(u64, [usize; 2])> {
        let absent = || self.table.iter().enumerate().filter(|(_, chunk)| chunk.size == 0);
        let (first, _) = absent().next()?;
        Some((absent().count() as u64, [first / self.grid[1], first % self.grid[1]]))
    }
}

/// An amount of memory for a message.
pub(super) fn in_words(bytes: u64) -> String {
    match bytes {
        0..=0x000f_ffff => format!("{} KiB", bytes.div_ceil(1 << 10)),
        0x0010_0000..=0x3fff_ffff => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}
