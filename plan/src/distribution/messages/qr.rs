//! What a tiled QR factorisation with a flat tree sends.

use super::{Messages, RankSet};
use crate::distribution::OwnerMap;
use tegula_tiles::Storage;

/// Messages of the tiled QR factorisation with a flat tree (Buttari, Langou, Kurzak, Dongarra, "A
/// class of parallel tiled linear algebra algorithms for multicore architectures", Parallel
/// Computing 35 (2009), algorithm 2), in which the owner of the upper one of the two tiles that a
/// task writes runs it. At step `k`
///
/// - tile `(i, j)`, with neither index below `k`, goes to the owner of `(k, j)`, which keeps it,
/// - the reflectors that are then in `(i, k)` go from the owner of `(k, k)` to those of row `k`
///   right of it, and their triangle, which is a message of its own, likewise.
///
/// # Panics
/// If the map is that of a triangle.
#[must_use]
pub fn qr(map: &OwnerMap) -> Messages {
    assert!(map.storage() == Storage::Full, "QR needs the whole matrix, not a triangle");
    let (m, n) = (map.rows(), map.columns());
    let mut messages = Messages::none(map.ranks());
    for k in 0..m.min(n) {
        let mut right = RankSet::empty(map.ranks());
        right.extend((k + 1..n).map(|j| map.owner(k, j)));
        for i in k..m {
            for j in k..n {
                // The row above has left it where that was owned.
                let from = map.owner(if k == 0 { i } else { k - 1 }, j);
                messages.pass(from, map.owner(k, j));
            }
            // The reflectors, and their triangle.
            messages.send(map.owner(k, k), &right);
            messages.send(map.owner(k, k), &right);
        }
    }
    messages
}
