//! The solve whose result is packed too, for the products that read it.

mod list_entry;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::Trsm;
use crate::backend::{self, Blas};
use crate::kernel;
use crate::option::{Diag, Side, Trans, Uplo};
use crate::packed::{PackedMut, PackedShape};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(in crate::kernel) use list_entry::ListEntry;

/// `B = B inv(L')`, and `B` packed; buffers `[L: R, B: RW, packed: W]`.
#[derive(Clone, Copy, Debug)]
pub struct TrsmPacked<T> {
    /// Rows of `B`.
    pub m: usize,
    /// Columns of `B`, order of `L`.
    pub n: usize,
    /// Rows of the tile that holds `L`, at least its order.
    pub ld: usize,
    /// Rows of a micro-panel.
    pub height: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> TrsmPacked<T> {
    /// Shape of the packed result.
    pub(in crate::kernel) fn result(&self) -> PackedShape {
        PackedShape { rows: self.m, cols: self.n, height: self.height }
    }

    /// The same solve without packing.
    pub(in crate::kernel) fn of_tile(&self) -> Trsm<T> {
        let &Self { m, n, ld, .. } = self;
        let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Yes);
        Trsm { side, uplo, trans, diag: Diag::NonUnit, m, n, ld, alpha: T::ONE }
    }

    /// Computes with `blas`; the views tell the sizes.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        l: TileRef<'_, T>,
        b: TileMut<'_, T>,
        packed: PackedMut<'_, T>,
    ) {
        let (l, b) = self.of_tile().on_the_left(l, b);
        blas.trsm_packed(l, b, packed);
    }
}

impl<T: Scalar> Codelet for TrsmPacked<T> {
    const NAME: &'static str = Trsm::<T>::NAME;
    const ACCESS: &'static [Access] = &[Access::R, Access::RW, Access::W];

    fn cost(&self) -> Cost {
        let Cost { flops, bytes } = self.of_tile().cost();
        Cost { flops, bytes: bytes + kernel::bytes::<T>(&[self.result().elements()]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let l = TileRef::corner_of(buffers, 0, self.ld, (self.n, self.n));
        let b = TileMut::of(buffers, 1, self.m, self.n);
        let packed = PackedMut::of(buffers, 2, self.result());
        self.compute(T::blas(backend::current()), l, b, packed);
        Ok(())
    }
}
