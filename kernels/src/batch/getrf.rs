//! LU factorizations with partial pivoting: `P A = L U`.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::nth_mut;
use crate::backend;
use crate::kernel::getrf::Getrf;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// `count` factorizations of `m x n` matrices; buffers `[A: RW, pivots: W, info: W]`: `min(m, n)`
/// rows for each matrix, as `u32` from 0, and one `u32`, 0 or the first step, from 1, that found
/// only zeros.
#[derive(Clone, Copy, Debug)]
pub struct GetrfBatch<T> {
    /// Rows of the matrices.
    pub m: u32,
    /// Columns of the matrices.
    pub n: u32,
    /// Number of problems.
    pub count: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> GetrfBatch<T> {
    fn one(&self) -> Getrf<T> {
        Getrf::new(self.m as usize, self.n as usize, 0)
    }
}

impl<T: Scalar> Codelet for GetrfBatch<T> {
    const NAME: &'static str = "getrf-batch";
    const ACCESS: &'static [Access] = &[Access::RW, Access::W, Access::W];

    fn cost(&self) -> Cost {
        let Cost { flops, bytes } = self.one().cost();
        Cost { flops: flops * f64::from(self.count), bytes: bytes * f64::from(self.count) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (getrf, blas) = (self.one(), T::blas(backend::current()));
        let (all, rows, infos) =
            (buffers.write(0), buffers.write::<u32>(1), buffers.write::<u32>(2));
        for (index, info) in infos.iter_mut().enumerate() {
            let a = TileMut::new(nth_mut(all, index, (self.m, self.n)), getrf.m, getrf.n);
            let rows = nth_mut(rows, index, (self.m.min(self.n), 1));
            *info = getrf.compute(blas, a, rows).map_or(0, |step| step as u32 + 1);
        }
        Ok(())
    }
}
