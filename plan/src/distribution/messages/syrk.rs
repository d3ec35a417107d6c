//! What a tiled symmetric product sends.

use super::{Messages, RankSet};
use crate::distribution::OwnerMap;

/// Messages of the tiled product `C = A A' + C`, of whose result the lower triangle is there: tile
/// `(i, k)` of `A` goes to the owners of row `i` of `C` up to the diagonal, and of column `i` from
/// there down. `a` and `c` are the owners of the two.
///
/// # Panics
/// If `C` is not square, or has other rows or ranks than `A`.
#[must_use]
pub fn syrk(a: &OwnerMap, c: &OwnerMap) -> Messages {
    let n = c.rows();
    assert_eq!((n, n), (c.columns(), a.rows()), "rows of C, its columns and rows of A");
    assert_eq!(a.ranks(), c.ranks(), "ranks of A and of C");
    let mut messages = Messages::none(c.ranks());
    for i in 0..n {
        let mut cross = RankSet::empty(c.ranks());
        cross.extend((0..=i).map(|j| c.owner(i, j)));
        cross.extend((i..n).map(|j| c.owner(j, i)));
        (0..a.columns()).for_each(|k| messages.send(a.owner(i, k), &cross));
    }
    messages
}
