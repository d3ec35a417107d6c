//! Chunks under a B-tree of version 2, of data sets that may grow along both axes.

use rust_hdf5::format::FormatContext;
use rust_hdf5::format::chunk_index::btree_v2::{
    BT2_TYPE_CHUNK_UNFILT, Bt2ChunkIndex, Bt2Header, collect_btree_v2_records,
};

use super::{Blocks, Found, Table, damaged};
use crate::hdf5::headers::Bytes;
use crate::hdf5::storage::NOWHERE;

/// Bytes of a header, and more.
const HEADER: u64 = 256;

impl Bytes<'_> {
    /// Fills `table`, of a data set of `rank` dimensions, from the tree at `address`.
    ///
    /// # Errors
    /// If the tree is damaged.
    pub(in crate::hdf5) fn fill_by_tree_2(
        self,
        table: &mut Table,
        rank: usize,
        address: u64,
    ) -> Result<(), String> {
        if address == NOWHERE {
            return Ok(());
        }
        for (offsets, found) in self.records(table, rank, address).ok_or_else(damaged)? {
            let offsets = match *offsets {
                [column] => [0, column],
                [row, column] => [row, column],
                _ => return Err(damaged()),
            };
            if let Some(place) = table.place(offsets) {
                self.note(&mut table.chunks[place], found)?;
            }
        }
        Ok(())
    }

    /// Rows and columns of chunks, and what is there.
    fn records(self, table: &Table, rank: usize, address: u64) -> Option<Vec<(Vec<u64>, Found)>> {
        let context = FormatContext::default_v3();
        let header = Bt2Header::decode(&self.up_to(address, HEADER)?, &context).ok()?;
        let size = usize::from(header.record_size);
        // Every record takes room in the file.
        if header.total_num_records.checked_mul(size as u64)? > self.superblock.length || size == 0
        {
            return None;
        }
        let records = collect_btree_v2_records(&header, &context, &mut Blocks(self)).ok()?;
        let count = records.len() / size;
        if header.record_type == BT2_TYPE_CHUNK_UNFILT {
            let found = Bt2ChunkIndex::decode_unfiltered_records(&records, count, rank, &context);
            let plain = |address| (address, table.image as u64, 0);
            let found = found.ok()?.into_iter();
            return Some(found.map(|r| (r.scaled_offsets, plain(r.chunk_address))).collect());
        }
        let size = header.record_size;
        let found = Bt2ChunkIndex::decode_filtered_records(&records, count, rank, size, &context);
        let found = found.ok()?.into_iter();
        Some(
            found
                .map(|r| (r.scaled_offsets, (r.chunk_address, r.chunk_size, r.filter_mask)))
                .collect(),
        )
    }
}
