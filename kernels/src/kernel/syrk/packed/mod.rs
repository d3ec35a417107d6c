//! The symmetric product of a packed operand.

mod list_entry;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::Syrk;
use crate::backend;
use crate::option::{Form, Trans, Uplo};
use crate::packed::{PackedRef, PackedShape};
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(in crate::kernel) use list_entry::ListEntry;

/// Lower triangle of `C = alpha A A' + beta C` with `A` packed; buffers `[A: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct SyrkPacked<T> {
    /// Order of `C`.
    pub n: usize,
    /// Columns of `A`.
    pub k: usize,
    /// Rows of a micro-panel.
    pub height: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> SyrkPacked<T> {
    /// Shape of `A`.
    pub(in crate::kernel) fn operand(&self) -> PackedShape {
        PackedShape { rows: self.n, cols: self.k, height: self.height }
    }

    /// The same product of a tile.
    pub(in crate::kernel) fn of_tile(&self) -> Syrk<T> {
        let &Self { n, k, alpha, beta, .. } = self;
        let (form, uplo, trans) = (Form::Symmetric, Uplo::Lower, Trans::No);
        Syrk { form, uplo, trans, n, k, alpha, beta }
    }
}

impl<T: Scalar> Codelet for SyrkPacked<T> {
    const NAME: &'static str = Syrk::<T>::NAME;
    const ACCESS: &'static [Access] = Syrk::<T>::ACCESS;

    fn cost(&self) -> Cost {
        self.of_tile().cost()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = PackedRef::of(buffers, 0, self.operand());
        let c = TileMut::of(buffers, 1, self.n, self.n);
        T::blas(backend::current()).syrk_packed(self.alpha, a, self.beta, c);
        Ok(())
    }
}
