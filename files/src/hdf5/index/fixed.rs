//! Chunks in an array of fixed length, in pages if it is long (`H5FA` of HDF5), and chunks without
//! an index.

use rust_hdf5::format::FormatContext;
use rust_hdf5::format::chunk_index::fixed_array::{
    FA_CLIENT_FILT_CHUNK, FixedArrayDataBlock, FixedArrayHeader, FixedArrayPagedPrefix,
    decode_filtered_page, decode_unfiltered_page,
};
use rust_hdf5::format::messages::data_layout::SingleChunkFilter;

use super::{ABSENT, Found, Table, damaged};
use crate::hdf5::headers::Bytes;
use crate::hdf5::storage::NOWHERE;

impl Bytes<'_> {
    /// The only chunk, at `address`.
    ///
    /// # Errors
    /// If it is past the end of the file.
    pub(in crate::hdf5) fn fill_by_one(
        self,
        table: &mut Table,
        filtered: Option<&SingleChunkFilter>,
        address: u64,
    ) -> Result<(), String> {
        let [chunk] = &mut table.chunks[..] else { return Err(damaged()) };
        let plain = (table.image as u64, 0);
        let (size, mask) = filtered.map_or(plain, |chunk| (chunk.nbytes, chunk.filter_mask));
        self.note(chunk, (address, size, mask))
    }

    /// Chunks that stand one after another from `address` on.
    ///
    /// # Errors
    /// If one is past the end of the file.
    pub(in crate::hdf5) fn fill_in_order(
        self,
        table: &mut Table,
        address: u64,
    ) -> Result<(), String> {
        let image = table.image as u64;
        for place in 0..table.chunks.len() {
            let before = table.number(place).checked_mul(image);
            let at = before.and_then(|before| address.checked_add(before)).ok_or_else(damaged)?;
            let found = if address == NOWHERE { ABSENT } else { (at, image, 0) };
            self.note(&mut table.chunks[place], found)?;
        }
        Ok(())
    }

    /// Chunks in an array of fixed length, in pages if it is long.
    ///
    /// # Errors
    /// If the array is damaged.
    pub(in crate::hdf5) fn fill_by_array(
        self,
        table: &mut Table,
        address: u64,
    ) -> Result<(), String> {
        if address == NOWHERE {
            return Ok(());
        }
        let found = self.array(table, address).ok_or_else(damaged)?;
        for place in 0..table.chunks.len() {
            let found = found.get(table.number(place) as usize).copied().unwrap_or(ABSENT);
            self.note(&mut table.chunks[place], found)?;
        }
        Ok(())
    }

    /// Address, size and mask of each chunk of `table`.
    fn array(self, table: &Table, address: u64) -> Option<Vec<Found>> {
        let context = FormatContext::default_v3();
        let header = FixedArrayHeader::decode(&self.at(address, 28)?, &context).ok()?;
        if Some(header.num_elmts) != table.slots() {
            return None;
        }
        let block = header.data_blk_addr;
        if block == NOWHERE {
            return Some(Vec::new());
        }
        // Each has an address in the file.
        if header.num_elmts.checked_mul(8)? > self.superblock.length {
            return None;
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
            let count = header.num_elmts as usize;
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
        let mut found = Vec::with_capacity(header.num_elmts as usize);
        for page in 0..pages {
            let count = in_page.min(header.num_elmts - page * in_page) as usize;
            if !prefix.page_initialized(page as usize) {
                found.extend(std::iter::repeat_n(ABSENT, count));
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
