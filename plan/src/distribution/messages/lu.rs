//! What a tiled LU factorisation without pivoting sends.

use super::{Messages, RankSet};
use crate::distribution::OwnerMap;
use tegula_tiles::Storage;

/// Messages of the right-looking tiled LU factorisation without pivoting (L. L. Nesi, PhD thesis,
/// UGA and UFRGS, 2023, section 2.1, algorithm 1). At step `k`
///
/// - tile `(k, k)` goes to the owners of what is below it and right of it,
/// - tile `(i, k)` below it to the owners of row `i` right of column `k`,
/// - tile `(k, j)` right of it to the owners of column `j` below row `k`.
///
/// Takes `O(n^2)` sets of ranks for `n x n` tiles. One with pivoting sends other things, too.
///
/// # Panics
/// If the map is that of a triangle.
#[must_use]
pub fn lu(map: &OwnerMap) -> Messages {
    assert!(map.storage() == Storage::Full, "LU needs the whole matrix, not a triangle");
    let (m, n, none) = (map.rows(), map.columns(), RankSet::empty(map.ranks()));
    let mut messages = Messages::none(map.ranks());
    // Owners of each row right of column k, and of each column below row k.
    let mut rows: Vec<RankSet> = (0..m).map(|_| none.clone()).collect();
    let mut columns: Vec<RankSet> = (0..n).map(|_| none.clone()).collect();
    let steps = m.min(n);
    (0..m).for_each(|i| rows[i].extend((steps..n).map(|j| map.owner(i, j))));
    (0..n).for_each(|j| columns[j].extend((steps..m).map(|i| map.owner(i, j))));
    for k in (0..steps).rev() {
        let mut panels = none.clone();
        panels.extend((k + 1..m).map(|i| map.owner(i, k)));
        panels.extend((k + 1..n).map(|j| map.owner(k, j)));
        messages.send(map.owner(k, k), &panels);
        (k + 1..m).for_each(|i| messages.send(map.owner(i, k), &rows[i]));
        (k + 1..n).for_each(|j| messages.send(map.owner(k, j), &columns[j]));
        (0..m).for_each(|i| rows[i].insert(map.owner(i, k)));
        (0..n).for_each(|j| columns[j].insert(map.owner(k, j)));
    }
    messages
}
