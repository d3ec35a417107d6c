//! Factors of a tile of a Cholesky factor: `T = S L^-T = U (L^-1 V)'` of `S = U V'`.
//!
//! Shapes: `S` is `m x n`, its factors the first numbers of a buffer of any size; `L` is the lower
//! triangle of an `n x n` tile; `T` has the rank of `S`, and its buffer just its size. Reads `S`
//! and `L`, overwrites `T`. Cannot fail.

use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use crate::backend::{self, Blas};
use crate::kernel::{bytes, product};
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The solve with its arguments; buffers `[L: R, S: R, T: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Settle {
    /// Rows of the tile.
    pub m: usize,
    /// Columns of the tile.
    pub n: usize,
    /// Columns of the factors.
    pub rank: usize,
}

impl Codelet for Settle {
    const NAME: &'static str = "tlr_settle";
    const ACCESS: &'static [Access] = &[R, R, W];

    fn cost(&self) -> Cost {
        let &Self { m, n, rank } = self;
        let numbers = [n * n / 2, 2 * (m + n) * rank];
        Cost { flops: product(&[n, n, rank]), bytes: bytes::<f64>(&numbers) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let l = TileRef::of(buffers, 0, self.n, self.n);
        let blas = f64::blas(backend::current());
        self.compute(blas, l, buffers.read(1), buffers.write(2));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl Settle {
    /// Writes the factors of `T` to `to`.
    ///
    /// # Panics
    /// If sizes are others.
    pub fn compute(&self, blas: &dyn Blas<f64>, l: TileRef<'_, f64>, s: &[f64], to: &mut [f64]) {
        let &Self { m, n, rank } = self;
        to.copy_from_slice(&s[..(m + n) * rank]);
        let v = TileMut::new(&mut to[m * rank..], n, rank);
        blas.trsm(Triangle::new(l, Uplo::Lower, Diag::NonUnit), 1.0, v);
    }
}
