//! Cholesky factorizations: `A = L L^H` or `U^H U`.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::nth_mut;
use crate::backend;
use crate::error::NumericalError;
use crate::kernel::potrf::Potrf;
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// `count` factorizations of order `n`; buffers `[A: RW, info: W]`, `info` of one `u32` each: 0, or
/// the order of the first leading minor that is not positive.
#[derive(Clone, Copy, Debug)]
pub struct PotrfBatch<T> {
    /// The triangle that counts.
    pub uplo: Uplo,
    /// Order of the matrices.
    pub n: u32,
    /// Number of problems.
    pub count: u32,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> PotrfBatch<T> {
    fn one(&self) -> Potrf<T> {
        Potrf::new(self.uplo, self.n as usize, 0)
    }
}

impl<T: Scalar> Codelet for PotrfBatch<T> {
    const NAME: &'static str = "potrf-batch";
    const ACCESS: &'static [Access] = &[Access::RW, Access::W];

    fn cost(&self) -> Cost {
        let Cost { flops, bytes } = self.one().cost();
        Cost { flops: flops * f64::from(self.count), bytes: bytes * f64::from(self.count) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (potrf, blas) = (self.one(), T::blas(backend::current()));
        let (all, infos) = (buffers.write(0), buffers.write::<u32>(1));
        for (index, info) in infos.iter_mut().enumerate() {
            let a = TileMut::new(nth_mut(all, index, (self.n, self.n)), potrf.n, potrf.n);
            *info = match potrf.compute(blas, a) {
                Err(NumericalError::NotPositiveDefinite { order }) => order as u32,
                Err(error) => return Err(error.into()),
                Ok(()) => 0,
            };
        }
        Ok(())
    }
}
