//! Kriging: mean and variance of the field at new places, given observations and a model.
//!
//! With `C = L L'`, `W = L^-1 k`, `V = L^-1 [Q r]` and `r = z - Q c` for any `c`, the mean is
//! `q' g + W' (V_r - V_Q (g - c))` and the variance `c(0) - |W|^2 + d' A d`, where `g` are the
//! coefficients by generalised least squares, `A` their covariance and `d = q - V_Q' W`. Without
//! columns in the mean this is simple kriging, with a constant ordinary, else universal kriging:
//! Cressie, "Statistics for spatial data" (1993), sections 3.2 and 3.4.

use std::marker::PhantomData;
use std::ops::Range;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::column_squares::ColumnSquares;
use tegula_kernels::kernel::covariance::Composite;
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::{Triangle, trsm};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::block::{Averaged, Block};
use crate::covariance::Law;
use crate::generation::{Entries, places};
use crate::joint::Joint;
use crate::likelihood::{Evaluate, Evaluation, Likelihood, LikelihoodError, Parts};
use crate::model::Model;
use crate::observations::Observations;

/// Blocks of places that are worked on at the same time, per worker.
pub const BLOCKS_PER_WORKER: usize = 2;

/// Predictions of the noise-free field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Kriging means.
    pub mean: Vec<f64>,
    /// Kriging variances; add the nugget for those of new observations.
    pub variance: Vec<f64>,
    /// `q' A d`, by which the mean must be estimated: the Lagrange multipliers of universal kriging
    /// times the columns of the mean there, with the sign turned; 0 without columns. The variance
    /// of the predictor is `c(0) - variance + 2 q' A d`.
    pub lagrange: Vec<f64>,
    /// Kriging means of each further replicate; all else is the same.
    pub replicates: Vec<Vec<f64>>,
}

/// Predicts at places, some at a time, from one factorisation.
#[derive(Debug)]
pub struct Predictor<T> {
    flow: Flow,
    observations: Observations,
    evaluation: Evaluation,
    kriging: Kriging<T>,
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
        let law = model.covariance.law(observations.points.geometry(), &model.values, 0.0)?;
        let (mut flow, parts) = likelihood.into_parts();
        let geometry = observations.points.geometry();
        let kriging =
            Kriging::new(&mut flow, parts, (geometry, law)).map_err(LikelihoodError::Flow)?;
        Ok(Self { flow, observations, evaluation, kriging })
    }

    /// Turns the sums of some places into predictions.
    fn collect(
        &mut self,
        block: Task<T>,
        drift: impl Fn(usize) -> Vec<f64>,
        into: &mut Predictions,
    ) -> Result<(), FlowError> {
        let Parts { solved, offset: known_offset, .. } = &self.kriging.parts;
        let (m, columns) = (block.rows, solved.n());
        let projections = self.flow.read::<T>(block.projections)?.to_vec();
        let explained = self.flow.read::<T>(block.explained)?.to_vec();
        let mean = UncertainMean { evaluation: &self.evaluation, offset: known_offset };
        for i in 0..m {
            let projections: Vec<f64> =
                (0..columns).map(|j| projections[i + j * m].to_f64()).collect();
            let q = self.observations.design.transform(&drift(i));
            let known = block.prior[i] - explained[i].to_f64();
            mean.predict(&q, &projections, known, into);
        }
        block.unregister(&mut self.flow);
        Ok(())
    }
}

/// The mean of the field as observations tell it.
pub(crate) struct UncertainMean<'a> {
    /// The likelihood of the observations.
    pub(crate) evaluation: &'a Evaluation,
    /// `c` of each replicate.
    pub(crate) offset: &'a [Vec<f64>],
}

impl UncertainMean<'_> {
    /// Adds the prediction at a place with the columns `q`, whose weights `w` of the observations
    /// give the `projections` `[Q r]' w`, and leave the variance `known` where the mean is known.
    pub(crate) fn predict(&self, q: &[f64], projections: &[f64], known: f64, to: &mut Predictions) {
        let (a, p) = (&self.evaluation.coefficient_covariance, q.len());
        let d: Vec<f64> = (0..p).map(|j| q[j] - projections[j]).collect();
        let mean = |replicate: usize| {
            let (g, c) = (self.evaluation.coefficients_of(replicate), &self.offset[replicate]);
            // The residuals first; the rest of the mean may be much larger.
            let residual: f64 = (0..p).map(|j| d[j] * (g[j] - c[j])).sum();
            let offset: f64 = (0..p).map(|j| q[j] * c[j]).sum();
            (projections[p + replicate] + residual) + offset
        };
        let form = |left: &[f64]| -> f64 {
            (0..p).map(|j| (0..p).map(|i| left[i] * a[i + j * p] * d[j]).sum::<f64>()).sum()
        };
        to.mean.push(mean(0));
        to.replicates.resize(self.offset.len() - 1, Vec::new());
        to.replicates.iter_mut().zip(1..).for_each(|(field, which)| field.push(mean(which)));
        // Rounding may leave a little less than nothing at the place of an observation.
        to.variance.push((known + form(&d)).max(0.0));
        to.lagrange.push(form(q));
    }
}

/// Predicts the field from observations, exactly or not.
pub trait Predict {
    /// The flow, for its trace and its progress.
    fn flow(&mut self) -> &mut Flow;

    /// The likelihood of the observations and the coefficients of the mean.
    fn evaluation(&self) -> &Evaluation;

    /// Predicts the field's mean over `block` about each place from now on. The columns of the mean
    /// are those of the place.
    fn set_block(&mut self, block: Block);

    /// The joint distribution of what is predicted at `points`; `drift` as of
    /// [`predict`](Self::predict). From neighbours, places are conditioned on those before them as
    /// well, so that variances are a little less than without.
    ///
    /// # Errors
    /// If there is no memory, or matrices are not positive definite.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    fn joint(&mut self, points: &Points, drift: &[Vec<f64>]) -> Result<Joint, FlowError>;

    /// Predicts at `points`; `drift` gives, for each column of the mean, its value there.
    /// `report` is called with the number of places done.
    ///
    /// # Errors
    /// If there is no memory, or matrices are not positive definite.
    ///
    /// # Panics
    /// If the columns of `drift` are not those of the mean, or not as long as the points.
    fn predict(
        &mut self,
        points: &Points,
        drift: &[Vec<f64>],
        report: &mut dyn FnMut(usize),
    ) -> Result<Predictions, FlowError>;
}

impl<T: Real> Predict for Predictor<T> {
    fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    fn set_block(&mut self, block: Block) {
        let block = block.mapped(self.kriging.law.metric.as_ref());
        self.kriging.set_block(&mut self.flow, block);
    }

    fn joint(&mut self, points: &Points, drift: &[Vec<f64>]) -> Result<Joint, FlowError> {
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let m = points.len();
        let tasks = self.kriging.submit_kept(&mut self.flow, points, 0..m);
        let mut known = self.kriging.prior(points);
        let mut first = 0;
        for (i, one) in tasks.iter().enumerate() {
            let mut before = 0;
            for other in &tasks[..=i] {
                let explained = one.product(&mut self.flow, other);
                let entries = self.flow.read::<T>(explained)?;
                for (place, entry) in entries.iter().enumerate() {
                    let (row, column) = (first + place % one.rows, before + place / one.rows);
                    known[row + column * m] -= entry.to_f64();
                }
                self.flow.unregister(explained);
                before += other.rows;
            }
            first += one.rows;
        }
        let (mut predictions, mut d, mut first) = (Predictions::default(), Vec::new(), 0);
        for task in tasks {
            let rows = task.rows;
            let row = |i: usize| drift.iter().map(|column| column[first + i]).collect::<Vec<_>>();
            let made = self.flow.read::<T>(task.projections)?;
            d.extend((0..rows).map(|i| {
                let q = self.observations.design.transform(&row(i));
                let pairs = q.iter().enumerate();
                pairs.map(|(j, q)| q - made[i + j * rows].to_f64()).collect::<Vec<f64>>()
            }));
            self.collect(task, row, &mut predictions)?;
            first += rows;
        }
        let (told, a) = ((predictions.mean, predictions.lagrange), &self.evaluation);
        Ok(Joint::new(told, known, &d, &a.coefficient_covariance))
    }

    fn predict(
        &mut self,
        points: &Points,
        drift: &[Vec<f64>],
        report: &mut dyn FnMut(usize),
    ) -> Result<Predictions, FlowError> {
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let m = points.len();
        let mut predictions = Predictions::default();
        for batch in self.kriging.batches(&self.flow, m) {
            let end = batch.end;
            let mut first = batch.start;
            for block in self.kriging.submit(&mut self.flow, points, batch) {
                let rows = block.rows;
                let row = |i: usize| drift.iter().map(|column| column[first + i]).collect();
                self.collect(block, row, &mut predictions)?;
                first += rows;
            }
            report(end);
        }
        Ok(predictions)
    }
}

/// The tasks of predictions, on what an evaluation has left.
#[derive(Debug)]
pub(crate) struct Kriging<T> {
    parts: Parts<T>,
    entries: Entries,
    law: Law,
    /// The block about each place as the law maps it, with the weights of its nodes, unless it is
    /// the place alone.
    block: Option<(Block, Handle)>,
}

impl<T: Real> Kriging<T> {
    /// Predictions by the covariance that the parts were made with.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(
        flow: &mut Flow,
        parts: Parts<T>,
        (geometry, law): (Geometry, Law),
    ) -> Result<Self, FlowError> {
        let mut entries = Entries::new(flow, geometry);
        entries.set(flow, &law)?;
        Ok(Self { parts, entries, law, block: None })
    }

    /// Predicts blocks from now on.
    fn set_block(&mut self, flow: &mut Flow, block: Block) {
        let weights = flow.register_from(&block.weights());
        self.block = Some((block, weights));
    }

    /// The covariances of what is predicted at `points`, where nothing is observed: the lower
    /// triangle, by columns.
    fn prior(&self, points: &Points) -> Vec<f64> {
        if self.law.recipe().is_some() {
            return self.composite_prior(points);
        }
        let point = Block::point(points.geometry());
        let block = self.block.as_ref().map_or(&point, |(block, _)| block);
        block.covariances(self.law.table(), &self.law.places(points))
    }

    /// The same of a covariance that is put together from several.
    fn composite_prior(&self, points: &Points) -> Vec<f64> {
        let (m, points) = (points.len(), self.law.places(points));
        let composite = Composite::new(self.law.bytes(), points.geometry());
        let at: Vec<Vec<f64>> = (0..m).map(|i| points.block(i..i + 1)).collect();
        let mut matrix = vec![0.0; m * m];
        for j in 0..m {
            (j..m).for_each(|i| matrix[i + j * m] = composite.value(&at[i], &at[j]));
        }
        matrix
    }

    /// The `places` in parts that are worked on at the same time.
    pub(crate) fn batches(
        &self,
        flow: &Flow,
        places: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<T> {
        let batch = (self.parts.factor.nb() * BLOCKS_PER_WORKER * flow.workers()).max(1);
        (0..places).step_by(batch).map(move |start| start..(start + batch).min(places))
    }

    /// Submits the tasks of those of `points`, block by block, and gives their covariances back as
    /// soon as they were used.
    pub(crate) fn submit(
        &self,
        flow: &mut Flow,
        points: &Points,
        those: Range<usize>,
    ) -> Vec<Task<T>> {
        let tasks = self.submit_kept(flow, points, those);
        tasks.iter().for_each(|task| task.done_with(flow));
        tasks
    }

    /// As [`submit`](Self::submit), but keeps the covariances.
    fn submit_kept(&self, flow: &mut Flow, points: &Points, those: Range<usize>) -> Vec<Task<T>> {
        let (nb, end) = (self.parts.factor.nb(), those.end);
        let blocks = those.step_by(nb);
        blocks.map(|first| self.task(flow, &points.part(first..(first + nb).min(end)))).collect()
    }

    /// Submits the tasks of some places.
    fn task(&self, flow: &mut Flow, points: &Points) -> Task<T> {
        let Self { parts: Parts { factor, solved, places: observed, .. }, .. } = self;
        let points = &*self.law.places(points);
        let (m, nb, columns) = (points.len(), factor.nb(), solved.n());
        let at = match &self.block {
            None => places(flow, points, m.max(1))[0],
            Some((block, _)) => flow.register_from(&block.around(points)),
        };
        let cross = TileMatrix::new(flow, (factor.n(), m), (nb, m), tegula_tiles::Storage::Full);
        let projections = flow.register(m * columns * size_of::<T>());
        let explained = flow.register(m * size_of::<T>());
        flow.phase("covariances");
        for (i, &observed) in observed.iter().enumerate() {
            let handles = [observed, at, cross.tile(i, 0)];
            self.covariances(flow, (cross.tile_rows(i), m), handles, 2 * (cross.mt() - i) as i32);
        }
        flow.phase("solve");
        let triangle =
            Triangle { side: Side::Left, uplo: Uplo::Lower, trans: Trans::No, diag: Diag::NonUnit };
        trsm(flow, triangle, T::ONE, factor, &cross);
        flow.phase("projection");
        for i in 0..cross.mt() {
            let (trans_a, trans_b, k) = (Trans::Yes, Trans::No, cross.tile_rows(i));
            let project = Gemm { trans_a, trans_b, m, n: columns, k, alpha: T::ONE, beta: T::ONE };
            let tile = cross.tile(i, 0);
            flow.submit(project, &[(tile, R), (solved.tile(i, 0), R), (projections, RW)], 0);
            flow.submit(ColumnSquares::<T>::new(k, m), &[(tile, R), (explained, RW)], 0);
        }
        let prior = match &self.block {
            None => self.law.variances(points),
            Some((block, _)) => {
                vec![block.covariance(self.law.table(), [0.0; 3], [0.0; 3]); m]
            }
        };
        Task { rows: m, prior, at, cross, projections, explained }
    }

    /// Submits the covariances of observations with places, or with the blocks about them.
    fn covariances(
        &self,
        flow: &mut Flow,
        (rows, cols): (usize, usize),
        [observed, at, tile]: [Handle; 3],
        priority: i32,
    ) {
        let Some((block, weights)) = &self.block else {
            self.entries.between::<T>(flow, (rows, cols), [observed, at, tile], priority);
            return;
        };
        let (geometry, table) = (self.entries.geometry, self.entries.handle());
        let kernel =
            Averaged::<T> { rows, cols, nodes: block.len(), geometry, precision: PhantomData };
        let accesses = [(table, R), (observed, R), (at, R), (*weights, R), (tile, W)];
        flow.submit(kernel, &accesses, priority);
    }
}

/// The handles of some places.
pub(crate) struct Task<T> {
    rows: usize,
    /// The variances of what is predicted, where nothing is observed.
    prior: Vec<f64>,
    at: Handle,
    cross: TileMatrix<T>,
    projections: Handle,
    explained: Handle,
}

impl<T: Real> Task<T> {
    /// Submits what the observations explain of the covariances of these places, a row for each,
    /// with those of `other`; returns the handle of it.
    fn product(&self, flow: &mut Flow, other: &Self) -> Handle {
        let (m, n) = (self.rows, other.rows);
        let product = flow.register(m * n * size_of::<T>());
        for i in 0..self.cross.mt() {
            let (trans_a, trans_b, k) = (Trans::Yes, Trans::No, self.cross.tile_rows(i));
            let add = Gemm { trans_a, trans_b, m, n, k, alpha: T::ONE, beta: T::ONE };
            let tiles = [(self.cross.tile(i, 0), R), (other.cross.tile(i, 0), R)];
            flow.submit(add, &[tiles[0], tiles[1], (product, RW)], 0);
        }
        product
    }

    /// Gives the covariances back as soon as what was submitted has used them.
    fn done_with(&self, flow: &mut Flow) {
        self.cross.done_with(flow);
    }

    /// Needs it no more.
    pub(crate) fn unregister(self, flow: &mut Flow) {
        for handle in [self.at, self.projections, self.explained] {
            flow.unregister(handle);
        }
        self.cross.unregister(flow);
    }
}
