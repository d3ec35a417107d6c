//! The symmetric product of an operand that was laid out in strips.

mod card;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::Syrk;
use crate::backend;
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::strips::{StripShape, StripsRef};
use crate::tile::TileMut;

pub(in crate::kernel) use card::Card;

/// Lower triangle of `C = alpha A A' + beta C` with `A` in strips; buffers `[A: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct SyrkStrips<T> {
    /// Order of `C`.
    pub n: usize,
    /// Columns of `A`.
    pub k: usize,
    /// Rows of a strip.
    pub height: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> SyrkStrips<T> {
    /// Shape of `A`.
    pub(in crate::kernel) fn operand(&self) -> StripShape {
        StripShape { rows: self.n, cols: self.k, height: self.height }
    }

    /// The same product of a tile.
    pub(in crate::kernel) fn of_tile(&self) -> Syrk<T> {
        let &Self { n, k, alpha, beta, .. } = self;
        let (form, uplo, trans) = (Form::Symmetric, Uplo::Lower, Trans::No);
        Syrk { form, uplo, trans, n, k, alpha, beta }
    }
}

impl<T: Scalar> Codelet for SyrkStrips<T> {
    const NAME: &'static str = Syrk::<T>::NAME;
    const ACCESS: &'static [Access] = Syrk::<T>::ACCESS;

    fn cost(&self) -> Cost {
        self.of_tile().cost()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = StripsRef::of(buffers, 0, self.operand());
        let c = TileMut::of(buffers, 1, self.n, self.n);
        T::blas(backend::current()).syrk_strips(self.alpha, a, self.beta, c);
        Ok(())
    }
}
