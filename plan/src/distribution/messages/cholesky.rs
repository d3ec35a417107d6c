//! What a tiled Cholesky factorisation sends.

use super::{Messages, RankSet};
use crate::distribution::OwnerMap;

/// Messages of the right-looking tiled Cholesky factorisation of a lower triangle (L. L. Nesi, PhD
/// thesis, UGA and UFRGS, 2023, section 2.1, algorithm 2). At step `k`
///
/// - tile `(k, k)` goes to the owners of what is below it,
/// - tile `(i, k)` below it to the owners of row `i` from column `k + 1` to the diagonal, and of
///   column `i` from there down.
///
/// Of a map of all tiles the upper ones do not count.
///
/// # Panics
/// If the map is not square.
#[must_use]
pub fn cholesky(map: &OwnerMap) -> Messages {
    let n = map.rows();
    assert_eq!(n, map.columns(), "rows and columns of tiles");
    let mut messages = Messages::none(map.ranks());
    // Owners of each row from column k + 1 to the diagonal, and of the column from there down.
    let mut crosses = vec![RankSet::empty(map.ranks()); n];
    (0..n).for_each(|i| crosses[i].extend((i..n).map(|j| map.owner(j, i))));
    for k in (0..n).rev() {
        let mut panel = RankSet::empty(map.ranks());
        panel.extend((k + 1..n).map(|i| map.owner(i, k)));
        messages.send(map.owner(k, k), &panel);
        (k + 1..n).for_each(|i| messages.send(map.owner(i, k), &crosses[i]));
        (k + 1..n).for_each(|i| crosses[i].insert(map.owner(i, k)));
    }
    messages
}
