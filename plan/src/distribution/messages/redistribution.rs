//! What goes from one map of owners to another.

use super::Messages;
use crate::distribution::OwnerMap;

/// Messages when all tiles of a matrix go from the owners of one map to those of another.
///
/// # Panics
/// If the maps have not the same tiles and ranks.
#[must_use]
pub fn redistribution(from: &OwnerMap, to: &OwnerMap) -> Messages {
    let tiles = |map: &OwnerMap| (map.rows(), map.columns(), map.storage(), map.ranks());
    assert_eq!(tiles(from), tiles(to), "rows and columns of tiles, storage and ranks");
    let mut messages = Messages::none(from.ranks());
    for (i, j) in from.tiles() {
        messages.pass(from.owner(i, j), to.owner(i, j));
    }
    messages
}
