//! Triangular solves: `B = alpha inv(op(T)) B`, or from the right.

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::{nth, nth_mut};
use crate::backend;
use crate::kernel::trsm::Trsm;
use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// `count` solves for `m x n` unknowns; buffers `[T: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct TrsmBatch<T> {
    /// On which side of the unknown the triangles stand.
    pub side: Side,
    /// Which triangle counts.
    pub uplo: Uplo,
    /// How the triangles enter.
    pub trans: Trans,
    /// Whether their diagonals are stored.
    pub diag: Diag,
    /// Rows of a `B`.
    pub m: u32,
    /// Columns of a `B`.
    pub n: u32,
    /// Number of problems.
    pub count: u32,
    /// Factor of the right-hand sides.
    pub alpha: T,
}

impl<T: Scalar> TrsmBatch<T> {
    fn one(&self) -> Trsm<T> {
        let &Self { side, uplo, trans, diag, alpha, .. } = self;
        let (m, n) = (self.m as usize, self.n as usize);
        let ld = if side == Side::Left { m } else { n };
        Trsm { side, uplo, trans, diag, m, n, ld, alpha }
    }
}

impl<T: Scalar> Codelet for TrsmBatch<T> {
    const NAME: &'static str = "trsm-batch";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let Cost { flops, bytes } = self.one().cost();
        Cost { flops: flops * f64::from(self.count), bytes: bytes * f64::from(self.count) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (trsm, blas) = (self.one(), T::blas(backend::current()));
        let (order, all_t, all_b) = (trsm.order(), buffers.read(0), buffers.write(1));
        for index in 0..self.count as usize {
            let t = TileRef::new(nth(all_t, index, (order as u32, order as u32)), order, order);
            let b = TileMut::new(nth_mut(all_b, index, (self.m, self.n)), trsm.m, trsm.n);
            trsm.compute(blas, t, b);
        }
        Ok(())
    }
}
