//! Tiles from a formula: each entry made from its place in the whole matrix, or changed with it.
//!
//! Shape: the tile is `m x n`, its first entry at `(row, column)` of the whole matrix. [`Build`]
//! overwrites the tile and reads nothing; [`MapEntries`] replaces the entries of a part. The
//! formula is a function of at most 40 bytes. Cannot fail. It stands beside the list of kernels,
//! since every formula is a kernel of its own. On cores only.

mod cpu;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::kernel::{bytes, product};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// Where a tile stands, and its shape.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    row: u32,
    column: u32,
    m: u32,
    n: u32,
}

impl Place {
    /// An `m x n` tile whose first entry is entry `first` of the whole matrix.
    ///
    /// # Panics
    /// If a number needs more than 32 bits.
    #[must_use]
    pub fn new(first: (usize, usize), (m, n): (usize, usize)) -> Self {
        let short =
            |x: usize| u32::try_from(x).unwrap_or_else(|_| panic!("{x} needs over 32 bits"));
        Self { row: short(first.0), column: short(first.1), m: short(m), n: short(n) }
    }

    /// First entry in the whole matrix.
    fn first(self) -> (usize, usize) {
        (self.row as usize, self.column as usize)
    }

    /// Shape of the tile.
    fn shape(self) -> (usize, usize) {
        (self.m as usize, self.n as usize)
    }

    fn cost<T>(self) -> Cost {
        let (m, n) = self.shape();
        Cost { flops: product(&[m, n]), bytes: bytes::<T>(&[m * n]) }
    }
}

/// The tile of `entry(i, j)`; buffers `[A: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Build<T, F> {
    /// Where the tile stands.
    pub place: Place,
    /// The formula.
    pub entry: F,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar, F> Codelet for Build<T, F>
where
    F: Fn(usize, usize) -> T + Copy + Send + 'static,
{
    const NAME: &'static str = "build";
    const ACCESS: &'static [Access] = &[Access::W];

    fn cost(&self) -> Cost {
        self.place.cost::<T>()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (m, n) = self.place.shape();
        self.compute(TileMut::of(buffers, 0, m, n));
        Ok(())
    }
}

/// The tile of `change(i, j, a_ij)`; buffers `[A: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct MapEntries<T, F> {
    /// Where the tile stands.
    pub place: Place,
    /// The entries of the tile that are changed.
    pub part: Part,
    /// The formula.
    pub change: F,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar, F> Codelet for MapEntries<T, F>
where
    F: Fn(usize, usize, T) -> T + Copy + Send + 'static,
{
    const NAME: &'static str = "map";
    const ACCESS: &'static [Access] = &[Access::RW];

    fn cost(&self) -> Cost {
        self.place.cost::<T>()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (m, n) = self.place.shape();
        self.compute(TileMut::of(buffers, 0, m, n));
        Ok(())
    }
}
