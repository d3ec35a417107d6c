//! Matrix product: `C = alpha op(A) op(B) + beta C`.
//!
//! Shapes: `op(A)` is `m x k`, `op(B)` is `k x n`, `C` is `m x n`. Reads `A`, `B` and, unless
//! `beta` is zero, `C`; overwrites `C`. Cannot fail. Source: Dongarra, Du Croz, Duff, Hammarling,
//! "A set of level 3 basic linear algebra subprograms", ACM TOMS 16 (1990); flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
pub(super) mod packed;
mod reference;
pub(super) mod tf32;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;
pub use packed::GemmPacked;
pub use tf32::{GemmTf32, TF32_ROUNDING};

/// The product with its arguments; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Gemm<T> {
    /// Whether `A` enters transposed.
    pub trans_a: Trans,
    /// Whether `B` enters transposed.
    pub trans_b: Trans,
    /// Rows of `C`.
    pub m: usize,
    /// Columns of `C`.
    pub n: usize,
    /// Columns of `op(A)`.
    pub k: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Codelet for Gemm<T> {
    const NAME: &'static str = "gemm";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, k, .. } = self;
        Cost { flops: 2.0 * product(&[m, n, k]), bytes: bytes::<T>(&[m * k, k * n, 2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows_a, cols_a) = self.trans_a.stored(self.m, self.k);
        let (rows_b, cols_b) = self.trans_b.stored(self.k, self.n);
        let a = TileRef::of(buffers, 0, rows_a, cols_a);
        let b = TileRef::of(buffers, 1, rows_b, cols_b);
        let c = TileMut::of(buffers, 2, self.m, self.n);
        self.compute(T::blas(backend::current()), a, b, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
