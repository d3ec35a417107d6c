//! One triangle of a matrix product: `C = alpha op(A) op(B) + beta C`.
//!
//! Shapes: `op(A)` is `n x k`, `op(B)` is `k x n`, `C` is `n x n`. Reads `A`, `B` and, unless
//! `beta` is zero, the triangle `uplo` of `C`; overwrites that triangle, and nothing else. Cannot
//! fail. Source: xGEMMTR of LAPACK 3.12.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Gemmt<T> {
    /// The triangle of `C` that counts.
    pub uplo: Uplo,
    /// Whether `A` enters transposed.
    pub trans_a: Trans,
    /// Whether `B` enters transposed.
    pub trans_b: Trans,
    /// Order of `C`.
    pub n: usize,
    /// Inner size.
    pub k: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Codelet for Gemmt<T> {
    const NAME: &'static str = "gemmt";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { n, k, .. } = self;
        Cost { flops: product(&[k, n, n + 1]), bytes: bytes::<T>(&[2 * n * k, n * (n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans_a.stored(self.n, self.k);
        let a = TileRef::of(buffers, 0, rows, cols);
        let (rows, cols) = self.trans_b.stored(self.k, self.n);
        let b = TileRef::of(buffers, 1, rows, cols);
        let c = TileMut::of(buffers, 2, self.n, self.n);
        self.compute(T::blas(backend::current()), a, b, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
