//! QR factorization of a panel: `A = Q R`, or `A = L Q` of one whose rows take the part of columns.
//!
//! Shapes: the panel is `m x n` (stored by rows: `n x m`), of which the rows (columns) from
//! `offset` on are factorized, into `k = min(m - offset, n)` reflectors. Overwrites them as LAPACK
//! does: `R` on and above the diagonal, the reflectors below; writes their `k` factors `tau` and
//! the `k x k` triangle `T` of the block that they are, with zeros below its diagonal. Of a panel
//! stored by rows everything is that of its transpose, but `tau`, which is conjugated.
//! Cannot fail; NaN passes through.
//! Source: LAPACK's `geqrt3` and `larfg`; Elmroth, Gustavson, IBM J. Res. Dev. 44 (2000).

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::bytes;
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;

/// The factorization with its arguments; buffers `[A: RW, TAU: W, T: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Geqrt<T> {
    /// Whether it is a QR or an LQ factorization.
    pub storev: Storev,
    /// Rows of the panel, or columns if it is stored by rows.
    pub m: usize,
    /// Columns of the panel, or rows.
    pub n: usize,
    /// First row, or column, that is factorized.
    pub offset: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Geqrt<T> {
    /// Number of reflectors.
    #[must_use]
    pub fn count(&self) -> usize {
        (self.m - self.offset).min(self.n)
    }
}

/// Flops of the factorization of an `m x n` matrix, to leading order (LAWN 41).
#[must_use]
pub fn flops(m: usize, n: usize) -> f64 {
    let (short, long) = (m.min(n) as f64, m.max(n) as f64);
    2.0 * short * short * (long - short / 3.0)
}

impl<T: Scalar> Codelet for Geqrt<T> {
    const NAME: &'static str = "geqrt";
    const ACCESS: &'static [Access] = &[Access::RW, Access::W, Access::W];

    fn cost(&self) -> Cost {
        let (m, n) = (self.m - self.offset, self.n);
        Cost { flops: flops(m, n), bytes: bytes::<T>(&[2 * m * n, n * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let ((rows, cols), k) = (self.storev.stored(self.m, self.n), self.count());
        let a = TileMut::of(buffers, 0, rows, cols);
        let (tau, t) = (TileMut::of(buffers, 1, k, 1), TileMut::of(buffers, 2, k, k));
        self.compute(T::blas(backend::current()), a, tau, t);
        Ok(())
    }

    /// On devices, of real numbers.
    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
