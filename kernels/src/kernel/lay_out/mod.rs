//! A matrix in strips: the rows of a tile from `first` on, laid out as micro-kernels read them.
//!
//! Shapes: the tile is `m x n`; the strips hold its rows from `first` on. Cannot fail. On cores only,
//! as all kernels on strips.

mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::kernel::bytes;
use crate::scalar::Scalar;
use crate::strips::{StripShape, StripsMut};
use crate::tile::TileRef;

pub(super) use trial::Card;

/// The layout with its arguments; buffers `[A: R, strips: W]`.
#[derive(Clone, Copy, Debug)]
pub struct LayOut<T> {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// First row that is laid out.
    pub first: usize,
    /// Rows of a strip.
    pub height: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> LayOut<T> {
    /// Shape of the strips.
    #[must_use]
    pub fn shape(&self) -> StripShape {
        StripShape { rows: self.m - self.first, cols: self.n, height: self.height }
    }

    /// Lays the rows of `a` out.
    ///
    /// # Panics
    /// If the strips have another shape.
    pub fn compute(&self, a: TileRef<'_, T>, mut strips: StripsMut<'_, T>) {
        let StripShape { rows, cols, .. } = self.shape();
        strips.lay_out(a.part(self.first, 0, rows, cols));
    }

    /// Entry by entry, by the definition of the strips.
    pub fn reference(&self, a: TileRef<'_, T>, strips: &mut [T]) {
        let shape = self.shape();
        for j in 0..shape.cols {
            for i in 0..shape.strips() * shape.height {
                let place = i / shape.height * shape.stride() + j * shape.height + i % shape.height;
                let inside = i < shape.rows;
                strips[place] = if inside { a.at(self.first + i, j) } else { T::ZERO };
            }
        }
    }
}

impl<T: Scalar> Codelet for LayOut<T> {
    const NAME: &'static str = "lay_out";
    const ACCESS: &'static [Access] = &[Access::R, Access::W];

    fn cost(&self) -> Cost {
        let read = (self.m - self.first) * self.n;
        Cost { flops: 0.0, bytes: bytes::<T>(&[read, self.shape().elements()]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let a = TileRef::of(buffers, 0, self.m, self.n);
        self.compute(a, StripsMut::new(buffers.write(1), self.shape()));
        Ok(())
    }
}
