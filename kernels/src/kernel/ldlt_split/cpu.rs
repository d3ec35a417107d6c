//! The split: a copy and a division by columns.

use super::LdltSplit;
use crate::kernel::geadd::Geadd;
use crate::kernel::ldlt::divide_columns;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

impl<T: Scalar> LdltSplit<T> {
    /// Computes; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(&self, d: TileRef<'_, T>, a: TileMut<'_, T>, w: TileMut<'_, T>) {
        let (mut a, w) = if self.is_transposed { (a.transposed(), w.transposed()) } else { (a, w) };
        let (m, n) = (a.rows(), a.cols());
        Geadd { trans: Trans::No, m, n, alpha: T::ONE, beta: T::ZERO }.compute(a.as_ref(), w);
        divide_columns(d, &mut a);
    }
}
