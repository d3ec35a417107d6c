//! Product with a block of reflectors: `C = op(Q) C`, or `C = C op(Q)` from the right.
//!
//! Shapes: `C` is `m x n`; the `k` reflectors stand in a panel of `order x width` (stored by rows:
//! `width x order`), below the diagonal that begins at row `offset`, with the triangle `T` that
//! `geqrt` or `larft` has made. `Q` is `I - V T V^H`, or its transpose of reflectors stored by
//! rows, and meets the rows (from the right: columns) `offset..order` of `C`. Reads `V` below its
//! diagonal and `T` above; overwrites that part of `C`. Cannot fail.
//! Source: LAPACK's `larfb`; Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10 (1989).

mod cpu;
mod cuda;
mod list_entry;
pub mod packed;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Side, Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[V: R, T: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Unmqr<T> {
    /// On which side of `C` the block stands.
    pub side: Side,
    /// `No`, or `Conj` for its conjugate transpose (in real precisions `Yes` too).
    pub trans: Trans,
    /// How the reflectors are stored.
    pub storev: Storev,
    /// Rows of `C`.
    pub m: usize,
    /// Columns of `C`.
    pub n: usize,
    /// Rows of the panel, or columns if it is stored by rows.
    pub order: usize,
    /// Columns of the panel, or rows.
    pub width: usize,
    /// Number of reflectors, at most `width`.
    pub k: usize,
    /// Row of the first reflector's one in the panel, and of `C` that it meets.
    pub offset: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Unmqr<T> {
    fn offset(&self) -> usize {
        self.offset as usize
    }

    /// What is to be done with reflectors in columns from the left: whether all is conjugated, and
    /// the product with the block or its conjugate transpose.
    ///
    /// From the right `C Q` is the transpose of `Q' C'`, and `Q'` the conjugate transpose of the
    /// block with everything conjugated; the same holds of a `Q` stored by rows, and both undo
    /// each other.
    fn on_the_left(&self) -> (bool, Trans) {
        assert!(
            !(T::IS_COMPLEX && self.trans == Trans::Yes),
            "a transposed, not conjugated Q is no product of reflectors"
        );
        let turned = (self.side == Side::Right) != (self.storev == Storev::Rows);
        let adjoint = (self.trans != Trans::No) != turned;
        (turned, if adjoint { Trans::Conj } else { Trans::No })
    }
}

impl<T: Scalar> Codelet for Unmqr<T> {
    const NAME: &'static str = "unmqr";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (rows, k) = (self.order - self.offset(), self.k);
        let lines = if self.side == Side::Left { self.n } else { self.m };
        let flops = 4.0 * product(&[rows, k, lines]) + product(&[k, k, lines]);
        Cost { flops, bytes: bytes::<T>(&[rows * k, 2 * rows * lines]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.storev.stored(self.order, self.width);
        let v = TileRef::of(buffers, 0, rows, cols);
        let (t, c) =
            (TileRef::of(buffers, 1, self.k, self.k), TileMut::of(buffers, 2, self.m, self.n));
        self.compute(T::blas(backend::current()), v, t, c);
        Ok(())
    }

    /// On devices, of real numbers.
    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
