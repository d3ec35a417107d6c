//! Symmetric product: one triangle of `C = alpha op(A) op(A)' + beta C`.
//!
//! Shapes: `op(A)` is `n x k`, `C` is `n x n`. Reads `A` and, unless `beta` is zero, the triangle
//! `uplo` of `C`; overwrites that triangle. The other triangle is neither read nor written. Cannot
//! fail. Source: Dongarra et al., ACM TOMS 16 (1990); flops as in LAWN 41.

mod cpu;
mod cuda;
mod reference;
pub(super) mod strips;
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub use strips::SyrkStrips;
pub(super) use trial::Card;

/// The symmetric product with its arguments; buffers `[A: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Syrk<T> {
    /// The triangle of `C` that counts.
    pub uplo: Uplo,
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Order of `C`.
    pub n: usize,
    /// Columns of `op(A)`.
    pub k: usize,
    /// Factor of the product.
    pub alpha: T,
    /// Factor of the old `C`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Codelet for Syrk<T> {
    const NAME: &'static str = "syrk";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { n, k, .. } = self;
        Cost { flops: product(&[k, n, n + 1]), bytes: bytes::<T>(&[n * k, n * (n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.n, self.k);
        let a = TileRef::new(buffers.read(0), rows, cols);
        let c = TileMut::new(buffers.write(1), self.n, self.n);
        self.compute(T::blas(backend::current()), a, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
