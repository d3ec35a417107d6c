//! Chunks under a B-tree of version 1, as HDF5 1.8 and before have them.

use rust_hdf5::format::btree_v1::ChunkBTreeV1Node;

use super::{Table, damaged};
use crate::hdf5::headers::{Bytes, number};
use crate::hdf5::storage::NOWHERE;

/// Most nodes that wait to be read.
const MOST_NODES: usize = 1 << 22;

impl Bytes<'_> {
    /// Fills `table`, of a data set of `rank` dimensions, from the tree at `root`.
    ///
    /// # Errors
    /// If the tree is damaged.
    pub(in crate::hdf5) fn fill_by_tree(
        self,
        table: &mut Table,
        rank: usize,
        root: u64,
    ) -> Result<(), String> {
        let mut nodes = if root == NOWHERE { vec![] } else { vec![(root, u8::MAX)] };
        while let Some((address, above)) = nodes.pop() {
            let start = self.at(address, 24).ok_or_else(damaged)?;
            let used = number(&start[6..8]);
            let key = 8 + 8 * (rank as u64 + 1);
            let bytes = self.at(address, 24 + used * (key + 8) + key).ok_or_else(damaged)?;
            let node =
                ChunkBTreeV1Node::decode(&bytes, 8, rank, u16::MAX).map_err(|_| damaged())?;
            if node.level >= above || nodes.len() > MOST_NODES {
                return Err(damaged());
            }
            for (key, &child) in node.keys.iter().zip(&node.children) {
                if node.level > 0 {
                    nodes.push((child, node.level));
                } else if let Some(place) =
                    table.index_of(&key.offsets[..rank]).map_err(|()| damaged())?
                {
                    let chunk = &mut table.chunks[place];
                    self.note(chunk, (child, u64::from(key.chunk_size), key.filter_mask))?;
                }
            }
        }
        Ok(())
    }
}
