//! Owners by a map of the whole grid of tiles, which is made when the first tile asks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tegula_runtime::ranks::{Owners, Rank, Spot};

use super::OwnerMap;
use tegula_tiles::Storage;

/// A distribution that looks at the whole grid of tiles.
pub trait Strategy: Send + Sync {
    /// The owners of `rows x columns` tiles of which those of `storage` are there. A triangle is
    /// square.
    fn map(&self, grid: (usize, usize), storage: Storage) -> OwnerMap;
}

/// Maps that are kept; a computation has few shapes of matrices, but may be asked about many.
const KEPT: usize = 8;

/// Owners as a [`Strategy`] maps them.
///
/// A grid that is not square is mapped as [`Storage::Full`].
pub struct Planned<S> {
    strategy: S,
    storage: Storage,
    made: Mutex<VecDeque<Arc<OwnerMap>>>,
}

impl<S: Strategy> Planned<S> {
    /// Owners as `strategy` maps square grids of which the tiles of `storage` are there.
    #[must_use]
    pub fn new(strategy: S, storage: Storage) -> Self {
        Self { strategy, storage, made: Mutex::default() }
    }

    fn map(&self, grid: (usize, usize)) -> Arc<OwnerMap> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = made.iter().find(|map| (map.rows(), map.columns()) == grid) {
            return map.clone();
        }
        let storage = if grid.0 == grid.1 { self.storage } else { Storage::Full };
        let map = Arc::new(self.strategy.map(grid, storage));
        made.truncate(KEPT - 1);
        made.push_front(map.clone());
        map
    }
}

impl<S: Strategy> Owners for Planned<S> {
    fn owner(&self, spot: Spot, _: usize) -> Rank {
        Rank(self.map((spot.rows, spot.columns)).owner(spot.row, spot.column) as u16)
    }
}
