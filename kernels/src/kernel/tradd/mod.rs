//! Sum of parts of matrices: `B = alpha op(A) + beta B`, on a triangle or all of `B`.
//!
//! Shapes: `B` is `m x n`, `op(A)` too. Reads the part of `op(A)` and, unless `beta` is zero, of
//! `B`; overwrites the part of `B`, and nothing else. An `alpha` of zero does not read `A`. With
//! `alpha` 1 and `beta` 0 it copies (xLACPY). Cannot fail. Source: PBLAS, PxTRADD.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::{bytes, product};
use crate::option::{Part, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The sum with its arguments; buffers `[A: R, B: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Tradd<T> {
    /// The part of `B` that counts.
    pub part: Part,
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Rows of `B`.
    pub m: usize,
    /// Columns of `B`.
    pub n: usize,
    /// Factor of `op(A)`.
    pub alpha: T,
    /// Factor of the old `B`; zero overwrites.
    pub beta: T,
}

impl<T: Scalar> Codelet for Tradd<T> {
    const NAME: &'static str = "tradd";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 3.0 * product(&[m, n]), bytes: bytes::<T>(&[3 * m * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.m, self.n);
        let a = TileRef::of(buffers, 0, rows, cols);
        self.compute(a, TileMut::of(buffers, 1, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
