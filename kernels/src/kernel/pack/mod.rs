//! Packs a tile, as products read it: a general one, or a symmetric or triangular one
//! completed.
//!
//! Shapes: `op(A)` is `m x n`, `A` being a part of the tile; what is packed holds as much. What
//! [`Structure`] says is not stored of `A` does not show; overwrites what was packed. Cannot fail.
//! On cores only, where packing is of use.

mod cpu;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::backend;
use crate::kernel::bytes;
use crate::option::{Diag, Form, Trans, Uplo};
use crate::packed::{PackedMut, PackedShape};
use crate::scalar::Scalar;
use crate::tile::TileRef;

pub(super) use list_entry::ListEntry;
#[cfg(test)]
pub(super) use trial::structures;

/// What a matrix is, of which some entries are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Anything; all entries are stored.
    General,
    /// Symmetric or Hermitian; one triangle is stored.
    Symmetric(Form, Uplo),
    /// Triangular, or a trapezoid: the entries on the other side of the diagonal are zero, and a
    /// unit diagonal is not stored.
    Triangular(Uplo, Diag),
}

/// The packing with its arguments; buffers `[A: R, packed: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Pack<T> {
    /// What `op(A)` is.
    pub structure: Structure,
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Rows of `op(A)`.
    pub m: usize,
    /// Columns of `op(A)`.
    pub n: usize,
    /// Rows and columns of the tile.
    pub tile: (usize, usize),
    /// Row and column of the tile where `A` begins.
    pub first: (usize, usize),
    /// Rows of a micro-panel.
    pub height: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Pack<T> {
    /// Of a whole tile.
    #[must_use]
    pub fn whole(
        structure: Structure,
        trans: Trans,
        (m, n): (usize, usize),
        height: usize,
    ) -> Self {
        let tile = trans.stored(m, n);
        Self { structure, trans, m, n, tile, first: (0, 0), height, scalar: PhantomData }
    }

    /// Shape of the packed matrix.
    #[must_use]
    pub fn shape(&self) -> PackedShape {
        PackedShape { rows: self.m, cols: self.n, height: self.height }
    }
}

impl<T: Scalar> Codelet for Pack<T> {
    const NAME: &'static str = "lay-out";
    const ACCESS: &'static [Access] = &[Access::R, Access::W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.m * self.n, self.shape().elements()]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.m, self.n);
        let tile = TileRef::of(buffers, 0, self.tile.0, self.tile.1);
        let a = tile.part(self.first.0, self.first.1, rows, cols);
        let blas = T::blas(backend::current());
        self.compute(blas, a, PackedMut::of(buffers, 1, self.shape()));
        Ok(())
    }
}
