//! A covariance matrix to be worked on: its size and tiles, and the workers that do it.

use anyhow::Result;
use serde_json::{Map, Value};
use tegula_exageostat::covariance::Covariance;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::scalar::Precision;

use crate::flags::{MatrixFlags, Run, RunFlags};
use crate::output::Console;

/// A matrix with its tiles, and how tasks on it run.
#[derive(Clone)]
pub(super) struct Setting {
    /// How tasks run.
    pub(super) run: Run,
    /// Order of the matrix.
    pub(super) n: usize,
    /// Order of the tiles.
    pub(super) nb: usize,
    /// The numbers.
    pub(super) precision: Precision,
    /// What fills the matrix.
    pub(super) covariance: &'static Covariance,
    /// Where the places lie.
    pub(super) geometry: Geometry,
    /// Whether nothing is to be computed.
    pub(super) is_dry: bool,
}

impl Setting {
    /// The setting for a matrix of order `n`, every default settled.
    ///
    /// # Errors
    /// If the arithmetic asked for cannot be used, or the matrix fits nowhere.
    pub(super) fn new(
        matrix: &MatrixFlags,
        run: &RunFlags,
        n: usize,
        covariance: &'static Covariance,
        geometry: Geometry,
    ) -> Result<Self> {
        let run = run.settle()?;
        let nb = matrix.tile_size(n, run.workers());
        let MatrixFlags { precision, dry_run: is_dry, .. } = *matrix;
        let mut setting = Self { run, n, nb, precision, covariance, geometry, is_dry };
        if !is_dry {
            setting.run = setting.run.clone().fit(setting.matrix_bytes())?;
        }
        Ok(setting)
    }

    /// Prints how tasks run.
    pub(super) fn describe(&self, console: &Console) {
        self.run.describe(console, self.nb, self.precision);
    }

    /// Adds how tasks ran to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        self.run.describe_json(into, self.nb, self.precision);
    }

    /// Tiles along an edge.
    pub(super) fn edge(&self) -> usize {
        self.n.div_ceil(self.nb)
    }

    /// Tiles of the lower triangle.
    pub(super) fn tiles(&self) -> usize {
        self.edge() * (self.edge() + 1) / 2
    }

    /// Memory of the tiles.
    pub(super) fn matrix_bytes(&self) -> f64 {
        (self.tiles() * self.nb * self.nb * self.precision.bytes()) as f64
    }
}
