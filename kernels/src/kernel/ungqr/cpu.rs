//! The multiplication by a backend's products.

use super::Ungqr;
use crate::backend::Blas;
use crate::householder::{form, room_to_form};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

impl<T: Scalar> Ungqr<T> {
    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the views have other shapes.
    #[inline(never)]
    pub fn compute(&self, blas: &dyn Blas<T>, a: TileMut<'_, T>, t: TileRef<'_, T>) {
        let &Self { storev, n, k, offset, .. } = self;
        let (mut above, a) = storev.in_columns_mut(a).split_rows(offset);
        above.apply(|_| T::ZERO);
        with_room(room_to_form(n, k), |room| form(blas, a, t, room));
    }
}
