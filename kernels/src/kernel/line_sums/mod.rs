//! Sums of the rows or of the columns of a tile, added up: `s_i = s_i + sum_j f(a_ij)`, or
//! `s_j = s_j + sum_i f(a_ij)`, where `f` is the entry or its squared modulus.
//!
//! Shapes: `A` is `m x n`, and stands for what [`Structure`] says; `s` holds a number for each
//! line. Reads of `A` what the structure says, and `s`; overwrites `s`. Entries are added in the
//! order of columns, on a device in another one, which is always the same. Cannot fail.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::pack::Structure;
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::TileRef;

pub(crate) use cuda::SOURCE;
pub(in crate::kernel) use cuda::{MODULI, structure_flags, sum};
pub(super) use list_entry::ListEntry;

/// Rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Rows.
    Row,
    /// Columns.
    Column,
}

/// What of an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The entry.
    Entry,
    /// The square of its modulus.
    Square,
}

impl Term {
    /// What of `x` counts.
    pub fn of<T: Scalar>(self, x: T) -> T {
        match self {
            Self::Entry => x,
            Self::Square => T::from_real(x.abs_squared()),
        }
    }
}

/// The sums with their arguments; buffers `[A: R, s: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct LineSums<T> {
    /// Which lines are summed up.
    pub line: Line,
    /// What of an entry counts.
    pub term: Term,
    /// What the tile stands for.
    pub structure: Structure,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for LineSums<T> {
    const NAME: &'static str = "line-sums";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 2.0 * product(&[m, n]), bytes: bytes::<T>(&[m * n, m.max(n)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::of(buffers, 0, self.m, self.n);
        self.compute(a, buffers.write(1));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
