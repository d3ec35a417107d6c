//! The product of packed operands.

mod list_entry;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::Gemm;
use crate::backend;
use crate::option::Trans;
use crate::packed::{PackedRef, PackedShape};
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(in crate::kernel) use list_entry::ListEntry;

/// `C = alpha A B' + beta C` with `A` and `B` packed; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct GemmPacked<T> {
    /// Rows of `A` and `C`.
    pub m: usize,
    /// Rows of `B`, columns of `C`.
    pub n: usize,
    /// Columns of `A` and `B`.
    pub k: usize,
    /// Rows of a micro-panel.
    pub height: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> GemmPacked<T> {
    /// Shapes of `A` and `B`.
    pub(in crate::kernel) fn operands(&self) -> (PackedShape, PackedShape) {
        let &Self { m, n, k, height, .. } = self;
        let shape = |rows| PackedShape { rows, cols: k, height };
        (shape(m), shape(n))
    }

    /// The same product of tiles.
    pub(in crate::kernel) fn of_tiles(&self) -> Gemm<T> {
        let &Self { m, n, k, alpha, beta, .. } = self;
        Gemm { trans_a: Trans::No, trans_b: Trans::Yes, m, n, k, alpha, beta }
    }
}

impl<T: Scalar> Codelet for GemmPacked<T> {
    const NAME: &'static str = Gemm::<T>::NAME;
    const ACCESS: &'static [Access] = Gemm::<T>::ACCESS;

    fn cost(&self) -> Cost {
        self.of_tiles().cost()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (a, b) = self.operands();
        let a = PackedRef::of(buffers, 0, a);
        let b = PackedRef::of(buffers, 1, b);
        let c = TileMut::of(buffers, 2, self.m, self.n);
        T::blas(backend::current()).gemm_packed(self.alpha, a, b, self.beta, c);
        Ok(())
    }
}
