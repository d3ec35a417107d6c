//! Chunks in an array that grows with the data set along one axis (`H5EA` of HDF5).

use rust_hdf5::format::FormatContext;
use rust_hdf5::format::checksum::checksum_metadata;
use rust_hdf5::format::chunk_index::extensible_array::{
    EA_CLS_FILT_CHUNK, EaDblkPath, EaGeometry, EaLoc, ExtensibleArrayHeader,
    ExtensibleArrayIndexBlock, ExtensibleArraySuperBlock, FilteredIndexBlock,
};
use rust_hdf5::format::messages::data_layout::EarrayParams;

use super::{ABSENT, Found, Table, damaged};
use crate::hdf5::headers::{Bytes, number};
use crate::hdf5::storage::NOWHERE;

/// Bytes of an address, and of a checksum.
const ADDRESS: usize = 8;
const SUM: usize = 4;
/// Bytes of a header and of an index block, and more.
const HEADER: u64 = 256;
const INDEX_BLOCK: u64 = 1 << 16;

/// An array that is being read.
struct Array<'a> {
    bytes: Bytes<'a>,
    geometry: EaGeometry,
    /// Bits of the number of an element.
    bits: u8,
    /// Bytes of the size of a chunk; none where chunks are not filtered.
    size: Option<u8>,
    /// Bytes of a chunk that is not filtered.
    image: u64,
    /// What the index block has of the first chunks, of data blocks and of blocks of such.
    first: Vec<Found>,
    blocks: Vec<u64>,
    supers: Vec<u64>,
    /// The block of addresses and the elements that were read last.
    held_super: Option<(u64, ExtensibleArraySuperBlock)>,
    held: Option<(u64, Vec<Found>)>,
}

impl Bytes<'_> {
    /// Fills `table` from the array at `address`.
    ///
    /// # Errors
    /// If the array is damaged.
    pub(in crate::hdf5) fn fill_by_extensible(
        self,
        table: &mut Table,
        params: Option<&EarrayParams>,
        address: u64,
    ) -> Result<(), String> {
        if address == NOWHERE {
            return Ok(());
        }
        let array = params.and_then(|params| Array::open(self, table, params, address));
        let Some(mut array) = array.ok_or_else(damaged)? else { return Ok(()) };
        // Neighbours in the array share blocks.
        let mut order: Vec<(u64, usize)> =
            (0..table.chunks.len()).map(|place| (table.number(place), place)).collect();
        order.sort_unstable();
        for (number, place) in order {
            let found = array.find(number).ok_or_else(damaged)?;
            self.note(&mut table.chunks[place], found)?;
        }
        Ok(())
    }
}

impl<'a> Array<'a> {
    /// The array at `address`, if it has an index block; none at all if it is damaged.
    fn open(
        bytes: Bytes<'a>,
        table: &Table,
        params: &EarrayParams,
        address: u64,
    ) -> Option<Option<Self>> {
        let context = FormatContext::default_v3();
        let header =
            ExtensibleArrayHeader::decode(&bytes.up_to(address, HEADER)?, &context).ok()?;
        if header.idx_blk_addr == NOWHERE {
            return Some(None);
        }
        let geometry = EaGeometry::new(
            params.idx_blk_elmts,
            params.data_blk_min_elmts,
            params.sup_blk_min_data_ptrs,
            params.max_nelmts_bits,
            params.max_dblk_page_nelmts_bits,
        )
        .ok()?;
        let is_filtered = header.class_id == EA_CLS_FILT_CHUNK;
        let size = if is_filtered { Some(header.raw_elmt_size.checked_sub(12)?) } else { None };
        if size.is_some_and(|size| size > 8) {
            return None;
        }
        let block = bytes.up_to(header.idx_blk_addr, INDEX_BLOCK)?;
        let count = usize::from(params.idx_blk_elmts);
        let (data, supers) = (geometry.ndblk_addrs, geometry.nsblk_addrs);
        let image = table.image as u64;
        let (first, blocks, supers) = match size {
            Some(size) => {
                let block =
                    FilteredIndexBlock::decode(&block, &context, count, data, supers, size).ok()?;
                let first = block.elements.iter().map(|e| (e.addr, e.nbytes, e.filter_mask));
                (first.collect(), block.dblk_addrs, block.sblk_addrs)
            }
            None => {
                let block =
                    ExtensibleArrayIndexBlock::decode(&block, &context, count, data, supers);
                let block = block.ok()?;
                let first = block.elements.iter().map(|&address| (address, image, 0));
                (first.collect(), block.dblk_addrs, block.sblk_addrs)
            }
        };
        let (held_super, held, bits) = (None, None, params.max_nelmts_bits);
        let array =
            Self { bytes, geometry, bits, size, image, first, blocks, supers, held_super, held };
        Some(Some(array))
    }

    /// What the array has of chunk number `number`.
    fn find(&mut self, number: u64) -> Option<Found> {
        let at = match self.geometry.locate(number).ok()? {
            EaLoc::Index { elem } => return self.first.get(elem).copied(),
            EaLoc::Dblk(at) => at,
        };
        let pages = self.geometry.npages(at.sblk_idx);
        let page = at.offset_in_dblk / self.geometry.dblk_page_nelmts;
        let (block, is_there) = match at.path {
            EaDblkPath::Direct { idx } => (*self.blocks.get(idx)?, true),
            EaDblkPath::ViaSblk { sblk_off, local_dblk, ndblks_in_sblk, .. } => {
                let address = *self.supers.get(sblk_off)?;
                if address == NOWHERE {
                    return Some(ABSENT);
                }
                let above = self.super_block(address, at.sblk_idx, ndblks_in_sblk)?;
                let bit = local_dblk * pages as usize + page as usize;
                let is_there =
                    !at.paged || above.page_init.get(bit / 8)? & (0x80 >> (bit % 8)) != 0;
                (*above.dblk_addrs.get(local_dblk)?, is_there)
            }
        };
        if block == NOWHERE || !is_there {
            return Some(ABSENT);
        }
        let prefix = self.geometry.dblk_prefix_size(ADDRESS as u8, self.bits) as u64;
        if !at.paged {
            // The checksum of the block is behind its elements.
            let from = block.checked_add(prefix - SUM as u64)?;
            let elements = self.elements(block, from, at.dblk_nelmts)?;
            return elements.get(at.offset_in_dblk as usize).copied();
        }
        let (size, count) =
            (self.geometry.dblk_page_size(self.width()), self.geometry.dblk_page_nelmts);
        let from = block.checked_add(prefix)?.checked_add(page.checked_mul(size as u64)?)?;
        let elements = self.elements(from, from, count)?;
        elements.get((at.offset_in_dblk % count) as usize).copied()
    }

    /// Bytes of an element.
    fn width(&self) -> usize {
        ADDRESS + self.size.map_or(0, |size| usize::from(size) + 4)
    }

    /// The addresses of data blocks in the block at `address`, that of number `index`, which has
    /// `count` of them.
    fn super_block(
        &mut self,
        address: u64,
        index: usize,
        count: usize,
    ) -> Option<&ExtensibleArraySuperBlock> {
        if self.held_super.as_ref().is_none_or(|(held, _)| *held != address) {
            let context = FormatContext::default_v3();
            let is_paged = self.geometry.is_sblk_paged(index);
            let init = if is_paged { count * self.geometry.dblk_page_init_size(index) } else { 0 };
            let bytes = self.bytes.up_to(address, (32 + init + count * ADDRESS) as u64)?;
            let bits = self.bits;
            let block = ExtensibleArraySuperBlock::decode(&bytes, &context, bits, count, init);
            self.held_super = Some((address, block.ok()?));
        }
        self.held_super.as_ref().map(|(_, block)| block)
    }

    /// The `count` elements from byte `from` on; the checksum behind them is of all from `start`
    /// on.
    fn elements(&mut self, start: u64, from: u64, count: u64) -> Option<&[Found]> {
        if self.held.as_ref().is_none_or(|(held, _)| *held != from) {
            let before = (from - start) as usize;
            let length =
                count.checked_mul(self.width() as u64)?.checked_add((before + SUM) as u64)?;
            let bytes = self.bytes.at(start, length)?;
            let (bytes, sum) = bytes.split_last_chunk::<SUM>()?;
            if checksum_metadata(bytes) != u32::from_le_bytes(*sum) {
                return None;
            }
            let (size, image) = (self.size, self.image);
            let element = |bytes: &[u8]| {
                let (address, rest) = bytes.split_at(ADDRESS);
                let Some(size) = size else { return (number(address), image, 0) };
                let (bytes, mask) = rest.split_at(usize::from(size));
                (number(address), number(bytes), number(mask) as u32)
            };
            let elements = bytes[before..].chunks_exact(self.width()).map(element).collect();
            self.held = Some((from, elements));
        }
        self.held.as_ref().map(|(_, elements)| &elements[..])
    }
}
