//! A tile of low rank times a panel: `Y = Y - U (V' Z)`.
//!
//! Shapes: `U` is `m x r`, `V` is `n x r`, `Z` is `n x p`, `Y` is `m x p`. Reads the factors and
//! `Z`, adds to `Y`. Cannot fail.

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use crate::backend::{self, Blas};
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

/// The product with its arguments; buffers `[factors: R, Z: R, Y: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Apply {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// Columns of the factors.
    pub rank: usize,
    /// Columns of the panel.
    pub columns: usize,
}

impl Codelet for Apply {
    const NAME: &'static str = "tlr_apply";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, rank, columns } = self;
        let numbers = (m + n) * rank;
        Cost {
            flops: 2.0 * product(&[numbers, columns]),
            bytes: bytes::<f64>(&[numbers, (2 * m + n) * columns]),
        }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { m, n, columns, .. } = self;
        let (z, y) = (TileRef::of(buffers, 1, n, columns), TileMut::of(buffers, 2, m, columns));
        self.compute(f64::blas(backend::current()), buffers.read(0), z, y);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl Apply {
    /// Takes the product off `y`.
    ///
    /// # Panics
    /// If sizes are others.
    pub fn compute(
        &self,
        blas: &dyn Blas<f64>,
        factors: &[f64],
        z: TileRef<'_, f64>,
        y: TileMut<'_, f64>,
    ) {
        let &Self { m, n, rank, columns } = self;
        let (u, v) = factors.split_at(m * rank);
        with_room(rank * columns, |room| {
            let v = TileRef::new(v, n, rank);
            blas.gemm(1.0, v.transposed(), z, 0.0, TileMut::new(room, rank, columns));
            let inside = TileRef::new(room, rank, columns);
            blas.gemm(-1.0, TileRef::new(u, m, rank), inside, 1.0, y);
        });
    }
}
