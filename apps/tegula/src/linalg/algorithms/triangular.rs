//! Triangular solve with many right-hand sides.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{Triangle, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use super::{UNREGISTERED, matrices};
use crate::linalg::fill::{Entries, RandomMatrix};
use crate::linalg::probe::{difference, multiply, multiply_tiles, signs};
use crate::linalg::problem::{Problem, Sizes};

/// Triangular solve with many right-hand sides.
pub(super) struct TriangularSolve<T> {
    sizes: Sizes,
    l: RandomMatrix,
    b: RandomMatrix,
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

impl<T: Scalar> TriangularSolve<T> {
    pub(super) fn new(sizes: Sizes) -> Self {
        let [l, b] = matrices(&sizes, [Entries::Dominant(sizes.m), Entries::Uniform]);
        Self { sizes, l, b, tiles: None }
    }
}

impl<T: Scalar> Problem<T> for TriangularSolve<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { m, n, nb, .. } = self.sizes;
        let l = TileMatrix::lower(flow, m, nb);
        self.tiles = Some((l, TileMatrix::new(flow, (m, n), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (l, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.l.submit(flow, l);
        self.b.submit(flow, b);
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let (l, b) = self.tiles.as_ref().expect(UNREGISTERED);
        let (uplo, trans, diag) = (Uplo::Lower, Trans::No, Diag::NonUnit);
        trsm(flow, Triangle { side: Side::Left, uplo, trans, diag }, T::ONE, l, b);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let Sizes { m, n, seed, .. } = self.sizes;
        let (_, x) = self.tiles.as_ref().expect(UNREGISTERED);
        let w = signs(seed, n);
        let entry = self.l.exact::<T>();
        let lower = |i: usize, j: usize| if i >= j { entry(i, j) } else { 0.0 };
        let found = multiply(m, lower, &multiply_tiles(flow, x, &w)?);
        Ok(difference::<T>(&found, &multiply(m, self.b.exact::<T>(), &w), m))
    }
}
