//! Logarithm of the determinant that a factored diagonal tile contributes:
//! `sum = sum + factor * (log |a_00| + log |a_11| + ...)`.
//!
//! Shapes: `A` is `n x n`, `sum` one `f64` in either precision. Reads the diagonal of `A` and
//! `sum`; overwrites `sum`. The factor is 2 for a Cholesky factor (`det A = det(L)^2`) and 1 for
//! LU. Fails with `NoLogDeterminant` when a diagonal entry is zero or not finite; `sum` is then
//! unchanged. Source: Golub, Van Loan, "Matrix computations", 2.1.4.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::scalar::Real;
use crate::tile::TileRef;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The sum with its arguments; buffers `[A: R, sum: RW (one f64)]`.
#[derive(Clone, Copy, Debug)]
pub struct LogDet<T> {
    /// Order of the tile.
    pub n: usize,
    /// Factor of the logarithms.
    pub factor: f64,
    /// First row of the tile in the whole matrix: added to the index that a failure reports.
    pub offset: usize,
    precision: PhantomData<T>,
}

impl<T: Real> LogDet<T> {
    /// Contribution of a tile of a Cholesky factor.
    #[must_use]
    pub const fn cholesky(n: usize, offset: usize) -> Self {
        Self { n, factor: 2.0, offset, precision: PhantomData }
    }

    /// Contribution of a tile of an LU factorization.
    #[must_use]
    pub const fn lu(n: usize, offset: usize) -> Self {
        Self { n, factor: 1.0, offset, precision: PhantomData }
    }
}

impl<T: Real> Codelet for LogDet<T> {
    const NAME: &'static str = "logdet";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 2.0 * self.n as f64, bytes: bytes::<T>(&[self.n]) + 16.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::<T>::of(buffers, 0, self.n, self.n);
        Ok(self.compute(a, &mut buffers.write::<f64>(1)[0])?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
