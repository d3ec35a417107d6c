//! Where the entries of a data set stand in the file.

use rust_hdf5::FilterPipeline;
use rust_hdf5::format::FormatContext;
use rust_hdf5::format::btree_v1::ChunkBTreeV1Node;
use rust_hdf5::format::chunk_index::fixed_array::{
    FA_CLIENT_FILT_CHUNK, FixedArrayDataBlock, FixedArrayHeader, FixedArrayPagedPrefix,
    decode_filtered_page, decode_unfiltered_page,
};
use rust_hdf5::format::messages::data_layout::{ChunkIndexType, DataLayoutMessage};
use rust_hdf5::format::messages::{MSG_DATA_LAYOUT, MSG_EXTERNAL_FILE_LIST, MSG_FILTER_PIPELINE};

use super::headers::{Bytes, number};

/// The address of what was never written.
const NOWHERE: u64 = u64::MAX;
/// Most chunks of which a table is kept in memory.
const MOST_CHUNKS: usize = 1 << 22;
/// Images of chunks up to this are believed without asking.
const SMALL_IMAGE: usize = 64 << 20;
/// No filter shrinks data more than this; a file that says so is damaged.
const MOST_SHRINKAGE: u64 = 2000;

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
    /// Whether the data set may grow.
    pub(super) is_resizable: bool,
}

impl Bytes<'_> {
    /// Where the entries of `wanted` stand.
    ///
    /// # Errors
    /// If the file says that they stand where it has no bytes, or its index of chunks is damaged.
    pub(super) fn storage(self, wanted: Wanted<'_>) -> Result<Storage, String> {
        let Some((layout, filters)) = self.layout(wanted.path) else { return Ok(Storage::Other) };
        match layout {
            DataLayoutMessage::Contiguous { address, .. } if address != NOWHERE => {
                let [rows, columns] = wanted.shape.map(|length| length as u64);
                let count = rows.saturating_mul(columns).saturating_mul(wanted.entry_bytes as u64);
                let from = self
                    .within(address, count)
                    .ok_or("it is damaged: its entries go past the end")?;
                Ok(Storage::Contiguous(from))
            }
            DataLayoutMessage::ChunkedV3 { chunk_dims, b_tree_address } => {
                self.chunked(wanted, &chunk_dims, filters, |table| {
                    self.fill_by_tree(table, wanted.rank, b_tree_address)
                })
            }
            DataLayoutMessage::ChunkedV4 {
                chunk_dims,
                index_type: ChunkIndexType::FixedArray,
                index_address,
                ..
            } if !wanted.is_resizable => self.chunked(wanted, &chunk_dims, filters, |table| {
                self.fill_by_array(table, index_address)
            }),
            _ => Ok(Storage::Other),
        }
    }

    /// How the data set at `path` is laid out and what its chunks went through; none if that is unusual.
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

    /// The chunks of shape `stored` (with the bytes of an entry at the end), of which `fill` fills the table.
    fn chunked(
        self,
        wanted: Wanted<'_>,
        stored: &[u64],
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
        let limit = self.superblock.length.saturating_mul(MOST_SHRINKAGE);
        if image == 0 || image > SMALL_IMAGE && image as u64 > limit {
            return Err(format!("it is damaged: chunks of {} x {} entries", shape[0], shape[1]));
        }
        let grid = [0, 1].map(|axis| wanted.shape[axis].div_ceil(shape[axis]));
        let Some(count) = grid[0].checked_mul(grid[1]).filter(|&count| count <= MOST_CHUNKS) else {
            return Ok(Storage::Other);
        };
        let mut table = Table { shape, grid, image, chunks: vec![Chunk::default(); count] };
        fill(&mut table)?;
        Ok(Storage::Chunked(Chunks { shape, grid, table: table.chunks, filters }))
    }

    /// Notes a chunk at `address`.
    fn note(self, chunk: &mut Chunk, (address, size, mask): (u64, u64, u32)) -> Result<(), String> {
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

    /// Chunks under a B-tree of version 1.
    fn fill_by_tree(self, table: &mut Table, rank: usize, root: u64) -> Result<(), String> {
        let damaged = || "it is damaged: its index of chunks cannot be read".to_owned();
        let mut nodes = if root == NOWHERE { vec![] } else { vec![(root, u8::MAX)] };
        while let Some((address, above)) = nodes.pop() {
            let start = self.at(address, 24).ok_or_else(damaged)?;
            let used = number(&start[6..8]);
            let key = 8 + 8 * (rank as u64 + 1);
            let bytes = self.at(address, 24 + used * (key + 8) + key).ok_or_else(damaged)?;
            let node =
                ChunkBTreeV1Node::decode(&bytes, 8, rank, u16::MAX).map_err(|_| damaged())?;
            if node.level >= above || nodes.len() > MOST_CHUNKS {
                return Err(damaged());
            }
            for (key, &child) in node.keys.iter().zip(&node.children) {
                if node.level > 0 {
                    nodes.push((child, node.level));
                } else if let Some(index) =
                    table.index_of(&key.offsets[..rank]).map_err(|()| damaged())?
                {
                    let chunk = &mut table.chunks[index];
                    self.note(chunk, (child, u64::from(key.chunk_size), key.filter_mask))?;
                }
            }
        }
        Ok(())
    }

    /// Chunks in an array of fixed length, in pages if it is long.
    fn fill_by_array(self, table: &mut Table, address: u64) -> Result<(), String> {
        if address == NOWHERE {
            return Ok(());
        }
        let found = self.array(table, address);
        let found = found.ok_or("it is damaged: its index of chunks cannot be read")?;
        for (chunk, found) in table.chunks.iter_mut().zip(found) {
            self.note(chunk, found)?;
        }
        Ok(())
    }

    /// Address, size and mask of each chunk of `table`.
    fn array(self, table: &Table, address: u64) -> Option<Vec<(u64, u64, u32)>> {
        let context = FormatContext::default_v3();
        let header = FixedArrayHeader::decode(&self.at(address, 28)?, &context).ok()?;
        if header.num_elmts != table.chunks.len() as u64 {
            return None;
        }
        let block = header.data_blk_addr;
        if block == NOWHERE {
            return Some(Vec::new());
        }
        let is_filtered = header.client_id == FA_CLIENT_FILT_CHUNK;
        let width =
            if is_filtered { usize::from(header.element_size).checked_sub(12)? } else { 0 };
        let entry = if is_filtered { 12 + width as u64 } else { 8 };
        let image = table.image as u64;
        if width > 8 {
            return None;
        }
        if !header.is_paged() {
            let count = table.chunks.len();
            let bytes = self.at(block, 18 + entry * count as u64)?;
            return Some(if is_filtered {
                let found =
                    FixedArrayDataBlock::decode_filtered(&bytes, &context, count, width).ok()?;
                found
                    .filtered_elements
                    .iter()
                    .map(|e| (e.address, e.chunk_size, e.filter_mask))
                    .collect()
            } else {
                let found = FixedArrayDataBlock::decode_unfiltered(&bytes, &context, count).ok()?;
                found.elements.iter().map(|&address| (address, image, 0)).collect()
            });
        }
        let (pages, in_page) = (header.npages(), header.dblk_page_nelmts());
        let prefix = self.at(block, 18 + pages.div_ceil(8))?;
        let prefix = FixedArrayPagedPrefix::decode(&prefix, &context, pages).ok()?;
        let mut found = Vec::with_capacity(table.chunks.len());
        for page in 0..pages {
            let count = in_page.min(header.num_elmts - page * in_page) as usize;
            if !prefix.page_initialized(page as usize) {
                found.extend(std::iter::repeat_n((NOWHERE, 0, 0), count));
                continue;
            }
            let at = block + prefix.prefix_size as u64 + page * (in_page * entry + 4);
            let bytes = self.at(at, count as u64 * entry + 4)?;
            if is_filtered {
                let page = decode_filtered_page(&bytes, &context, count, width).ok()?;
                found.extend(page.iter().map(|e| (e.address, e.chunk_size, e.filter_mask)));
            } else {
                let page = decode_unfiltered_page(&bytes, &context, count).ok()?;
                found.extend(page.iter().map(|&address| (address, image, 0)));
            }
        }
        Some(found)
    }
}

/// A table of chunks that is being filled.
struct Table {
    shape: [usize; 2],
    grid: [usize; 2],
    /// Bytes of a chunk before it is filtered.
    image: usize,
    chunks: Vec<Chunk>,
}

impl Table {
    /// The place of the chunk whose first entry is at `offsets`; none if it is outside the matrix, as what a
    /// matrix lost when it shrank.
    fn index_of(&self, offsets: &[u64]) -> Result<Option<usize>, ()> {
        let [row, column] = match *offsets {
            [column] => [0, column],
            [row, column] => [row, column],
            _ => return Err(()),
        };
        let [height, width] = self.shape.map(|length| length as u64);
        if row % height != 0 || column % width != 0 {
            return Err(());
        }
        let (i, j) = ((row / height) as usize, (column / width) as usize);
        Ok((i < self.grid[0] && j < self.grid[1]).then_some(i * self.grid[1] + j))
    }
}
