//! Takes means out of a tile: `a_ij = alpha (f(a_ij) - p r_i - q c_j + s t)`, where `f` is the
//! entry or its squared modulus.
//!
//! Shapes: `A` is `m x n`, `r` holds `m` numbers, `c` holds `n` and `t` one. With sums in these and
//! `p`, `q`, `s` one over what they are sums of, it centres rows, columns or both. Overwrites a
//! part of `A`, and neither reads nor writes the rest; what has a factor of zero is not read.
//! Cannot fail. Source: Gower, "Some distance properties of latent root and vector methods used in
//! multivariate analysis", Biometrika 53 (1966).

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::kernel::line_sums::Term;
use crate::kernel::{bytes, product};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// Factors of the sums of a row, of a column and of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// Of the sum of the row.
    pub row: f64,
    /// Of the sum of the column.
    pub column: f64,
    /// Of the sum of all.
    pub all: f64,
}

/// The centring with its arguments; buffers `[r: R, c: R, t: R, A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Centre<T> {
    /// The entries that count.
    pub part: Part,
    /// What of an entry is centred.
    pub term: Term,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// The factor of the result.
    pub alpha: T,
    /// Those of the sums.
    pub factors: Factors,
}

/// The sums of rows, of columns and of all.
#[derive(Clone, Copy, Debug)]
pub struct Sums<'a, T> {
    /// Of rows.
    pub rows: &'a [T],
    /// Of columns.
    pub columns: &'a [T],
    /// Of all.
    pub all: &'a [T],
}

impl<T: Scalar> Codelet for Centre<T> {
    const NAME: &'static str = "centre";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 5.0 * product(&[m, n]), bytes: bytes::<T>(&[2 * m * n, m, n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let sums = Sums { rows: buffers.read(0), columns: buffers.read(1), all: buffers.read(2) };
        self.compute(sums, TileMut::of(buffers, 3, self.m, self.n));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
