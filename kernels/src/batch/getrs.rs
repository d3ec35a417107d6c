//! Solves with LU factors: `X = inv(op(A)) B`.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::{nth, nth_mut};
use crate::backend::pivoting::{exchange_rows, restore_rows};
use crate::backend::{self, Blas};
use crate::option::{Diag, Trans, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// `count` solves of order `n` with `nrhs` right-hand sides; buffers `[A: R, pivots: R, B: RW]`,
/// `A` and `pivots` as [`GetrfBatch`](super::GetrfBatch) leaves them.
#[derive(Clone, Copy, Debug)]
pub struct GetrsBatch<T> {
    /// How the matrices enter.
    pub trans: Trans,
    /// Order of the matrices.
    pub n: u32,
    /// Columns of a `B`.
    pub nrhs: u32,
    /// Number of problems.
    pub count: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> GetrsBatch<T> {
    fn solve(&self, blas: &dyn Blas<T>, lu: TileRef<'_, T>, rows: &[u32], mut b: TileMut<'_, T>) {
        let lower = Triangle::new(lu, Uplo::Lower, Diag::Unit).op(self.trans);
        let upper = Triangle::new(lu, Uplo::Upper, Diag::NonUnit).op(self.trans);
        if self.trans.swaps() {
            blas.trsm(upper, T::ONE, b.reborrow());
            blas.trsm(lower, T::ONE, b.reborrow());
            restore_rows(&mut b, 0, rows);
        } else {
            exchange_rows(&mut b, 0, rows);
            blas.trsm(lower, T::ONE, b.reborrow());
            blas.trsm(upper, T::ONE, b);
        }
    }
}

impl<T: Scalar> Codelet for GetrsBatch<T> {
    const NAME: &'static str = "getrs-batch";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let [n, nrhs, count] = [self.n, self.nrhs, self.count].map(f64::from);
        let numbers = count * n * (n + 2.0 * nrhs);
        Cost { flops: 2.0 * count * n * n * nrhs, bytes: numbers * size_of::<T>() as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (n, nrhs, blas) = (self.n as usize, self.nrhs as usize, T::blas(backend::current()));
        let (all_a, all_rows) = (buffers.read(0), buffers.read::<u32>(1));
        let all_b = buffers.write(2);
        for index in 0..self.count as usize {
            let lu = TileRef::new(nth(all_a, index, (self.n, self.n)), n, n);
            let b = TileMut::new(nth_mut(all_b, index, (self.n, self.nrhs)), n, nrhs);
            self.solve(blas, lu, nth(all_rows, index, (self.n, 1)), b);
        }
        Ok(())
    }
}
