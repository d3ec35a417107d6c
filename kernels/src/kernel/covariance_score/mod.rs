//! What a tile of a covariance matrix adds to the score, the gradient of a log-likelihood.
//!
//! Of the derivatives `D_k = dC/d ln theta_k` of a tile, which are made column by column and never
//! stored: the products `Y_i = Y_i + D a_j` and `Y_j = Y_j + D' a_i`, and, with `W = A - B_i B_j'`,
//! the sums of the rows of `W .* D_k` and the diagonal of `W`. The vectors `a` are the last columns
//! of `B`.
//!
//! Shapes: `D_k` and `A` are `rows x cols`; the points are as in [`covariance`](super::covariance);
//! `B_i` and `B_j` are the columns from `first` on of panels, `rows x width` and `cols x width`.
//! `Y_i` and `Y_j` begin with a column for each derivative's product with each vector, one for each
//! derivative's sums, and one for the diagonal; sums are added to `Y_i` alone. The covariance and
//! its derivatives are what a [`Structure`] makes of the first buffer. Of a tile on the diagonal
//! only what is on and below it counts, in sums half of what is on it, and both products are added
//! to `Y_i`. Reads all but `Y_i`, `Y_j`. Cannot fail. Source: the score and the working
//! vectors of average information: A. R. Gilmour, R. Thompson, B. R. Cullis, "Average information
//! REML", Biometrics 51 (1995) 1440-1450.

mod cpu;
mod cuda;

use std::marker::PhantomData;

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use super::covariance::{Structure, TABLE_BYTES};
use crate::geometry::Geometry;
use crate::scalar::Real;
pub(crate) use cuda::SOURCE;
use cuda::Side;

/// What a task works on.
#[derive(Clone, Copy, Debug)]
pub struct ScoreTile {
    /// Rows of the tile.
    pub rows: usize,
    /// Columns of the tile.
    pub cols: usize,
    /// Columns of the panels.
    pub width: usize,
    /// The first of those that make `B`.
    pub first: usize,
    /// The last columns that are the vectors `a`.
    pub vectors: usize,
    /// Number of derivatives.
    pub derivatives: usize,
    /// What distance means.
    pub geometry: Geometry,
    /// What the covariance and its derivatives are made from.
    pub structure: Structure,
}

impl ScoreTile {
    fn cost(&self, entries: usize, number_bytes: usize) -> Cost {
        let (width, derivatives) = (self.width as f64, self.derivatives as f64);
        let vectors = self.vectors as f64;
        // A table, then the weight, then two sums of each vector and that of the weights.
        let each = 3.0 + 4.0 * vectors;
        let flops = 24.0 * (1.0 + derivatives) + 2.0 * width + each * derivatives;
        let lines = (self.rows + self.cols) * (self.width + (1 + self.vectors) * self.derivatives);
        let bytes = (entries + lines) * number_bytes + (1 + self.derivatives) * TABLE_BYTES;
        Cost { flops: flops * entries as f64, bytes: bytes as f64 }
    }
}

/// A tile off the diagonal; buffers `[tables: R, row points: R, column points: R, A: R, B_i: R,
/// B_j: R, Y_i: RW, Y_j: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Score<T> {
    tile: ScoreTile,
    precision: PhantomData<T>,
}

/// A tile on the diagonal; buffers `[tables: R, points: R, A: R, B_i: R, Y_i: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct ScoreDiagonal<T> {
    tile: ScoreTile,
    precision: PhantomData<T>,
}

impl<T> Score<T> {
    /// The task on `tile`.
    #[must_use]
    pub const fn new(tile: ScoreTile) -> Self {
        Self { tile, precision: PhantomData }
    }
}

impl<T> ScoreDiagonal<T> {
    /// The task on `tile`.
    ///
    /// # Panics
    /// If it is not square.
    #[must_use]
    pub const fn new(tile: ScoreTile) -> Self {
        assert!(tile.rows == tile.cols, "a tile on the diagonal is square");
        Self { tile, precision: PhantomData }
    }
}

/// What is read of one side of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a, T> {
    /// The points.
    pub points: &'a [f64],
    /// The panel, column by column.
    pub panel: &'a [T],
}

impl<T: Real> Codelet for Score<T> {
    const NAME: &'static str = "covariance_score";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, R, RW, RW];

    fn cost(&self) -> Cost {
        self.tile.cost(self.tile.rows * self.tile.cols, size_of::<T>())
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let rows = Line { points: buffers.read(1), panel: buffers.read(4) };
        let cols = Line { points: buffers.read(2), panel: buffers.read(5) };
        let (tables, a) = (buffers.read::<u8>(0), buffers.read::<T>(3));
        self.tile.compute(tables, (rows, cols), a, (buffers.write(6), Some(buffers.write(7))));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.tile.structure.has_tables()
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let side = |points, panel, made| Side { points, panel, made };
        self.tile.launch::<T>(launch, 3, (side(1, 4, 6), Some(side(2, 5, 7))))
    }
}

impl<T: Real> Codelet for ScoreDiagonal<T> {
    const NAME: &'static str = "covariance_score_diagonal";
    const ACCESS: &'static [Access] = &[R, R, R, R, RW];

    fn cost(&self) -> Cost {
        self.tile.cost(self.tile.rows * (self.tile.rows + 1) / 2, size_of::<T>())
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let line = Line { points: buffers.read(1), panel: buffers.read(3) };
        let (tables, a) = (buffers.read::<u8>(0), buffers.read::<T>(2));
        self.tile.compute(tables, (line, line), a, (buffers.write(4), None));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.tile.structure.has_tables()
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let rows = Side { points: 1, panel: 3, made: 4 };
        self.tile.launch::<T>(launch, 2, (rows, None))
    }
}
