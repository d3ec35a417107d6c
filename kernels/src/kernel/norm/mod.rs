//! The share of a tile in a norm of a matrix, and the norm of all shares.
//!
//! [`NormShare`]: `A` is `m x n`, and stands for what [`Structure`] says. It adds to a share: the
//! largest modulus; sums of moduli of each column (one-norm) or row (infinity norm); or, of the
//! Frobenius norm, `(s, q)` with `s^2 q` the sum of squares, so that nothing overflows.
//! [`NormFold`] folds a share into the result. Shares and results that are all zero are empty. A
//! NaN anywhere makes a norm NaN, as in LAPACK. Cannot fail. Source: LAPACK Users' Guide, xLANGE,
//! xLANSY, xLANHE, xLANTR, xLASSQ.

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

pub(in crate::kernel) use cpu::visit;
pub use cpu::{frobenius, larger};
pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;
pub(in crate::kernel) use reference::entry;

/// A norm of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Largest modulus of an entry; no norm in the strict sense.
    Max,
    /// Largest sum of moduli of a column.
    One,
    /// Largest sum of moduli of a row.
    Infinity,
    /// Root of the sum of squared moduli.
    Frobenius,
}

impl Norm {
    /// All.
    pub const ALL: [Self; 4] = [Self::Max, Self::One, Self::Infinity, Self::Frobenius];

    /// Numbers in the share of `m x n` entries.
    #[must_use]
    pub const fn share(self, m: usize, n: usize) -> usize {
        match self {
            Self::Max => 1,
            Self::One => n,
            Self::Infinity => m,
            Self::Frobenius => 2,
        }
    }
}

/// The share of a tile; buffers `[A: R, share: RW]`, the share in the real precision.
#[derive(Clone, Copy, Debug)]
pub struct NormShare<T> {
    /// Which norm.
    pub norm: Norm,
    /// What the tile stands for; a triangular one need not be square.
    pub structure: Structure,
    /// Whether each entry counts twice in a sum of squares: once for its mirror image.
    pub twice: bool,
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for NormShare<T> {
    const NAME: &'static str = "norm-share";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, .. } = self;
        Cost { flops: 2.0 * product(&[m, n]), bytes: bytes::<T>(&[m * n]) }
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

/// The fold of a share of `length` numbers into the norm; buffers `[share: R, result: RW]`, where
/// the result has the length of [`Norm::share`] of one entry.
#[derive(Clone, Copy, Debug)]
pub struct NormFold<T> {
    /// Which norm.
    pub norm: Norm,
    /// Numbers in the share.
    pub length: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for NormFold<T> {
    const NAME: &'static str = "norm-fold";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: product(&[self.length]), bytes: bytes::<T::Real>(&[self.length]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        self.compute(buffers.read(0), buffers.write(1));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
