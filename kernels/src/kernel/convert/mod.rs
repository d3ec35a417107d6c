//! A tile in the other precision: `B = A`, from 32 bits to 64 or from 64 to 32.
//!
//! Shapes: `A` and `B` are `m x n`. Overwrites a part of `B`; the rest is not touched. Numbers out
//! of the range of `B` become infinities. Cannot fail. Source: LAPACK's `lag2s`, `slag2d`, `lat2s`.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::bytes;
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The conversion with its arguments; buffers `[A: R, B: RW]`, `B` in the other precision than `T`.
#[derive(Clone, Copy, Debug)]
pub struct Convert<T> {
    /// The part that is converted.
    pub part: Part,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// The precision of `A`.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Convert<T> {
    const NAME: &'static str = "convert";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let count = self.m * self.n;
        Cost { flops: 0.0, bytes: bytes::<T>(&[count]) + bytes::<T::Other>(&[count]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::<T>::of(buffers, 0, self.m, self.n);
        self.compute(a, TileMut::of(buffers, 1, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
