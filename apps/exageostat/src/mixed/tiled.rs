//! One set of observations with its covariance matrix in tiles that are in 64 bits, in 32, or zero.

use std::marker::PhantomData;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::norm::{Norm, NormShare, frobenius};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::scalar::Real;
use tegula_linalg::{MixedMatrix, PrecisionMap, potrf_mixed, trsm_mixed};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use crate::covariance::Law;
use crate::generation::{Entries, Mapped};
use crate::likelihood::{Evaluation, LikelihoodError};
use crate::observations::Observations;
use crate::sums::Sums;

/// Tiles for each worker that are made to take their norms.
const SCRATCH: usize = 2;

/// Observations in the order of their rows, and what evaluations of them need on a flow.
#[derive(Debug)]
pub(crate) struct Tiled {
    pub(crate) flow: Flow,
    nb: usize,
    pub(crate) points: Points,
    entries: Entries,
    places: Mapped,
    sums: Sums,
}

impl Tiled {
    /// Prepares evaluations of `observations` on `flow`, in tiles of order `nb`.
    pub(crate) fn new(mut flow: Flow, observations: &Observations, nb: usize) -> Self {
        let points = observations.points.clone();
        let entries = Entries::new(&mut flow, points.geometry());
        let sums = Sums::new(&mut flow, observations, nb);
        Self { nb, entries, places: Mapped::new(&mut flow, &points, nb), sums, points, flow }
    }

    pub(crate) fn n(&self) -> usize {
        self.points.len()
    }

    /// Rows of tiles.
    pub(crate) fn nt(&self) -> usize {
        self.n().div_ceil(self.nb)
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.points.geometry()
    }

    /// Rows of the tiles in row `i` of tiles.
    fn rows(&self, i: usize) -> usize {
        self.nb.min(self.n() - i * self.nb)
    }

    /// Waits, then sets the law of which entries are.
    pub(crate) fn set(&mut self, law: &Law) -> Result<(), FlowError> {
        self.entries.set(&mut self.flow, law)?;
        self.places.set(&mut self.flow, law)
    }

    /// Submits the entries of tile `(i, j)`, each rounded to `T`.
    fn generate<T: Real>(&mut self, (i, j): (usize, usize), tile: Handle, priority: i32) {
        let (shape, first) = ((self.rows(i), self.rows(j)), (i * self.nb, j * self.nb));
        let [row, column] = [i, j].map(|i| self.places.blocks()[i]);
        self.entries.within::<T>(&mut self.flow, (shape, first), [row, column, tile], priority);
    }

    /// The Frobenius norms of tiles `(i, j)` below the diagonal, at `i + j nt`. Few are there at a
    /// time.
    pub(crate) fn norms(&mut self) -> Result<Vec<f64>, FlowError> {
        self.flow.phase("norms");
        let nt = self.nt();
        let count = SCRATCH * self.flow.workers().max(1);
        let number = size_of::<f64>();
        // Those of the last row have fewer rows.
        let [usual, last] = [0, nt.saturating_sub(1)].map(|i| {
            let bytes = if nt == 0 { 0 } else { self.rows(i) * self.rows(0) * number };
            (0..count).map(|_| self.flow.register(bytes)).collect::<Vec<Handle>>()
        });
        let mut shares = Vec::new();
        for (i, j) in (0..nt).flat_map(|j| (j + 1..nt).map(move |i| (i, j))) {
            let (m, n, norm) = (self.rows(i), self.rows(j), Norm::Frobenius);
            let scratch = if i + 1 == nt { &last } else { &usual };
            let tile = scratch[shares.len() % count];
            let share = self.flow.register(norm.share(m, n) * number);
            self.generate::<f64>((i, j), tile, 0);
            let (structure, twice, scalar) = (Structure::General, false, PhantomData);
            let kernel = NormShare::<f64> { norm, structure, twice, m, n, scalar };
            self.flow.submit(kernel, &[(tile, R), (share, RW)], 0);
            shares.push((i + j * nt, share));
        }
        let mut norms = vec![0.0; nt * nt];
        for (place, share) in shares {
            norms[place] = frobenius(self.flow.read::<f64>(share)?);
            self.flow.retire(share);
        }
        usual.into_iter().chain(last).for_each(|tile| self.flow.retire(tile));
        Ok(norms)
    }

    /// The evaluation of the law that was set, in tiles of these precisions, with the bytes that
    /// these take.
    pub(crate) fn evaluate(
        &mut self,
        map: PrecisionMap,
    ) -> Result<Result<(Evaluation, u64), LikelihoodError>, FlowError> {
        self.sums.reset(&mut self.flow)?;
        self.flow.phase("generation");
        let shape = (self.n(), self.nb);
        let matrix = MixedMatrix::<f64>::new(&mut self.flow, shape, map);
        let mut tiles: Vec<(usize, usize)> = matrix.stored().collect();
        // As the factorisation needs them, which runs behind.
        tiles.sort_by_key(|(i, j)| i + j);
        for (i, j) in tiles {
            let priority = (3 * self.nt() - (i + j).div_ceil(2)) as i32;
            if matrix.precisions().is_narrow(i, j) {
                self.generate::<f32>((i, j), matrix.tile(i, j), priority);
            } else {
                self.generate::<f64>((i, j), matrix.tile(i, j), priority);
            }
        }
        let Self { flow, sums, .. } = self;
        flow.phase("factorization");
        potrf_mixed(flow, &matrix);
        sums.determinant(flow, |k| matrix.tile(k, k));
        flow.phase("solve");
        trsm_mixed(flow, &matrix, sums.rhs());
        sums.dot(flow);
        let bytes = matrix.bytes();
        matrix.retire(flow);
        Ok(sums.evaluate(flow)?.map(|evaluation| (evaluation, bytes)))
    }

    /// Of the last evaluation, what each row of tiles adds to the log-likelihood, as
    /// [`Sums::by_rows`].
    pub(crate) fn by_rows(&mut self, scale: f64) -> Result<Vec<f64>, FlowError> {
        self.sums.by_rows(&mut self.flow, scale)
    }
}
