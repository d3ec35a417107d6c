//! Lays a tile out in strips, as products read it: a general one, or a symmetric or triangular one
//! completed.
//!
//! Shapes: `op(A)` is `m x n`, `A` being what is left of the tile without its first rows; the strips
//! hold as much. Reads of `A` what [`Structure`] says;
//! overwrites the strips. Cannot fail. On cores only, where strips are of use.

mod cpu;
mod reference;
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::kernel::bytes;
use crate::option::{Diag, Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::strips::{StripShape, StripsMut};
use crate::tile::TileRef;

pub(super) use trial::{Card, structures};

/// What a matrix is, of which some entries are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Anything; all entries are stored.
    General,
    /// Symmetric or Hermitian; one triangle is stored.
    Symmetric(Form, Uplo),
    /// Triangular: the other triangle is zero, and a unit diagonal is not stored.
    Triangular(Uplo, Diag),
}

/// The laying out with its arguments; buffers `[A: R, strips: W]`.
#[derive(Clone, Copy, Debug)]
pub struct LayOut<T> {
    /// What `op(A)` is.
    pub structure: Structure,
    /// Whether `A` enters transposed.
    pub trans: Trans,
    /// Rows of `op(A)`.
    pub m: usize,
    /// Columns of `op(A)`.
    pub n: usize,
    /// Rows of the tile above `A`.
    pub above: usize,
    /// Rows of a strip.
    pub height: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> LayOut<T> {
    /// Shape of the strips.
    #[must_use]
    pub fn shape(&self) -> StripShape {
        StripShape { rows: self.m, cols: self.n, height: self.height }
    }
}

impl<T: Scalar> Codelet for LayOut<T> {
    const NAME: &'static str = "lay-out";
    const ACCESS: &'static [Access] = &[Access::R, Access::W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.m * self.n, self.shape().elements()]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, cols) = self.trans.stored(self.m, self.n);
        let tile = TileRef::of(buffers, 0, self.above + rows, cols);
        let a = tile.part(self.above, 0, rows, cols);
        self.compute(a, StripsMut::new(buffers.write(1), self.shape()));
        Ok(())
    }
}
