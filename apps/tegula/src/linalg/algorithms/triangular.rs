//! Triangular solve with many right-hand sides.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_linalg::{Triangle, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use super::{UNREGISTERED, matrices};
use crate::demand::{Grid, solve_task_bytes};
use crate::linalg::fill::{Entries, RandomMatrix};
use crate::linalg::probe::solve_residual;
use crate::linalg::problem::{Plan, Problem, Sizes};

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

/// What it takes.
pub(super) fn plan(sizes: &Sizes) -> Plan {
    let (l, b) = (sizes.lower(sizes.m), sizes.full(sizes.m, sizes.n));
    Plan::new(vec![l, b], solve_task_bytes(&l, &b), solve_tasks(&b))
}

/// Tasks of a triangular solve for `b`.
pub(super) fn solve_tasks(b: &Grid) -> f64 {
    let (mt, nt) = (b.mt() as f64, b.nt() as f64);
    nt * mt * (mt + 1.0) / 2.0
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
        let (_, x) = self.tiles.as_ref().expect(UNREGISTERED);
        let entry = self.l.exact::<T>();
        let lower = |i: usize, j: usize| if i >= j { entry(i, j) } else { c64::ZERO };
        solve_residual(flow, lower, x, self.b.exact::<T>(), self.sizes.seed)
    }
}
