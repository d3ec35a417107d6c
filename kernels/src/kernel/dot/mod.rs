//! Dot product, accumulated: `sum = sum + x' y`.
//!
//! Shapes: `x` and `y` hold `n` numbers (vectors, or whole tiles: the Frobenius product), `sum` one
//! `f64` in either precision. Reads all; overwrites `sum`. Products of single-precision numbers
//! are exact and summed in double precision. Cannot fail. Source: Lawson, Hanson, Kincaid, Krogh,
//! "Basic linear algebra subprograms for Fortran usage", ACM TOMS 5 (1979).

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::scalar::Real;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The sum with its arguments; buffers `[x: R, y: R, sum: RW (one f64)]`.
#[derive(Clone, Copy, Debug)]
pub struct Dot<T> {
    /// Numbers in each vector.
    pub n: usize,
    precision: PhantomData<T>,
}

impl<T: Real> Dot<T> {
    /// Dot product of vectors of `n` numbers.
    #[must_use]
    pub const fn new(n: usize) -> Self {
        Self { n, precision: PhantomData }
    }
}

impl<T: Real> Codelet for Dot<T> {
    const NAME: &'static str = "dot";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 2.0 * self.n as f64, bytes: bytes::<T>(&[2 * self.n]) + 16.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (x, y) = (buffers.read::<T>(0), buffers.read::<T>(1));
        self.compute(x, y, &mut buffers.write::<f64>(2)[0]);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
