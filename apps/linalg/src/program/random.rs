//! Random matrices, tile by tile on the workers.

use std::marker::PhantomData;

use tegula_kernels::kernel::random_tile::RandomTile;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow};
use tegula_tiles::{TileIndex, TileMatrix, random_entry, random_hermitian_entry};

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
            if let Some(tile) = self.tile(matrix, row, column) {
                flow.submit(tile, &[(matrix.tile(row, column), W)], 0);
                continue;
            }
            let fill = Fill::<T> {
                matrix: self,
                rows: matrix.tile_rows(row) as u32,
                first_row: row * matrix.mb(),
                first_column: column * matrix.nb(),
                scalar: PhantomData,
            };
            flow.submit(fill, &[(matrix.tile(row, column), W)], 0);
        }
    }
}

impl RandomMatrix {
    /// The task that makes a tile of a matrix that is one, not blocks of one, on a core or a device.
    fn tile<T: Scalar>(
        &self,
        matrix: &TileMatrix<T>,
        row: usize,
        column: usize,
    ) -> Option<RandomTile<T>> {
        let (is_hermitian, weight) = match self.entries {
            Entries::Uniform => (false, 0),
            Entries::PositiveDefinite => (true, self.order),
            Entries::Dominant => (false, self.order),
            Entries::Nothing => return None,
        };
        let first = (row * matrix.mb(), column * matrix.nb());
        let size = (matrix.tile_rows(row), matrix.tile_columns(column));
        let short = |(i, j): (usize, usize)| Some((u32::try_from(i).ok()?, u32::try_from(j).ok()?));
        self.layout.blocks.is_none().then_some(())?;
        let part = self.layout.triangle.map_or(Part::Whole, Part::from);
        let (seed, scalar) = (self.seed, PhantomData);
        let (first, size) = (short(first)?, short(size)?);
        Some(RandomTile { seed, is_hermitian, part, weight, first, size, scalar })
    }
}

/// Fills one tile.
#[derive(Clone, Copy)]
struct Fill<T> {
    matrix: RandomMatrix,
    rows: u32,
    first_row: usize,
    first_column: usize,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Fill<T> {
    const NAME: &'static str = "random";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost::default()
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
}
