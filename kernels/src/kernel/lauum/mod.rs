//! Product of a triangular tile with its transpose, in place: `A = L^H L` (lower) or `A = U U'`
//! (upper).
//!
//! Shape: `A` is `n x n`. Reads and overwrites the triangle `uplo`; the other one is neither read
//! nor written. Cannot fail. After `trtri` it completes the inverse of a Cholesky-factored matrix.
//! Source: LAPACK Users' Guide, xLAUUM; flops as in LAWN 41.

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
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Lauum<T> {
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Order of the tile.
    pub n: usize,
    precision: PhantomData<T>,
}

impl<T: Scalar> Lauum<T> {
    /// Product of a tile of `n` rows with its transpose.
    #[must_use]
    pub const fn new(uplo: Uplo, n: usize) -> Self {
        Self { uplo, n, precision: PhantomData }
    }

    fn lower<'a>(&self, a: TileMut<'a, T>) -> TileMut<'a, T> {
        match self.uplo {
            Uplo::Lower => a,
            Uplo::Upper => a.transposed(),
        }
    }
}

impl<T: Scalar> Codelet for Lauum<T> {
    const NAME: &'static str = "lauum";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        let n = self.n as f64;
        let flops = n * (n * (n / 3.0 + 0.5) + 1.0 / 6.0);
        Cost { flops, bytes: bytes::<T>(&[self.n * (self.n + 1)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileMut::of(buffers, 0, self.n, self.n);
        self.compute(T::blas(backend::current()), a);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
