//! Divides the rows or columns of a tile by roots of sums of squares: `a_ij = a_ij s_i^-p t_j^-q`.
//!
//! Shapes: `A` is `m x n`, `s` holds `m` numbers and `t` holds `n`, real ones that are not
//! negative. A number of zero leaves its line as it is; what has a power of zero is not read.
//! Overwrites `A`. Cannot fail.

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
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// Which root of a sum of squares a line is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// None: it is left as it is.
    None,
    /// The square root, which is the length of the line.
    Square,
    /// The fourth root, which is the root of that length.
    Fourth,
}

/// The scaling with its arguments; buffers `[s: R, t: R, A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct ScaleLines<T> {
    /// What rows are divided by.
    pub row: Root,
    /// What columns are divided by.
    pub column: Root,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for ScaleLines<T> {
    const NAME: &'static str = "scale-lines";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 2.0 * product(&[m, n]), bytes: bytes::<T>(&[2 * m * n, m, n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let squares = (buffers.read(0), buffers.read(1));
        self.compute(squares, TileMut::of(buffers, 2, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
