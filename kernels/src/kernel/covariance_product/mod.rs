//! Products of the derivatives of a covariance matrix with a panel, a tile at a time.
//!
//! Of the derivatives `D_k = dC/d ln theta_k` of a tile, which are made and not stored:
//! `Y_i = Y_i + [D_1 X_j, D_2 X_j, ...]` and `Y_j = Y_j + [D_1' X_i, ...]`; of a tile on the
//! diagonal `Y = Y + [D_1 X, ..., X]`, the last if wanted.
//!
//! Shapes: `D_k` is `rows x cols`; the points are as in [`covariance`](super::covariance); `X_i` is
//! `rows x width`, `X_j` is `cols x width`, and `Y_i` and `Y_j` have `width` columns for each
//! derivative, and after them as many more if the panel itself is wanted; others may follow. The
//! covariance and its derivatives are what a [`Structure`] makes of the first buffer. Adds to `Y_i`
//! and `Y_j`, reads the rest. Cannot fail. Source: products with the derivatives of a
//! covariance matrix are what its expected information is made of: J. R. Magnus, "Maximum
//! likelihood estimation of the GLS model with unknown parameters in the disturbance covariance
//! matrix", J. Econometrics 7 (1978) 281-312.

mod cpu;
mod cuda;

use std::marker::PhantomData;

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use super::covariance::{Structure, TABLE_BYTES};
use crate::geometry::Geometry;
use crate::scalar::Real;

/// What a task works on.
#[derive(Clone, Copy, Debug)]
pub struct ProductTile {
    /// Rows of the tile.
    pub rows: usize,
    /// Columns of the tile.
    pub cols: usize,
    /// Columns of the panels `X`.
    pub width: usize,
    /// Number of derivatives.
    pub derivatives: usize,
    /// Whether the panel itself is added after their products.
    pub with_panel: bool,
    /// What distance means.
    pub geometry: Geometry,
    /// What the covariance and its derivatives are made from.
    pub structure: Structure,
}

impl ProductTile {
    /// Columns of the panels `Y`.
    fn products(&self) -> usize {
        self.width * (self.derivatives + usize::from(self.with_panel))
    }

    fn cost(&self, sides: usize, number_bytes: usize) -> Cost {
        let (width, derivatives) = (self.width as f64, self.derivatives as f64);
        let flops = 24.0 * (1.0 + derivatives) + derivatives * 2.0 * width * sides as f64;
        let lines = (self.rows + self.cols) * (self.width + 2 * self.products());
        let bytes = lines * number_bytes + (1 + self.derivatives) * TABLE_BYTES;
        Cost { flops: flops * (self.rows * self.cols) as f64, bytes: bytes as f64 }
    }
}

/// A tile off the diagonal; buffers `[tables: R, row points: R, column points: R, X_i: R, X_j: R,
/// Y_i: RW, Y_j: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    tile: ProductTile,
    precision: PhantomData<T>,
}

/// A tile on the diagonal; buffers `[tables: R, points: R, X: R, Y: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct ProductDiagonal<T> {
    tile: ProductTile,
    precision: PhantomData<T>,
}

impl<T> Product<T> {
    /// The task on `tile`.
    #[must_use]
    pub const fn new(tile: ProductTile) -> Self {
        Self { tile, precision: PhantomData }
    }
}

impl<T> ProductDiagonal<T> {
    /// The task on `tile`.
    ///
    /// # Panics
    /// If it is not square.
    #[must_use]
    pub const fn new(tile: ProductTile) -> Self {
        assert!(tile.rows == tile.cols, "a tile on the diagonal is square");
        Self { tile, precision: PhantomData }
    }
}

impl<T: Real> Codelet for Product<T> {
    const NAME: &'static str = "covariance_product";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, RW, RW];

    fn cost(&self) -> Cost {
        self.tile.cost(2, size_of::<T>())
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tables = buffers.read::<u8>(0);
        let points = (buffers.read(1), buffers.read(2));
        let x = (buffers.read::<T>(3), buffers.read::<T>(4));
        self.tile.compute(tables, points, x, (buffers.write(5), Some(buffers.write(6))));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.tile.structure.has_tables()
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.tile.launch::<T>(launch, (1, 2), (3, 4), (5, Some(6)))
    }
}

impl<T: Real> Codelet for ProductDiagonal<T> {
    const NAME: &'static str = "covariance_product_diagonal";
    const ACCESS: &'static [Access] = &[R, R, R, RW];

    fn cost(&self) -> Cost {
        self.tile.cost(1, size_of::<T>())
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (tables, points, x) = (buffers.read::<u8>(0), buffers.read(1), buffers.read(2));
        self.tile.compute::<T>(tables, (points, points), (x, x), (buffers.write(3), None));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.tile.structure.has_tables()
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.tile.launch::<T>(launch, (1, 1), (2, 2), (3, None))
    }
}
