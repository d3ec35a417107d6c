//! A tile of a diagonal matrix plus one of low rank: `A = D + X Y^H`, rounded once.
//!
//! Shapes: `A` is `m x n`, its first entry at a place of the whole matrix; `X` is `m x r`, `Y` is
//! `n x r`, and `d` holds the diagonal entries of the rows of `X`. These are in complex double
//! precision, whatever that of `A` is; of a real `A` the real part of the result counts. Each entry
//! is the same sum in the same order wherever tiles are cut. Overwrites `A`. Cannot fail. On cores
//! only.

mod cpu;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::kernel::{bytes, product};
use crate::option::Uplo;
use crate::scalar::{Scalar, c64};
use crate::tile::TileMut;

pub(super) use list_entry::ListEntry;

/// Which entries of the tile are made, and which mirror them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// All are made.
    None,
    /// Those of the lower triangle are made, and the others conjugate them; the diagonal is real.
    Triangle,
    /// All conjugate those of the transposed tile, of which `X` and `Y` are: `X` is `n x r`, `Y` is
    /// `m x r`.
    Whole,
}

/// The tile with its arguments; buffers `[d: R, X: R, Y: R, A: W]`.
#[derive(Clone, Copy, Debug)]
pub struct LowRank<T> {
    /// Which entries are made.
    pub mirror: Mirror,
    /// Row of the whole matrix less column of it, at the first entry.
    pub below: isize,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Columns of `X` and `Y`.
    pub rank: usize,
    /// The precision of `A`.
    pub scalar: PhantomData<T>,
}

/// What a tile is made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Diagonal entries, of the rows of `X`.
    pub diagonal: &'a [c64],
    /// `X`, column by column.
    pub x: &'a [c64],
    /// `Y`, column by column.
    pub y: &'a [c64],
}

impl<T: Scalar> Codelet for LowRank<T> {
    const NAME: &'static str = "low-rank";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let &Self { m, n, rank, .. } = self;
        let factors = bytes::<c64>(&[(m + n) * rank, m]);
        Cost { flops: 8.0 * product(&[m, n, rank]), bytes: bytes::<T>(&[m * n]) + factors }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let parts = Parts { diagonal: buffers.read(0), x: buffers.read(1), y: buffers.read(2) };
        self.compute(parts, TileMut::of(buffers, 3, self.m, self.n));
        Ok(())
    }
}

impl<T: Scalar> LowRank<T> {
    /// Whether entry `(i, j)` conjugates its mirror image.
    fn is_mirrored(&self, i: usize, j: usize) -> bool {
        match self.mirror {
            Mirror::None => false,
            Mirror::Triangle => !Uplo::Lower.holds(i, j),
            Mirror::Whole => true,
        }
    }
}
