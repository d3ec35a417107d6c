//! One step of a triangular solve with the triangle of a QR or LQ factorization, whose block
//! columns (rows) are one handle each: `X = op(R)^-1 B`, or with `L`.
//!
//! Shapes: `B` is `rows x nrhs`; the block is `m x n` (stored by rows: `n x m`), its triangle of
//! order `k` begins at row `offset`, and what is above counts too. With a triangle that is upper
//! (`R`, `L^H`) rows `offset..offset + k` of `B` are solved and then taken out of those above; with
//! its adjoint (`R^H`, `L`) those above are taken out first. Overwrites these rows of `B`.
//! A zero on the diagonal is for [`CheckBlock`] to find, in ascending order of blocks.
//! Source: Golub, Van Loan, "Matrix computations", 3.1; LAPACK's `trtrs`.

mod check;
mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;
mod zero;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub use check::CheckBlock;
pub(super) use list_entry::ListEntry;
pub use zero::ZeroRows;

/// The step with its arguments; buffers `[R: R, CHECKED: R, B: RW]`.
///
/// `CHECKED` holds nothing: it is what the checks of the diagonal write.
#[derive(Clone, Copy, Debug)]
pub struct TrsmBlock<T> {
    /// Whether the triangle is the `R` of a QR or the `L` of an LQ factorization.
    pub storev: Storev,
    /// `No`, or `Conj` for its conjugate transpose.
    pub trans: Trans,
    /// Rows of the block, or columns if it is stored by rows.
    pub m: usize,
    /// Columns of the block, or rows.
    pub n: usize,
    /// Order of its triangle, at most `n`.
    pub k: usize,
    /// Row of the triangle's first entry.
    pub offset: usize,
    /// Rows of `B`, at least `offset + k`.
    pub rows: usize,
    /// Columns of `B`.
    pub nrhs: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> TrsmBlock<T> {
    /// The block as columns of an upper triangle, and how it enters.
    fn entering<'a>(&self, a: TileRef<'a, T>) -> (TileRef<'a, T>, Trans) {
        let a = self.storev.in_columns(a).part(0, 0, self.offset + self.k, self.k);
        match (self.storev, self.trans) {
            (Storev::Columns, trans) => (a, trans),
            (Storev::Rows, Trans::No) => (a, Trans::Yes),
            (Storev::Rows, _) => (a.conjugated(), Trans::No),
        }
    }
}

impl<T: Scalar> Codelet for TrsmBlock<T> {
    const NAME: &'static str = "trsm-block";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { k, offset, nrhs, .. } = self;
        let n = nrhs as usize;
        let flops = product(&[k, k, n]) + 2.0 * product(&[k, offset, n]);
        Cost { flops, bytes: bytes::<T>(&[(offset + k) * k, 2 * (offset + k) * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.storev.stored(self.m, self.n);
        let a = TileRef::of(buffers, 0, rows, cols);
        let b = TileMut::of(buffers, 2, self.rows, self.nrhs as usize);
        self.compute(T::blas(backend::current()), a, b);
        Ok(())
    }

    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
