//! Submits the five phases of an evaluation.

use std::ops::Range;

use tegula_data::matrix::TileMatrix;
use tegula_kernels::kernel::covariance::RadialTable;
use tegula_kernels::kernel::dot::Dot;
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Real;
use tegula_linalg::potrf;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::memory::Reduction;

use super::evaluation::{Evaluation, LikelihoodError};
use super::solve::solve;
use crate::covariance::Covariance;
use crate::design::Design;
use crate::generation::{Generation, Order};
use crate::observations::Observations;

/// What lets the phases overlap; each can be put back to what it was before, to measure its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Submit all phases at once instead of waiting after each.
    pub asynchronous: bool,
    /// Accumulate the updates of the solve beside the right-hand side.
    pub local_solve: bool,
    /// Priorities along the critical path of the whole instead of the factorisation's alone.
    pub priorities: bool,
    /// Submit the generation by decreasing priority instead of column by column.
    pub submission_order: bool,
    /// Keep the tiles from one evaluation to the next.
    pub memory_cache: bool,
}

impl Default for Overlap {
    fn default() -> Self {
        Self {
            asynchronous: true,
            local_solve: true,
            priorities: true,
            submission_order: true,
            memory_cache: true,
        }
    }
}

/// Evaluates the likelihood of one set of observations, as often as wanted, on one flow.
#[derive(Debug)]
pub struct Likelihood<T> {
    flow: Flow,
    overlap: Overlap,
    n: usize,
    generation: Generation<T>,
    /// Coefficients of the mean by ordinary least squares, `c`, one per column: what they explain is taken from the
    /// values first, so that a mean far from zero costs no digits.
    offset: Vec<f64>,
    /// `[Q r]` with `r = z - Q c`.
    given: Vec<Vec<T>>,
    /// `[Q r]`, overwritten by `L^-1 [Q r]`.
    rhs: TileMatrix<T>,
    /// Updates of the solve.
    updates: TileMatrix<T>,
    logdet: Handle,
    gram: Handle,
}

impl<T: Real> Likelihood<T> {
    /// Prepares evaluations of `observations` in tiles of order `nb` on `flow`.
    #[must_use]
    pub fn new(mut flow: Flow, observations: &Observations, nb: usize, overlap: Overlap) -> Self {
        let (n, p) = (observations.len(), observations.design.columns());
        let generation = Generation::new(&mut flow, &observations.points, nb);
        let rhs = TileMatrix::panel(&mut flow, (n, p + 1), nb);
        let updates = TileMatrix::panel(&mut flow, (n, p + 1), nb);
        for i in 0..updates.mt() {
            flow.set_reduction(updates.tile(i, 0), Reduction::sum::<T>());
        }
        let (offset, rest) = observations.design.project(&observations.values);
        let given = (0..rhs.mt())
            .map(|i| given_block(&observations.design, &rest, i * nb..i * nb + rhs.tile_rows(i)));
        let gram_bytes = if p == 0 { size_of::<f64>() } else { (p + 1) * (p + 1) * size_of::<T>() };
        Self {
            overlap,
            n,
            generation,
            given: given.collect(),
            offset,
            rhs,
            updates,
            logdet: flow.register(size_of::<f64>()),
            gram: flow.register(gram_bytes),
            flow,
        }
    }

    /// The flow, for its trace and its memory.
    pub fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    /// Number of observations.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Evaluates the likelihood under `covariance` with parameters `values` and a `nugget`.
    ///
    /// # Errors
    /// If the parameters are not the covariance's, or its matrix is not positive definite.
    pub fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let table = covariance.table(values, nugget)?;
        let n = self.n;
        self.factorise(&table).map_err(|error| LikelihoodError::from_flow(error, n))?;
        let read = |error| LikelihoodError::from_flow(error, n);
        let logdet = self.flow.read::<f64>(self.logdet).map_err(read)?[0];
        let gram: Vec<f64> = if self.offset.is_empty() {
            self.flow.read::<f64>(self.gram).map_err(read)?.to_vec()
        } else {
            self.flow.read::<T>(self.gram).map_err(read)?.iter().map(|x| x.to_f64()).collect()
        };
        if !self.overlap.memory_cache {
            self.generation.covariance.done_with(&mut self.flow);
        }
        Evaluation::new(n, logdet, &gram, &self.offset)
    }

    /// Takes apart what is left of the last evaluation, for predictions.
    pub(crate) fn into_parts(self) -> Parts<T> {
        let Generation { covariance: factor, places, .. } = self.generation;
        Parts { flow: self.flow, factor, solved: self.rhs, offset: self.offset, places }
    }

    /// Submits all phases and waits for them.
    fn factorise(&mut self, table: &RadialTable) -> Result<(), FlowError> {
        self.reset(table)?;
        let nt = self.generation.covariance.nt() as i32;
        let overlap = self.overlap;
        let Overlap { local_solve, priorities, submission_order, .. } = overlap;
        self.flow.phase("generation");
        let order = Order { priorities, by_priority: submission_order };
        self.generation.submit(&mut self.flow, order);
        barrier(&mut self.flow, overlap)?;
        let covariance = &self.generation.covariance;
        self.flow.phase("factorization");
        // Before priorities covered the whole, the factorisation had 2 nt .. -nt, the rest 0.
        self.flow.shift_priorities(if priorities { 0 } else { -nt });
        potrf(&mut self.flow, covariance);
        self.flow.shift_priorities(0);
        barrier(&mut self.flow, overlap)?;
        self.flow.phase("determinant");
        for k in 0..covariance.nt() {
            let sum = LogDet::<T>::cholesky(covariance.tile_rows(k), k * covariance.nb());
            self.flow.submit(sum, &[(covariance.tile(k, k), R), (self.logdet, RW)], 0);
        }
        barrier(&mut self.flow, overlap)?;
        self.flow.phase("solve");
        let updates = local_solve.then_some(&self.updates);
        solve(&mut self.flow, covariance, &self.rhs, updates, priorities);
        barrier(&mut self.flow, overlap)?;
        self.flow.phase("dot");
        self.multiply();
        self.flow.wait()
    }

    /// Sets what an evaluation starts from.
    fn reset(&mut self, table: &RadialTable) -> Result<(), FlowError> {
        self.generation.set(&mut self.flow, table)?;
        self.flow.overwrite(self.logdet, &[0.0f64])?;
        if self.offset.is_empty() {
            self.flow.overwrite(self.gram, &[0.0f64])?;
        } else {
            self.flow.overwrite(
                self.gram,
                &vec![T::ZERO; (self.offset.len() + 1) * (self.offset.len() + 1)],
            )?;
        }
        for (i, given) in self.given.iter().enumerate() {
            self.flow.overwrite(self.rhs.tile(i, 0), given)?;
            self.flow.overwrite(self.updates.tile(i, 0), &vec![T::ZERO; given.len()])?;
        }
        Ok(())
    }

    /// Submits `G = W' W` of the solved right-hand sides.
    fn multiply(&mut self) {
        for i in 0..self.rhs.mt() {
            let (tile, rows, q) =
                (self.rhs.tile(i, 0), self.rhs.tile_rows(i), self.offset.len() + 1);
            let accesses = [(tile, R), (tile, R), (self.gram, RW)];
            if self.offset.is_empty() {
                self.flow.submit(Dot::<T>::new(rows), &accesses, 0);
            } else {
                let (trans_a, trans_b) = (Trans::Yes, Trans::No);
                let gram =
                    Gemm { trans_a, trans_b, m: q, n: q, k: rows, alpha: T::ONE, beta: T::ONE };
                self.flow.submit(gram, &accesses, 0);
            }
        }
    }
}

/// What is left of an evaluation.
pub(crate) struct Parts<T> {
    pub(crate) flow: Flow,
    /// `L`.
    pub(crate) factor: TileMatrix<T>,
    /// `L^-1 [Q r]` with the residuals `r = z - Q c` of ordinary least squares.
    pub(crate) solved: TileMatrix<T>,
    /// `c`.
    pub(crate) offset: Vec<f64>,
    /// Coordinates of the places.
    pub(crate) places: Vec<Handle>,
}

/// Waits between phases, if they are not to overlap.
fn barrier(flow: &mut Flow, overlap: Overlap) -> Result<(), FlowError> {
    if overlap.asynchronous { Ok(()) } else { flow.wait() }
}

/// Some rows of `[Q r]`, by columns.
fn given_block<T: Real>(design: &Design, rest: &[f64], rows: Range<usize>) -> Vec<T> {
    let columns = (0..design.columns()).map(|j| design.q(j)).chain([rest]);
    columns.flat_map(|column| column[rows.clone()].iter().map(|&x| T::from_f64(x))).collect()
}
