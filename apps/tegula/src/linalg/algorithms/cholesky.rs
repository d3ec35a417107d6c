//! Cholesky factorisation, and the solve with it.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{potrf, potrs};
use tegula_runtime::flow::{Flow, FlowError};

use super::triangular::solve_tasks;
use super::{UNREGISTERED, matrices};
use crate::demand::{potrf_task_bytes, potrf_tasks, solve_task_bytes};
use crate::linalg::fill::{Entries, RandomMatrix};
use crate::linalg::probe::solve_residual;
use crate::linalg::problem::{Plan, Problem, Sizes};

/// Which part of a solve with Cholesky factors is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    Factorisation,
    Solve,
}

/// Cholesky factorisation and the solve with it.
pub(super) struct Factorised<T> {
    sizes: Sizes,
    timed: Timed,
    a: RandomMatrix,
    b: RandomMatrix,
    /// Factor and right-hand sides.
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

/// What the factorisation takes.
pub(super) fn factorisation_plan(sizes: &Sizes) -> Plan {
    let a = sizes.lower(sizes.n);
    Plan::new(vec![a], potrf_task_bytes(&a), potrf_tasks(a.nt())).with_copies(&a, sizes.workers)
}

/// What the solve takes, and the factorisation before it.
pub(super) fn solve_plan(sizes: &Sizes) -> Plan {
    let (a, b) = (sizes.lower(sizes.n), sizes.full(sizes.n, sizes.nrhs));
    let largest = potrf_task_bytes(&a).max(solve_task_bytes(&a, &b));
    let mut plan = Plan::new(vec![a, b], largest, 2.0 * solve_tasks(&b));
    plan.fill_tasks += potrf_tasks(a.nt());
    plan.with_copies(&a, sizes.workers)
}

impl<T: Scalar> Factorised<T> {
    pub(super) fn new(sizes: Sizes, timed: Timed) -> Self {
        let (a, b) = (Entries::PositiveDefinite(sizes.n), Entries::Uniform);
        let [a, b] = matrices(&sizes, [a, b]);
        Self { sizes, timed, a, b, tiles: None }
    }
}

impl<T: Scalar> Problem<T> for Factorised<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { n, nrhs, nb, .. } = self.sizes;
        let a = TileMatrix::lower(flow, n, nb);
        self.tiles = Some((a, TileMatrix::new(flow, (n, nrhs), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.a.submit(flow, a);
        if self.timed == Timed::Solve {
            self.b.submit(flow, b);
            potrf(flow, a);
        }
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        match self.timed {
            Timed::Factorisation => potrf(flow, a),
            Timed::Solve => potrs(flow, a, b),
        }
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        if self.timed == Timed::Factorisation {
            self.b.submit(flow, b);
            potrs(flow, a, b);
        }
        let (entry, given) = (self.a.exact::<T>(), self.b.exact::<T>());
        solve_residual(flow, entry, b, given, self.sizes.seed)
    }
}
