//! Kriging from the nearest observations of each place.
//!
//! Each place has the mean and the variance that its nearest observations give it, noise included
//! in theirs; the mean of the field is that of all observations, by their likelihood, exact or
//! approximated. What is not known of it counts as far as the weights of the neighbours do not take
//! it off, as in [`predict`](crate::predict): N. Cressie, "Statistics for spatial data" (1993),
//! section 3.4.
//!
//! In the latent form these are observations of the field itself: what it is expected to be there,
//! given all values. What is not known of it there is added to the variance ([`latent`]).

use std::ops::Range;

use tegula_kernels::geometry::Points;
use tegula_kernels::kernel::covariance::Recipe;
use tegula_kernels::kernel::vecchia::{CompositeWeights, NONE, Places, Weights};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::conditionals::Known;
use super::latent::{self, Factors, Targets};
use super::likelihood::VecchiaLikelihood;
use super::response::{Conditioned, Response};
use super::{BLOCK, Ordering};
use crate::block::{Block, BlockWeights};
use crate::covariance::Law;
use crate::joint::Joint;
use crate::likelihood::{Evaluate, Evaluation, Likelihood, LikelihoodError};
use crate::model::Model;
use crate::observations::Observations;
use crate::predict::{Predict, Predictions, UncertainMean};

/// Tasks that are worked on at the same time, per worker.
const TASKS_PER_WORKER: usize = 16;

/// Predicts at places from the nearest observations of each.
#[derive(Debug)]
pub struct LocalPredictor {
    flow: Flow,
    known: Known,
    observations: Observations,
    evaluation: Evaluation,
    law: Law,
    neighbours: usize,
    /// Places of a task.
    rows: usize,
    /// The variance of the mean over a block, where nothing is observed, if blocks are predicted.
    block_prior: Option<f64>,
    /// The block about each place as the law maps it, with the weights of its nodes, unless it is
    /// the place alone.
    block: Option<(Block, Handle)>,
    /// Of the latent form.
    factors: Option<Factors>,
}

/// Some places: of each its projections, then the variance that is explained.
struct Task {
    rows: usize,
    /// The variance of what is predicted at each, where nothing is observed.
    prior: Vec<f64>,
    out: Handle,
    /// What the field at the data leaves unknown.
    unknown: Option<Handle>,
    others: Vec<Handle>,
}

impl LocalPredictor {
    /// Evaluates the likelihood of the observations under `model`; `likelihood` was made for the
    /// same observations, and as many neighbours as it has are taken for predictions.
    ///
    /// # Errors
    /// If a covariance matrix is not positive definite.
    ///
    /// # Panics
    /// If the observations are not as many as those of the likelihood.
    pub fn new(
        mut likelihood: VecchiaLikelihood,
        model: Model,
        observations: Observations,
    ) -> Result<Self, LikelihoodError> {
        assert_eq!(likelihood.n(), observations.len(), "observations of the likelihood and these");
        let evaluation = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
        let options = likelihood.options();
        let noise = likelihood.noise(&model.values, model.nugget);
        let (mut flow, mut known, latent) = likelihood.into_parts();
        let sizes = (options.neighbours, options.block);
        let Some((noise, latent)) = noise.zip(latent) else {
            return Self::of(flow, known, &model, (observations, evaluation), sizes);
        };
        let columns = latent.expectations(&mut flow).map_err(LikelihoodError::Flow)?;
        known.replace(&mut flow, &columns).map_err(LikelihoodError::Flow)?;
        let field = Model { nugget: noise.own, ..model };
        let made = Self::of(flow, known, &field, (observations, evaluation), sizes)?;
        Ok(Self { factors: Some(latent.handles), ..made })
    }

    /// As [`new`](Self::new), with the coefficients of the mean by the exact likelihood, and from
    /// so many `neighbours`.
    ///
    /// # Errors
    /// If the covariance matrix is not positive definite, or there is no memory.
    ///
    /// # Panics
    /// If the observations are not as many as those of the likelihood.
    pub fn exact<T: Real>(
        mut likelihood: Likelihood<T>,
        model: Model,
        observations: Observations,
        neighbours: usize,
    ) -> Result<Self, LikelihoodError> {
        assert_eq!(likelihood.n(), observations.len(), "observations of the likelihood and these");
        let evaluation = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
        let (mut flow, parts) = likelihood.into_parts();
        parts.unregister(&mut flow);
        let order = (Ordering::Coordinate, model.covariance.has_time());
        let known = Known::new(&mut flow, &observations, order);
        Self::of(flow, known, &model, (observations, evaluation), (neighbours, BLOCK))
    }

    fn of(
        mut flow: Flow,
        mut known: Known,
        model: &Model,
        (observations, evaluation): (Observations, Evaluation),
        (neighbours, rows): (usize, usize),
    ) -> Result<Self, LikelihoodError> {
        let geometry = observations.points.geometry();
        let law = model.covariance.law(geometry, &model.values, model.nugget)?;
        known.set(&mut flow, &law).map_err(LikelihoodError::Flow)?;
        let neighbours = neighbours.clamp(1, observations.len());
        let (block, block_prior, factors) = (None, None, None);
        Ok(Self {
            flow,
            known,
            observations,
            evaluation,
            law,
            neighbours,
            rows,
            block_prior,
            block,
            factors,
        })
    }

    /// Predicts from so many neighbours from now on, all observations if these are fewer.
    pub fn set_neighbours(&mut self, neighbours: usize) {
        self.neighbours = neighbours.clamp(1, self.observations.len());
    }

    /// Submits the tasks of those of `points`.
    fn submit(&mut self, points: &Points, those: Range<usize>) -> Task {
        let &mut Self { ref mut flow, ref known, ref law, neighbours, .. } = self;
        let (rows, columns, geometry) = (those.len(), known.columns(), points.geometry());
        let stored = geometry.stored();
        let part = points.part(those);
        let mapped = law.places(&part);
        let marks = known.ordered.marks;
        let mut at = Vec::with_capacity(rows * (stored + marks));
        for i in 0..rows {
            at.extend(mapped.point(i).into_iter().take(stored));
            at.extend((0..marks).map(|mark| part.mark(mark)[i]));
        }
        let targets = flow.register_from(&at);
        let prior = self.block_prior.map_or_else(|| law.variances(&part), |one| vec![one; rows]);
        flow.phase("neighbours");
        let lists = known.ordered.look_around(flow, &part, neighbours);
        flow.phase("prediction");
        let out = flow.register(rows * (columns + 1) * size_of::<f64>());
        let given = [known.table, known.records, lists].map(|handle| (handle, R));
        let mut others = vec![targets, lists];
        let unknown = self.factors.map(|factors| {
            let unknown = flow.register(rows * size_of::<f64>());
            let Factors { neighbours: of_column, pattern, positions, v, .. } = factors;
            let targets_of = Targets { rows, near: neighbours, columns, geometry };
            let kernel = latent::Variance { targets: targets_of, neighbours: of_column };
            let more = [targets, pattern, positions, v].map(|handle| (handle, R));
            let accesses = [&given[..], &more, &[(unknown, W)]].concat();
            flow.submit(kernel, &accesses, 0);
            others.push(unknown);
            unknown
        });
        match &self.block {
            None => {
                let accesses = [&given[..], &[(targets, R), (out, W)]].concat();
                let places = Places { first: 0, rows, neighbours, columns, geometry };
                match law.recipe().map(Recipe::structure) {
                    None => flow.submit(Weights(places), &accesses, 0),
                    Some(structure) => {
                        let kernel = CompositeWeights { places, marks, structure };
                        flow.submit(kernel, &accesses, 0);
                    }
                }
            }
            Some((block, weights)) => {
                let around = flow.register_from(&block.around(&mapped));
                let nodes = block.len();
                let kernel = BlockWeights { rows, neighbours, columns, nodes, geometry };
                let accesses = [&given[..], &[(around, R), (*weights, R), (out, W)]].concat();
                flow.submit(kernel, &accesses, 0);
                others.push(around);
            }
        }
        Task { rows, prior, out, unknown, others }
    }

    /// Of each of `points` the records of its nearest observations, and all records.
    fn near(&mut self, points: &Points) -> Result<(Vec<Vec<u32>>, Vec<f64>), FlowError> {
        let &mut Self { ref mut flow, ref known, neighbours, .. } = self;
        flow.phase("neighbours");
        let lists = known.ordered.look_around(flow, points, neighbours);
        let found = flow.read::<u32>(lists)?.chunks_exact(neighbours);
        let near = found.map(|list| list.iter().copied().filter(|&one| one != NONE).collect());
        let near = near.collect();
        let records = flow.read::<f64>(known.records)?.to_vec();
        flow.unregister(lists);
        Ok((near, records))
    }

    /// Turns what the tasks of some places have made into predictions; `drift` gives the columns of
    /// the mean at one of them.
    fn collect(
        &mut self,
        task: &Task,
        drift: impl Fn(usize) -> Vec<f64>,
        into: &mut Predictions,
    ) -> Result<(), FlowError> {
        let columns = self.known.columns();
        let unknown = match task.unknown {
            None => vec![0.0; task.rows],
            Some(unknown) => self.flow.read::<f64>(unknown)?.to_vec(),
        };
        let made = self.flow.read::<f64>(task.out)?;
        let mean = UncertainMean { evaluation: &self.evaluation, offset: &self.known.offset };
        for (row, made) in made.chunks_exact(columns + 1).enumerate().take(task.rows) {
            let q = self.observations.design.transform(&drift(row));
            let known = task.prior[row] - made[columns] + unknown[row];
            mean.predict(&q, &made[..columns], known, into);
        }
        Ok(())
    }
}

impl Predict for LocalPredictor {
    fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// # Panics
    /// Of the latent form.
    fn set_block(&mut self, block: Block) {
        assert!(self.factors.is_none(), "the latent form predicts no blocks");
        let block = block.mapped(self.law.metric.as_ref());
        self.block_prior = Some(block.covariance(self.law.table(), [0.0; 3], [0.0; 3]));
        let weights = self.flow.register_from(&block.weights());
        self.block = Some((block, weights));
    }

    /// # Panics
    /// As [`Predict::joint`], and of the latent form.
    fn joint(&mut self, points: &Points, drift: &[Vec<f64>]) -> Result<Joint, FlowError> {
        assert!(self.factors.is_none(), "the latent form has no joint predictions");
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let (near, records) = self.near(points)?;
        let point = Block::point(points.geometry());
        let response = Response {
            table: self.law.table(),
            block: self.block.as_ref().map_or(&point, |(block, _)| block),
            records: &records,
            columns: self.known.columns(),
            neighbours: self.neighbours,
        };
        let Conditioned { projections, covariance } =
            response.condition(&self.law.places(points), &near);
        let (mut predictions, mut d) = (Predictions::default(), Vec::new());
        let mean = UncertainMean { evaluation: &self.evaluation, offset: &self.known.offset };
        for (i, made) in projections.iter().enumerate() {
            let row: Vec<f64> = drift.iter().map(|column| column[i]).collect();
            let q = self.observations.design.transform(&row);
            mean.predict(&q, made, covariance[i * (points.len() + 1)], &mut predictions);
            d.push(q.iter().zip(made).map(|(q, made)| q - made).collect());
        }
        let told = (predictions.mean, predictions.lagrange);
        Ok(Joint::new(told, covariance, &d, &self.evaluation.coefficient_covariance))
    }

    fn predict(
        &mut self,
        points: &Points,
        drift: &[Vec<f64>],
        report: &mut dyn FnMut(usize),
    ) -> Result<Predictions, FlowError> {
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let (total, rows) = (points.len(), self.rows);
        let mut predictions = Predictions::default();
        let batch = rows * TASKS_PER_WORKER * self.flow.workers().max(1);
        for start in (0..total).step_by(batch) {
            let end = (start + batch).min(total);
            let firsts = (start..end).step_by(rows);
            let tasks: Vec<(usize, Task)> = firsts
                .map(|first| (first, self.submit(points, first..(first + rows).min(end))))
                .collect();
            for (first, task) in &tasks {
                let row = |row: usize| drift.iter().map(|column| column[first + row]).collect();
                self.collect(task, row, &mut predictions)?;
            }
            let handles =
                tasks.into_iter().flat_map(|(_, task)| task.others.into_iter().chain([task.out]));
            handles.for_each(|handle| self.flow.unregister(handle));
            report(end);
        }
        Ok(predictions)
    }
}
