//! Random matrices, tile by tile on the workers.

use tegula_data::matrix::{TileMatrix, random_entry, random_hermitian_entry};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow};

use super::probe::exact;

/// A random matrix, each entry known from its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entries {
    /// Uniform in `[-1/2, 1/2)`.
    Uniform,
    /// Symmetric positive definite, of this order.
    PositiveDefinite(usize),
    /// Diagonally dominant in rows and columns, of this order.
    Dominant(usize),
}

/// A random matrix with its seed, in the precision `T`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomMatrix {
    /// Which kind.
    pub(super) entries: Entries,
    /// Its seed.
    pub(super) seed: u64,
}

impl RandomMatrix {
    /// Entry `(i, j)`, rounded to `T`.
    pub(super) fn entry<T: Scalar>(&self, i: usize, j: usize) -> T {
        let heavy = |n: usize| T::from_f64(if i == j { n as f64 } else { 0.0 });
        match self.entries {
            Entries::Uniform => random_entry(self.seed, i, j),
            Entries::PositiveDefinite(n) => random_hermitian_entry::<T>(self.seed, i, j) + heavy(n),
            Entries::Dominant(n) => random_entry::<T>(self.seed, i, j) + heavy(n),
        }
    }

    /// As [`entry`](Self::entry), exactly, in double precision.
    pub(super) fn exact<T: Scalar>(self) -> impl Fn(usize, usize) -> c64 {
        move |i, j| exact(self.entry::<T>(i, j))
    }

    /// Submits the tasks that fill `matrix`.
    pub(super) fn submit<T: Scalar>(self, flow: &mut Flow, matrix: &TileMatrix<T>) {
        for index in matrix.indices() {
            let (row, column) = (index.row, index.column);
            let fill = Fill::<T> {
                matrix: self,
                rows: matrix.tile_rows(row) as u32,
                first_row: (row * matrix.mb()) as u32,
                first_column: (column * matrix.nb()) as u32,
                scalar: std::marker::PhantomData,
            };
            flow.submit(fill, &[(matrix.tile(row, column), W)], 0);
        }
    }
}

/// Fills one tile.
#[derive(Clone, Copy)]
struct Fill<T> {
    matrix: RandomMatrix,
    rows: u32,
    first_row: u32,
    first_column: u32,
    scalar: std::marker::PhantomData<T>,
}

impl<T: Scalar> Codelet for Fill<T> {
    const NAME: &'static str = "random";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (row, column) = (self.first_row as usize, self.first_column as usize);
        for (j, entries) in buffers.write::<T>(0).chunks_exact_mut(self.rows as usize).enumerate() {
            for (i, entry) in entries.iter_mut().enumerate() {
                *entry = self.matrix.entry(row + i, column + j);
            }
        }
        Ok(())
    }
}
