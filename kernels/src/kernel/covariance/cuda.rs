//! The tile on a CUDA device, a thread for each entry: the same table, and the same steps from
//! coordinates to covariances, as on a core.

use std::fmt::Write;

use tegula_runtime::flow::{Failure, Launch};

use super::arc::{ARC, ARC_CELLS_PER_UNIT, ARC_ROWS};
use super::entry::{MAGIC, POWER};
use super::table::CELLS;
use super::{Covariance, Part, Structure, TABLE_BYTES, composite};
use crate::cuda::device_code::{Argument, constant};
use crate::cuda::{Block, Grid, Program, input, output};
use crate::geometry::{EARTH_RADIUS_KM, Geometry};
use crate::scalar::Real;

/// The device's side; [`constants`] come before it.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// The numbers that the device's side shares with ours.
pub(crate) fn constants() -> String {
    let mut text = constant("POWER", &POWER) + &constant("ARC", ARC.as_flattened());
    for (name, value) in [
        ("MAGIC", MAGIC),
        ("PI", std::f64::consts::PI),
        ("EARTH_RADIUS", EARTH_RADIUS_KM),
        ("ARC_CELLS_PER_UNIT", ARC_CELLS_PER_UNIT),
    ] {
        let _ = writeln!(text, "#define {name} {value:e}");
    }
    text + &format!("#define CELLS {CELLS}\n#define ARC_ROWS {ARC_ROWS}\n")
}

impl<T: Real> Covariance<T> {
    /// Puts the tile on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { rows, cols, geometry, .. } = self;
        let stored = geometry.stored();
        let table = input::<u8>(launch, 0, TABLE_BYTES);
        let row_points = input::<f64>(launch, 1, stored * rows);
        let column_points = input::<f64>(launch, 2, stored * cols);
        let out = output::<T>(launch, 3, rows * cols);
        if rows == 0 || cols == 0 {
            return Ok(());
        }
        let flag = |holds| Argument::<T>::Flag(i32::from(holds));
        let arguments = [
            Argument::place(table),
            Argument::place(row_points),
            Argument::place(column_points),
            Argument::size(rows),
            Argument::size(cols),
            Argument::Size(self.diagonal().cast_unsigned() as u64),
            Argument::Flag(stored as i32),
            flag(geometry == Geometry::GreatCircle),
            flag(self.part == Part::Lower),
            flag(self.is_same_set),
            Argument::place(out),
        ];
        // SAFETY: the buffers have the sizes of the contract.
        unsafe { Program::run(launch, "covariance", Grid::matrix(rows, cols), &arguments) }
    }
}

/// A tile of a derivative of a covariance.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernel) struct SlopeTile {
    /// Rows and columns.
    pub(in crate::kernel) shape: (usize, usize),
    /// Numbers of the buffers of their points; the tables are the first buffer.
    pub(in crate::kernel) points: (usize, usize),
    /// What distance means.
    pub(in crate::kernel) geometry: Geometry,
    /// What the tables mean.
    pub(in crate::kernel) structure: Structure,
    /// Whether the tile is on the diagonal, with zeros above it and halves of what is on it: half
    /// belongs to the row and half to the column.
    pub(in crate::kernel) is_lower: bool,
}

impl SlopeTile {
    /// Puts the making of derivative `k` at `slope` on the stream.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Panics
    /// If a buffer is of another size.
    #[allow(unsafe_code)]
    pub(in crate::kernel) fn launch<T: Real>(
        &self,
        launch: &Launch<'_>,
        k: usize,
        slope: Block<T>,
    ) -> Result<(), Failure> {
        let &Self { shape: (rows, cols), points, geometry, .. } = self;
        assert_eq!((slope.rows(), slope.cols(), slope.stride()), (rows, cols, rows), "the slope");
        let Structure::Radial { is_relative } = self.structure else {
            return composite::cuda::slope(self, launch, k, slope);
        };
        let ((tables, bytes), stored) = (launch.read::<u8>(0), geometry.stored());
        assert!(bytes >= (k + 2) * TABLE_BYTES, "{bytes} bytes of tables for derivative {k}");
        let flag = |holds| Argument::<T>::Flag(i32::from(holds));
        let arguments = [
            Argument::place(tables),
            Argument::place(tables.wrapping_add((k + 1) * TABLE_BYTES)),
            flag(is_relative),
            Argument::place(input::<f64>(launch, points.0, stored * rows)),
            Argument::place(input::<f64>(launch, points.1, stored * cols)),
            Argument::size(rows),
            Argument::size(cols),
            Argument::Flag(stored as i32),
            flag(geometry == Geometry::GreatCircle),
            flag(self.is_lower),
            slope.place(),
        ];
        let grid = Grid::matrix(rows, cols);
        // SAFETY: the buffers have the sizes of the contract, and the slope is `rows x cols`.
        unsafe { Program::run(launch, "covariance_slope", grid, &arguments) }
    }
}
