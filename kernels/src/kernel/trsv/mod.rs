//! Triangular solve with one right-hand side: `x = inv(op(T)) x`.
//!
//! Shapes: `T` is `n x n`, `x` a single column. Reads the triangle `uplo` of `T` (without its
//! diagonal if that is unit) and `x`; overwrites `x`. A zero on the diagonal gives infinities, as
//! in BLAS. Source: Dongarra et al., ACM TOMS 14 (1988); flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::option::{Diag, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The solve with its arguments; buffers `[T: R, x: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Trsv<T> {
    /// The triangle of `T` that counts.
    pub uplo: Uplo,
    /// Whether `T` enters transposed.
    pub trans: Trans,
    /// Whether the diagonal of `T` is stored.
    pub diag: Diag,
    /// Order of `T`.
    pub n: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> Trsv<T> {
    /// Solve with a triangular tile of `n` rows.
    #[must_use]
    pub const fn new(uplo: Uplo, trans: Trans, diag: Diag, n: usize) -> Self {
        Self { uplo, trans, diag, n, precision: PhantomData }
    }

    fn triangle<'a>(&self, t: TileRef<'a, T>) -> Triangle<'a, T> {
        let stored = Triangle::new(t, self.uplo, self.diag);
        stored.op(self.trans)
    }
}

impl<T: Scalar> Codelet for Trsv<T> {
    const NAME: &'static str = "trsv";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let n = self.n;
        Cost { flops: product(&[n, n]), bytes: bytes::<T>(&[n * (n + 1) / 2, 2 * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let t = TileRef::of(buffers, 0, self.n, self.n);
        let x = TileMut::of(buffers, 1, self.n, 1);
        self.compute(T::blas(backend::current()), t, x);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
