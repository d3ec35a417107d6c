//! The copy, by views of the blocks.

use super::CopyPart;
use crate::kernel::geadd::Geadd;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> CopyPart<T> {
    /// Copies.
    ///
    /// # Panics
    /// If the block leaves a tile.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, b: TileMut<'_, T>) {
        let ((m, n), from, to) = (self.size(), self.from.origin(), self.to.origin());
        let (a, b) = (a.part(from.0, from.1, m, n), b.part(to.0, to.1, m, n));
        Geadd { trans: Trans::No, m, n, alpha: T::ONE, beta: T::ZERO }.compute(a, b);
    }
}
