//! Random matrices, tile by tile on the workers.

use std::marker::PhantomData;

use tegula_kernels::cuda::{Held, RandomTile};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, Launch};
use tegula_tiles::{TileIndex, TileMatrix, imaginary_seed, random_entry, random_hermitian_entry};

use super::layout::Layout;

/// What a matrix is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// Uniform in `[-1/2, 1/2)`.
    Uniform,
    /// Hermitian positive definite.
    PositiveDefinite,
    /// Diagonally dominant in rows and columns.
    Dominant,
    /// Nothing: the algorithm writes all of it.
    Nothing,
}

/// A random matrix, each entry known from its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomMatrix {
    /// Which kind.
    pub(super) entries: Entries,
    /// What is added to the diagonal to make it heavy.
    pub(super) order: u32,
    /// What of it is stored.
    pub(super) layout: Layout,
    /// Its seed.
    pub(super) seed: u64,
}

impl RandomMatrix {
    /// The entry that is stored at `(i, j)`, rounded to `T`; not a number outside the triangle that
    /// exists.
    pub(super) fn entry<T: Scalar>(&self, i: usize, j: usize) -> T {
        if !self.layout.holds(i, j) {
            return T::NAN;
        }
        let (i, j) = self.layout.place(i, j);
        let heavy = T::from_f64(if i == j { f64::from(self.order) } else { 0.0 });
        match self.entries {
            Entries::Uniform => random_entry(self.seed, i, j),
            Entries::PositiveDefinite => random_hermitian_entry::<T>(self.seed, i, j) + heavy,
            Entries::Dominant => random_entry::<T>(self.seed, i, j) + heavy,
            Entries::Nothing => T::NAN,
        }
    }

    /// Submits the tasks that fill the tiles of `matrix` that exist.
    pub(super) fn submit<T: Scalar>(self, flow: &mut Flow, matrix: &TileMatrix<T>) {
        for TileIndex { row, column } in self.layout.tiles(matrix) {
            let fill = Fill::<T> {
                matrix: self,
                rows: matrix.tile_rows(row) as u32,
                columns: matrix.tile_columns(column) as u32,
                first_row: row * matrix.mb(),
                first_column: column * matrix.nb(),
                scalar: PhantomData,
            };
            flow.submit(fill, &[(matrix.tile(row, column), W)], 0);
        }
    }
}

/// Operations on integers that an entry takes, about.
const MIXES: f64 = 20.0;

/// Fills one tile.
#[derive(Clone, Copy)]
struct Fill<T> {
    matrix: RandomMatrix,
    rows: u32,
    columns: u32,
    first_row: usize,
    first_column: usize,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Fill<T> {
    /// The same tile for a device.
    fn tile(&self) -> RandomTile {
        let RandomMatrix { entries, order, layout, seed } = self.matrix;
        let held = match (entries, layout.triangle) {
            (Entries::Nothing, _) => Held::Nothing,
            (_, Some(uplo)) => Held::Triangle(uplo),
            (_, None) => Held::Full,
        };
        RandomTile {
            shape: (self.rows as usize, self.columns as usize),
            first: (self.first_row, self.first_column),
            blocks: layout.blocks.map(|blocks| blocks.shape()),
            seeds: (seed, imaginary_seed(seed)),
            heavy: if entries == Entries::Uniform { 0.0 } else { f64::from(order) },
            is_hermitian: entries == Entries::PositiveDefinite,
            held,
        }
    }
}

impl<T: Scalar> Codelet for Fill<T> {
    const NAME: &'static str = "random";
    const ACCESS: &'static [Access] = &[W];
    const HAS_CUDA: bool = true;

    fn cost(&self) -> Cost {
        let count = f64::from(self.rows) * f64::from(self.columns);
        Cost { flops: MIXES * count, bytes: count * size_of::<T>() as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (row, column) = (self.first_row, self.first_column);
        for (j, entries) in buffers.write::<T>(0).chunks_exact_mut(self.rows as usize).enumerate() {
            for (i, entry) in entries.iter_mut().enumerate() {
                *entry = self.matrix.entry(row + i, column + j);
            }
        }
        Ok(())
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.tile().launch::<T>(launch, 0)
    }
}
