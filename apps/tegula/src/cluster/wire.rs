//! Maps of owners on their way from rank 0 to the others.

use tegula_tiles::Storage;
use tegula_tiles::owners::OwnerMap;

/// The owners of the tiles of `map`, in the order of the tiles.
pub(super) fn owners_of(map: &OwnerMap) -> Vec<u64> {
    map.tiles().map(|(row, column)| map.owner(row, column) as u64).collect()
}

/// The map of this shape over so many ranks whose tiles have these `owners`.
pub(super) fn map_of(
    shape: (usize, usize),
    storage: Storage,
    ranks: usize,
    owners: &[u64],
) -> OwnerMap {
    let mut owners = owners.iter();
    let next = |_, _| owners.next().map_or(0, |&owner| owner as usize);
    OwnerMap::new(shape, storage, ranks, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_come_as_they_went() {
        for (shape, storage) in [((4, 4), Storage::Lower), ((3, 5), Storage::Full)] {
            let map = OwnerMap::new(shape, storage, 3, |i, j| (i + 2 * j) % 3);
            assert_eq!(map_of(shape, storage, 3, &owners_of(&map)), map);
        }
    }
}
