//! Solve with a diagonal matrix: `B = inv(D) B`.
//!
//! Shapes: `B` is `m x n`, `D` the diagonal of an `m x m` tile. Reads that diagonal and `B`;
//! overwrites `B`. Cannot fail.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(crate) use cuda::SOURCE;
pub(super) use cuda::divide_rows_on;
pub(super) use list_entry::ListEntry;

/// The solve with its arguments; buffers `[D: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct DiagonalSolve<T> {
    /// Rows of `B`.
    pub m: usize,
    /// Columns of `B`.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for DiagonalSolve<T> {
    const NAME: &'static str = "diagonal-solve";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: product(&[m, n]), bytes: bytes::<T>(&[2 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let d = TileRef::of(buffers, 0, self.m, self.m);
        self.compute(d, TileMut::of(buffers, 1, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
