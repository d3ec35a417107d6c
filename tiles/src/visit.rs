//! The tiles of a matrix on one rank, one after the other: for files that it writes.

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::ranks::Rank;

use super::descriptor::{TileIndex, TileMatrix};

/// Bytes that are brought to the rank at once: so many that it waits little, so few that it holds
/// them.
const BATCH: usize = 64 << 20;

impl<T: Scalar> TileMatrix<T> {
    /// Waits, then calls `visit` on `rank` with each of `tiles` and its entries, in order. The
    /// other ranks call this as well, and receive nothing. Tiles come in batches, and their copies
    /// go again.
    ///
    /// # Errors
    /// Those of tasks submitted before.
    ///
    /// # Panics
    /// If there is no such tile, or no such rank.
    pub fn visit_at(
        &self,
        flow: &mut Flow,
        rank: Rank,
        tiles: impl IntoIterator<Item = TileIndex>,
        mut visit: impl FnMut(TileIndex, &[T]),
    ) -> Result<(), FlowError> {
        let tiles: Vec<TileIndex> = tiles.into_iter().collect();
        let tile_bytes = self.mb().min(self.m()) * self.nb().min(self.n()) * size_of::<T>();
        for batch in tiles.chunks((BATCH / tile_bytes.max(1)).max(1)) {
            let handle = |tile: &TileIndex| self.tile(tile.row, tile.column);
            batch.iter().for_each(|tile| flow.bring(handle(tile), rank));
            for &tile in batch {
                if let Some(entries) = flow.read_at::<T>(handle(&tile), rank)? {
                    visit(tile, entries);
                }
                flow.done_with_copies(handle(&tile));
            }
        }
        Ok(())
    }
}
