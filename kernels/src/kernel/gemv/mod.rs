//! Matrix times vector: `y = alpha op(A) x + beta y`.
//!
//! Shapes: `A` is stored `m x n`; `x` and `y` are single columns of the lengths that `op(A)` asks
//! for. Reads `A`, `x` and, unless `beta` is zero, `y`; overwrites `y`. Cannot fail. Source:
//! Dongarra, Du Croz, Hammarling, Hanson, "An extended set of Fortran basic linear algebra
//! subprograms", ACM TOMS 14 (1988); flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[A: R, x: R, y: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Gemv<T> {
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Rows of `A` as stored.
    pub m: usize,
    /// Columns of `A` as stored.
    pub n: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `y`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Codelet for Gemv<T> {
    const NAME: &'static str = "gemv";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        let (y, x) = self.trans.stored(m, n);
        Cost { flops: 2.0 * product(&[m, n]), bytes: bytes::<T>(&[m * n, x, 2 * y]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (y, x) = self.trans.stored(self.m, self.n);
        let a = TileRef::of(buffers, 0, self.m, self.n);
        let x = TileRef::of(buffers, 1, x, 1);
        let y = TileMut::of(buffers, 2, y, 1);
        self.compute(T::blas(backend::current()), a, x, y);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
