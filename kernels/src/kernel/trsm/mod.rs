//! Triangular solve with many right-hand sides: `B = alpha inv(op(T)) B` on the left,
//! `B = alpha B inv(op(T))` on the right.
//!
//! Shapes: `B` is `m x n`; `T` is triangular, of order `m` on the left and `n` on the right. Reads
//! the triangle `uplo` of `T` (without its diagonal if that is unit) and `B`; overwrites `B`.
//! A zero on the diagonal gives infinities, as in BLAS; a factorization never leaves one.
//! Source: Dongarra et al., ACM TOMS 16 (1990); flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
pub(super) mod packed;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::triangular;
use crate::option::{Diag, Side, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;
pub use packed::TrsmPacked;

/// The solve with its arguments; buffers `[T: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Trsm<T> {
    /// On which side of `B` the triangular matrix stands.
    pub side: Side,
    /// The triangle of `T` that counts.
    pub uplo: Uplo,
    /// Whether `T` enters transposed.
    pub trans: Trans,
    /// Whether the diagonal of `T` is stored.
    pub diag: Diag,
    /// Rows of `B`.
    pub m: usize,
    /// Columns of `B`.
    pub n: usize,
    /// Rows of the tile that holds `T`, at least its order.
    pub ld: usize,
    /// Factor of `B`.
    pub alpha: T,
}

impl<T: Scalar> Trsm<T> {
    /// Order of the triangular matrix.
    #[must_use]
    pub fn order(&self) -> usize {
        triangular::order(self.side, self.m, self.n)
    }

    /// `op(T)` and `B` with `op(T)` on the left.
    fn on_the_left<'a, 'b>(
        &self,
        t: TileRef<'a, T>,
        b: TileMut<'b, T>,
    ) -> (Triangle<'a, T>, TileMut<'b, T>) {
        let t = Triangle::new(t, self.uplo, self.diag);
        triangular::on_the_left(self.side, self.trans, t, b)
    }
}

impl<T: Scalar> Codelet for Trsm<T> {
    const NAME: &'static str = "trsm";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        triangular::cost::<T>(self.side, self.m, self.n)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let t = TileRef::corner_of(buffers, 0, self.ld, (self.order(), self.order()));
        let b = TileMut::of(buffers, 1, self.m, self.n);
        self.compute(T::blas(backend::current()), t, b);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
