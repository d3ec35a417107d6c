//! LU factorisation without pivoting, and with partial pivoting.

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{Pivots, Triangle, getrf, getrf_nopiv, getrs, trsm};
use tegula_runtime::flow::{Flow, FlowError};

use super::{UNREGISTERED, matrices};
use crate::demand::Grid;
use crate::linalg::fill::{Entries, RandomMatrix};
use crate::linalg::probe::solve_residual;
use crate::linalg::problem::{Plan, Problem, Sizes};

/// LU factorisation without pivoting.
pub(super) struct Lu<T> {
    sizes: Sizes,
    a: RandomMatrix,
    b: RandomMatrix,
    tiles: Option<(TileMatrix<T>, TileMatrix<T>)>,
}

impl<T: Scalar> Lu<T> {
    pub(super) fn new(sizes: Sizes) -> Self {
        let [a, b] = matrices(&sizes, [Entries::Dominant(sizes.n), Entries::Uniform]);
        Self { sizes, a, b, tiles: None }
    }
}

/// What it takes.
pub(super) fn plan(sizes: &Sizes) -> Plan {
    let a = sizes.full(sizes.n, sizes.n);
    let largest = (a.tile(0, 0) + a.tile(1, 0)).max(a.tile(1, 0) + a.tile(0, 1) + a.tile(1, 1));
    let nt = a.nt() as f64;
    Plan::new(vec![a], largest, nt * (nt + 1.0) * (2.0 * nt + 1.0) / 6.0)
}

impl<T: Scalar> Problem<T> for Lu<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { n, nb, .. } = self.sizes;
        let a = TileMatrix::new(flow, (n, n), (nb, nb), Storage::Full);
        self.tiles = Some((a, TileMatrix::new(flow, (n, 1), (nb, nb), Storage::Full)));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        self.a.submit(flow, &self.tiles.as_ref().expect(UNREGISTERED).0);
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        getrf_nopiv(flow, &self.tiles.as_ref().expect(UNREGISTERED).0);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let (a, b) = self.tiles.as_ref().expect(UNREGISTERED);
        self.b.submit(flow, b);
        for (uplo, diag) in [(Uplo::Lower, Diag::Unit), (Uplo::Upper, Diag::NonUnit)] {
            let triangle = Triangle { side: Side::Left, uplo, trans: Trans::No, diag };
            trsm(flow, triangle, T::ONE, a, b);
        }
        let (entry, given) = (self.a.exact::<T>(), self.b.exact::<T>());
        solve_residual(flow, entry, b, given, self.sizes.seed)
    }
}

/// LU factorisation with partial pivoting.
pub(super) struct Pivoted<T> {
    sizes: Sizes,
    a: RandomMatrix,
    b: RandomMatrix,
    tiles: Option<(TileMatrix<T>, TileMatrix<T>, Pivots)>,
}

impl<T: Scalar> Pivoted<T> {
    pub(super) fn new(sizes: Sizes) -> Self {
        let [a, b] = matrices(&sizes, [Entries::Uniform, Entries::Uniform]);
        Self { sizes, a, b, tiles: None }
    }
}

/// What it takes.
pub(super) fn pivoted_plan(sizes: &Sizes) -> Plan {
    let a = Grid::full((sizes.n, sizes.n), (sizes.n.max(1), sizes.nb), sizes.number_bytes);
    let nt = a.nt() as f64;
    Plan::new(vec![a], 3 * a.tile(0, 0), nt * (nt + 3.0))
}

impl<T: Scalar> Problem<T> for Pivoted<T> {
    fn register(&mut self, flow: &mut Flow) {
        let Sizes { n, nb, .. } = self.sizes;
        let a = TileMatrix::new(flow, (n, n), (n.max(1), nb), Storage::Full);
        let b = TileMatrix::new(flow, (n, 1), (n.max(1), 1), Storage::Full);
        let pivots = Pivots::new(flow, &a);
        self.tiles = Some((a, b, pivots));
    }

    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        self.a.submit(flow, &self.tiles.as_ref().expect(UNREGISTERED).0);
        Ok(())
    }

    fn submit(&mut self, flow: &mut Flow) {
        let (a, _, pivots) = self.tiles.as_ref().expect(UNREGISTERED);
        getrf(flow, a, pivots);
    }

    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError> {
        let (a, b, pivots) = self.tiles.as_ref().expect(UNREGISTERED);
        self.b.submit(flow, b);
        getrs(flow, Trans::No, a, pivots, b);
        let (entry, given) = (self.a.exact::<T>(), self.b.exact::<T>());
        solve_residual(flow, entry, b, given, self.sizes.seed)
    }
}
