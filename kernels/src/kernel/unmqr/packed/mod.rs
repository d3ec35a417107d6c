//! The product with a packed block of reflectors.

mod list_entry;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::Unmqr;
use crate::backend::{self, Blas};
use crate::householder::{PackedReflectors, apply_packed, room_to_apply};
use crate::kernel::pack::{Pack, Structure};
use crate::option::{Diag, Side, Storev, Trans, Uplo};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

pub(in crate::kernel) use list_entry::ListEntry;

/// `C = op(Q) C`, or `C = C op(Q)` from the right, with `V` and `V^H` packed; buffers
/// `[V: R, V^H: R, T: R, C: RW]`, of which the first two are what [`packs`](Self::packs) makes of
/// the panel.
#[derive(Clone, Copy, Debug)]
pub struct UnmqrPacked<T> {
    /// The same product with the panel itself.
    pub product: Unmqr<T>,
    /// Rows of a micro-panel.
    pub height: u32,
}

impl<T: Scalar> UnmqrPacked<T> {
    /// The tasks that lay out `V` and `V^H` of the panel, with the ones and zeros of `V`.
    #[must_use]
    pub fn packs(&self) -> [Pack<T>; 2] {
        let Unmqr { storev, order, width, k, .. } = self.product;
        let offset = self.product.offset();
        let (m, n) = (order - offset, k);
        let [across, along] = match storev {
            Storev::Columns => [Trans::No, Trans::Conj],
            Storev::Rows => [Trans::Yes, Trans::No],
        };
        let pack = |uplo, trans, size| Pack {
            tile: storev.stored(order, width),
            first: storev.stored(offset, 0),
            ..Pack::whole(
                Structure::Triangular(uplo, Diag::Unit),
                trans,
                size,
                self.height as usize,
            )
        };
        [pack(Uplo::Lower, across, (m, n)), pack(Uplo::Upper, along, (n, m))]
    }

    /// Whether nothing packed has to be conjugated: those of complex reflectors would have to be
    /// from the right, and if they were stored by rows.
    #[must_use]
    pub fn is_computed(&self) -> bool {
        let Unmqr { side, storev, .. } = self.product;
        !T::IS_COMPLEX || (side, storev) == (Side::Left, Storev::Columns)
    }

    /// Computes with `blas`.
    ///
    /// # Panics
    /// If the shapes do not agree, or if the product [is not computed](Self::is_computed).
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        packed: PackedReflectors<'_, T>,
        t: TileRef<'_, T>,
        c: TileMut<'_, T>,
    ) {
        let Unmqr { side, order, k, .. } = self.product;
        assert!(self.is_computed(), "conjugated packed operands for {:?}", self.product);
        let (offset, (_, trans)) = (self.product.offset(), self.product.on_the_left());
        let c = if side == Side::Left { c } else { c.transposed() };
        let n = c.cols();
        let c = c.part(offset, 0, order - offset, n);
        with_room(room_to_apply(k, n), |room| apply_packed(blas, (packed, t), trans, c, room));
    }
}

impl<T: Scalar> Codelet for UnmqrPacked<T> {
    const NAME: &'static str = Unmqr::<T>::NAME;
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        self.product.cost()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let [columns, rows] = self.packs().map(|pack| pack.shape());
        let packed = PackedReflectors {
            columns: PackedRef::of(buffers, 0, columns),
            rows: PackedRef::of(buffers, 1, rows),
        };
        let Unmqr { m, n, k, .. } = self.product;
        let (t, c) = (TileRef::of(buffers, 2, k, k), TileMut::of(buffers, 3, m, n));
        self.compute(T::blas(backend::current()), packed, t, c);
        Ok(())
    }
}
