//! Covariance tile: `C_ij = c(|p_i - q_j|)`, plus a nugget where an observation meets itself.
//!
//! Shapes: `C` is `rows x cols`; the row points are `stored x rows` and the column points
//! `stored x cols` numbers in the layout of [`crate::geometry::Points`]. Reads a [`RadialTable`]
//! and both blocks of points; overwrites `C`, or of it only what is on and below the diagonal of
//! the whole matrix. `C` is exactly the variance at distance 0, and 0 where the covariance
//! underflows. Cannot fail. Source: the covariances are those of the table; the evaluation is a
//! table lookup by the leading bits of the squared distance.

mod arc;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod composite;
mod correlation;
mod cpu;
mod cuda;
mod entry;
mod fit;
mod lanes;
pub mod rate;
mod reference;
mod slopes;
mod table;

use std::marker::PhantomData;

use bytemuck::cast_slice_mut;
use pulp::Arch;
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::geometry::Geometry;
use crate::scalar::{Precision, Real};

use cpu::Job;

pub(crate) use composite::SOURCE as COMPOSITE_SOURCE;
pub use composite::{Composite, CompositeCovariance, Recipe};
pub use correlation::{Correlation, Derivative, SmallDerivative, SmallExpansion, Tail};
pub use cpu::Vectors;
pub(in crate::kernel) use cuda::SlopeTile;
pub(crate) use cuda::{SOURCE, constants};
pub(in crate::kernel) use slopes::Slopes;
pub use slopes::Structure;
pub use table::{CELLS, COEFFICIENTS, LN_UNDERFLOW, RadialTable, Row, TABLE_BYTES};
pub(in crate::kernel) use {arc::ARC, entry::Evaluator, lanes::Lanes, lanes::Single, lanes::Step};
#[cfg(target_arch = "x86_64")]
pub(in crate::kernel) use {avx2::Avx2, avx512::Avx512};

/// Which entries of the tile are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// All.
    Full,
    /// Those on and below the diagonal of the whole matrix.
    Lower,
}

/// The kernel with its arguments; buffers `[table: R, row points: R, column points: R, C: W]`.
///
/// For a tile on the diagonal the row and the column points may be one handle, read twice.
#[derive(Clone, Copy, Debug)]
pub struct Covariance<T> {
    /// Rows of the tile.
    pub rows: usize,
    /// Columns of the tile.
    pub cols: usize,
    /// Row of the whole matrix at which the tile begins.
    pub row_offset: usize,
    /// Column of the whole matrix at which the tile begins.
    pub col_offset: usize,
    /// What distance means.
    pub geometry: Geometry,
    /// Which entries are written.
    pub part: Part,
    /// Whether rows and columns are the same observations: then the nugget is added on the
    /// diagonal of the whole matrix. Between two sets of points it never is.
    pub is_same_set: bool,
    /// The precision of the tile.
    pub precision: PhantomData<T>,
}

/// Writes what `table` gives for the distances of one point from `rows` others, from row `start`
/// on: a column of a tile, without nugget. Of a derivative by direction, times what the directions
/// make of it.
pub(in crate::kernel) fn column(
    vectors: Vectors,
    table: &RadialTable,
    geometry: Geometry,
    (row_points, rows): (&[f64], usize),
    point: &[f64],
    start: usize,
    out: &mut [f64],
) {
    let (column_points, lower) = (point, Some(start as isize));
    let job = Job { table, geometry, row_points, column_points, rows, cols: 1, lower };
    job.run(vectors, out);
    if let Some(axes) = table.axes() {
        Arch::new().dispatch(|| direct(axes, (row_points, rows), point, start, out));
    }
}

/// Multiplies a column, from row `start` on, by `w_i w_j / w' w` with what lies between each row's
/// point and `point`, `w`; by 0 where that is nothing.
#[inline(always)]
fn direct(
    [i, j]: [usize; 2],
    (row_points, rows): (&[f64], usize),
    point: &[f64],
    start: usize,
    out: &mut [f64],
) {
    let apart = |axis: usize, row: usize| row_points[axis * rows + row] - point[axis];
    for (row, out) in out.iter_mut().enumerate().take(rows).skip(start) {
        let squares = (0..point.len()).map(|axis| apart(axis, row).powi(2));
        *out *= apart(i, row) * apart(j, row) / (f64::MIN_POSITIVE + squares.sum::<f64>());
    }
}

/// Operations per entry as counted in [`Cost`]: an index, a polynomial of degree 7, the distance.
const FLOPS_PER_ENTRY: f64 = 24.0;

impl<T: Real> Codelet for Covariance<T> {
    const NAME: &'static str = "covariance";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let entries: usize = (0..self.cols).map(|j| self.rows - self.first_row(j)).sum();
        let points = self.geometry.stored() * (self.rows + self.cols) * size_of::<f64>();
        let bytes = TABLE_BYTES + points + entries * size_of::<T>();
        Cost { flops: FLOPS_PER_ENTRY * entries as f64, bytes: bytes as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let table = &buffers.read::<RadialTable>(0)[0];
        let out = buffers.write(3);
        self.compute(Vectors::widest(), table, buffers.read(1), buffers.read(2), out);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl<T: Real> Covariance<T> {
    /// A tile of the covariance matrix of one set of points with itself: lower part on the
    /// diagonal, nugget included.
    #[must_use]
    pub fn within(
        geometry: Geometry,
        (rows, cols): (usize, usize),
        (row_offset, col_offset): (usize, usize),
    ) -> Self {
        let part = if row_offset == col_offset { Part::Lower } else { Part::Full };
        let (is_same_set, precision) = (true, PhantomData);
        Self { rows, cols, row_offset, col_offset, geometry, part, is_same_set, precision }
    }

    /// A tile of the covariances between two sets of points, without nugget.
    #[must_use]
    pub fn between(geometry: Geometry, (rows, cols): (usize, usize)) -> Self {
        let (row_offset, col_offset) = (0, 0);
        let (part, is_same_set, precision) = (Part::Full, false, PhantomData);
        Self { rows, cols, row_offset, col_offset, geometry, part, is_same_set, precision }
    }

    /// Fills a contiguous tile with the given vectors.
    ///
    /// # Panics
    /// If shapes differ from the kernel's or the processor does not have the vectors.
    #[inline(never)]
    pub fn compute(
        &self,
        vectors: Vectors,
        table: &RadialTable,
        row_points: &[f64],
        column_points: &[f64],
        out: &mut [T],
    ) {
        self.check(row_points, column_points, out.len());
        assert!(table.end > table.first, "the table is empty: it ends at {}", table.end);
        let lower = (self.part == Part::Lower).then_some(self.diagonal());
        let &Self { rows, cols, geometry, .. } = self;
        let job = Job { table, geometry, row_points, column_points, rows, cols, lower };
        if T::PRECISION == Precision::Double {
            job.run::<f64>(vectors, cast_slice_mut(out));
        } else {
            job.run::<f32>(vectors, cast_slice_mut(out));
        }
        if self.is_same_set {
            self.add_nugget(table, out);
        }
    }

    /// Row of the tile at which the diagonal of the whole matrix crosses its column 0.
    fn diagonal(&self) -> isize {
        self.col_offset as isize - self.row_offset as isize
    }

    /// First row of column `j` that is written.
    fn first_row(&self, j: usize) -> usize {
        match self.part {
            Part::Full => 0,
            Part::Lower => (self.diagonal() + j as isize).clamp(0, self.rows as isize) as usize,
        }
    }

    fn add_nugget(&self, table: &RadialTable, out: &mut [T]) {
        let sum = T::from_f64(table.variance + table.nugget);
        for j in 0..self.cols {
            let i = self.diagonal() + j as isize;
            if (0..self.rows as isize).contains(&i) {
                out[j * self.rows + i as usize] = sum;
            }
        }
    }

    fn check(&self, row_points: &[f64], column_points: &[f64], entries: usize) {
        let &Self { rows, cols, .. } = self;
        let stored = self.geometry.stored();
        assert!(entries == rows * cols, "the tile has {entries} entries, not {rows} x {cols}");
        let found = row_points.len();
        assert!(found == stored * rows, "row points: {found} numbers, not {stored} x {rows}");
        let found = column_points.len();
        assert!(found == stored * cols, "column points: {found} numbers, not {stored} x {cols}");
    }
}
