//! Kriging: mean and variance of the field at new places, given observations and a model.
//!
//! With `C = L L'`, `W = L^-1 k`, `V = L^-1 [Q r]` and `r = z - Q c` for any `c`, the mean is
//! `q' g + W' (V_r - V_Q (g - c))` and the variance `c(0) - |W|^2 + d' A d`, where `g` are the
//! coefficients by generalised least squares, `A` their covariance and `d = q - V_Q' W`. Without columns in the mean this is simple kriging,
//! with a constant ordinary, else universal kriging: Cressie, "Statistics for spatial data" (1993),
//! sections 3.2 and 3.4.

use tegula_kernels::geometry::Points;
use tegula_kernels::kernel::column_squares::ColumnSquares;
use tegula_kernels::kernel::covariance::{Covariance as CovarianceKernel, TABLE_BYTES};
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::{Triangle, trsm};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::generation::places;
use crate::likelihood::{Evaluation, Likelihood, LikelihoodError, Parts};
use crate::model::Model;
use crate::observations::Observations;

/// Blocks of places that are worked on at the same time, per worker.
pub const BLOCKS_PER_WORKER: usize = 2;

/// Predictions of the noise-free field.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    /// Kriging means.
    pub mean: Vec<f64>,
    /// Kriging variances; add the nugget for those of new observations.
    pub variance: Vec<f64>,
}

/// Predicts at places, block by block, from one factorisation.
#[derive(Debug)]
pub struct Predictor<T> {
    flow: Flow,
    model: Model,
    observations: Observations,
    evaluation: Evaluation,
    factor: TileMatrix<T>,
    solved: TileMatrix<T>,
    /// `c`.
    offset: Vec<f64>,
    places: Vec<Handle>,
    table: Handle,
}

impl<T: Real> Predictor<T> {
    /// Factorises the covariance of the observations under `model`; `likelihood` was made for the
    /// same observations.
    ///
    /// # Errors
    /// If the covariance matrix is not positive definite.
    pub fn new(
        mut likelihood: Likelihood<T>,
        model: Model,
        observations: Observations,
    ) -> Result<Self, LikelihoodError> {
        assert_eq!(likelihood.n(), observations.len(), "observations of the likelihood and these");
        let evaluation = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
        let table = model.covariance.table(&model.values, 0.0)?;
        let Parts { mut flow, factor, solved, offset, places } = likelihood.into_parts();
        let handle = flow.register(TABLE_BYTES);
        flow.overwrite(handle, bytemuck::bytes_of(&*table)).map_err(LikelihoodError::Flow)?;
        Ok(Self {
            flow,
            model,
            observations,
            evaluation,
            factor,
            solved,
            offset,
            places,
            table: handle,
        })
    }

    /// The flow, for its trace and its progress.
    pub fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    /// The likelihood of the observations and the coefficients of the mean.
    #[must_use]
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Predicts at `points`; `drift` gives, for each column of the mean, its value there.
    /// `report` is called with the number of places done.
    ///
    /// # Errors
    /// If there is no memory.
    ///
    /// # Panics
    /// If the columns of `drift` are not those of the mean, or not as long as the points.
    pub fn predict(
        &mut self,
        points: &Points,
        drift: &[Vec<f64>],
        mut report: impl FnMut(usize),
    ) -> Result<Predictions, FlowError> {
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let (nb, m) = (self.factor.nb(), points.len());
        let batch = nb * BLOCKS_PER_WORKER * self.flow.workers();
        let mut predictions =
            Predictions { mean: Vec::with_capacity(m), variance: Vec::with_capacity(m) };
        for start in (0..m).step_by(batch.max(1)) {
            let end = (start + batch).min(m);
            let blocks: Vec<Block<T>> = (start..end)
                .step_by(nb)
                .map(|first| self.submit(&points.part(first..(first + nb).min(end))))
                .collect();
            let mut first = start;
            for block in blocks {
                let rows = block.rows;
                let row = |i: usize| drift.iter().map(|column| column[first + i]).collect();
                self.collect(block, row, &mut predictions)?;
                first += rows;
            }
            report(end);
        }
        Ok(predictions)
    }

    /// Submits the tasks of one block of places.
    fn submit(&mut self, points: &Points) -> Block<T> {
        let (m, nb, columns) = (points.len(), self.factor.nb(), self.solved.n());
        let flow = &mut self.flow;
        let at = places(flow, points, m.max(1))[0];
        let cross =
            TileMatrix::new(flow, (self.factor.n(), m), (nb, m), tegula_tiles::Storage::Full);
        let projections = flow.register(m * columns * size_of::<T>());
        let explained = flow.register(m * size_of::<T>());
        flow.phase("covariances");
        for i in 0..cross.mt() {
            let kernel = CovarianceKernel::<T>::between(points.geometry(), (cross.tile_rows(i), m));
            let accesses = [(self.table, R), (self.places[i], R), (at, R), (cross.tile(i, 0), W)];
            flow.submit(kernel, &accesses, 2 * (cross.mt() - i) as i32);
        }
        flow.phase("solve");
        let triangle =
            Triangle { side: Side::Left, uplo: Uplo::Lower, trans: Trans::No, diag: Diag::NonUnit };
        trsm(flow, triangle, T::ONE, &self.factor, &cross);
        flow.phase("projection");
        for i in 0..cross.mt() {
            let (trans_a, trans_b, k) = (Trans::Yes, Trans::No, cross.tile_rows(i));
            let project = Gemm { trans_a, trans_b, m, n: columns, k, alpha: T::ONE, beta: T::ONE };
            let tile = cross.tile(i, 0);
            flow.submit(project, &[(tile, R), (self.solved.tile(i, 0), R), (projections, RW)], 0);
            flow.submit(ColumnSquares::<T>::new(k, m), &[(tile, R), (explained, RW)], 0);
        }
        cross.done_with(flow);
        Block { rows: m, at, cross, projections, explained }
    }

    /// Turns the sums of one block into predictions.
    fn collect(
        &mut self,
        block: Block<T>,
        drift: impl Fn(usize) -> Vec<f64>,
        into: &mut Predictions,
    ) -> Result<(), FlowError> {
        let (m, p) = (block.rows, self.solved.n() - 1);
        let projections = self.flow.read::<T>(block.projections)?.to_vec();
        let explained = self.flow.read::<T>(block.explained)?.to_vec();
        let (g, a) = (&self.evaluation.coefficients, &self.evaluation.coefficient_covariance);
        for i in 0..m {
            let projection = |j: usize| projections[i + j * m].to_f64();
            let q = self.observations.design.transform(&drift(i));
            let d: Vec<f64> = (0..p).map(|j| q[j] - projection(j)).collect();
            // The residuals first; the rest of the mean may be much larger.
            let residual: f64 = (0..p).map(|j| d[j] * (g[j] - self.offset[j])).sum();
            let offset: f64 = (0..p).map(|j| q[j] * self.offset[j]).sum();
            let mean = (projection(p) + residual) + offset;
            let uncertain: f64 =
                (0..p).map(|j| (0..p).map(|i| d[i] * a[i + j * p] * d[j]).sum::<f64>()).sum();
            let known = self.model.variance() - explained[i].to_f64();
            into.mean.push(mean);
            // Rounding may leave a little less than nothing at the place of an observation.
            into.variance.push((known + uncertain).max(0.0));
        }
        for handle in [block.at, block.projections, block.explained] {
            self.flow.unregister(handle);
        }
        block.cross.unregister(&mut self.flow);
        Ok(())
    }
}

/// The handles of one block of places.
struct Block<T> {
    rows: usize,
    at: Handle,
    cross: TileMatrix<T>,
    projections: Handle,
    explained: Handle,
}
