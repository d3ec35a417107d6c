//! Kriging from the nearest observations of each place.
//!
//! Each place has the mean and the variance that its nearest observations give it, noise included
//! in theirs; the mean of the field is that of all observations, by their approximated likelihood.
//! What is not known of it counts as far as the weights of the neighbours do not take it off, as in
//! [`predict`](crate::predict): N. Cressie, "Statistics for spatial data" (1993), section 3.4.

use std::ops::Range;

use tegula_kernels::geometry::Points;
use tegula_kernels::kernel::vecchia::{Places, Weights};
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::likelihood::{Known, VecchiaLikelihood};
use crate::likelihood::{Evaluate, Evaluation, LikelihoodError};
use crate::model::Model;
use crate::observations::Observations;
use crate::predict::{Predict, Predictions, UncertainMean};

/// Blocks of places that are worked on at the same time, per worker.
const BLOCKS_PER_WORKER: usize = 16;

/// Predicts at places from the nearest observations of each.
#[derive(Debug)]
pub struct LocalPredictor {
    likelihood: VecchiaLikelihood,
    model: Model,
    observations: Observations,
    evaluation: Evaluation,
    neighbours: usize,
}

/// A block of places: of each its projections, then the variance that is explained.
struct Block {
    rows: usize,
    handles: [Handle; 3],
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
        let neighbours = likelihood.options().neighbours.min(observations.len());
        Ok(Self { likelihood, model, observations, evaluation, neighbours })
    }

    /// Submits the tasks of those of `points`.
    fn submit(&mut self, points: &Points, those: Range<usize>) -> Block {
        let (rows, neighbours) = (those.len(), self.neighbours);
        let VecchiaLikelihood { flow, known, .. } = &mut self.likelihood;
        let Known { ordered, records, table, .. } = &*known;
        let (geometry, columns) = (points.geometry(), known.columns());
        let stored = geometry.stored();
        let at: Vec<f64> = those.flat_map(|i| points.point(i).into_iter().take(stored)).collect();
        let targets = flow.register_from(&at);
        flow.phase("neighbours");
        let lists = ordered.look_around(flow, (targets, rows), neighbours);
        flow.phase("prediction");
        let out = flow.register(rows * (columns + 1) * size_of::<f64>());
        let places = Places { first: 0, rows, neighbours, columns, geometry };
        let given = [*table, *records, lists, targets].map(|handle| (handle, R));
        let accesses: Vec<_> = given.into_iter().chain([(out, W)]).collect();
        flow.submit(Weights(places), &accesses, 0);
        Block { rows, handles: [targets, lists, out] }
    }

    /// Turns what a block's tasks have made into predictions; `drift` gives the columns of the mean
    /// at a place of the block.
    fn collect(
        &mut self,
        block: &Block,
        drift: impl Fn(usize) -> Vec<f64>,
        into: &mut Predictions,
    ) -> Result<(), FlowError> {
        let columns = self.likelihood.known.columns();
        let made = self.likelihood.flow.read::<f64>(block.handles[2])?;
        let offset = &self.likelihood.known.offset;
        let mean = UncertainMean { evaluation: &self.evaluation, offset };
        for (row, made) in made.chunks_exact(columns + 1).enumerate().take(block.rows) {
            let q = self.observations.design.transform(&drift(row));
            let known = self.model.variance() - made[columns];
            mean.predict(&q, &made[..columns], known, into);
        }
        Ok(())
    }
}

impl Predict for LocalPredictor {
    fn flow(&mut self) -> &mut Flow {
        &mut self.likelihood.flow
    }

    fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    fn predict(
        &mut self,
        points: &Points,
        drift: &[Vec<f64>],
        report: &mut dyn FnMut(usize),
    ) -> Result<Predictions, FlowError> {
        assert_eq!(drift.len(), self.observations.design.columns(), "columns of the mean");
        assert!(drift.iter().all(|column| column.len() == points.len()), "length of a column");
        let total = points.len();
        let mut predictions = Predictions::default();
        let block = self.likelihood.options().block;
        let batch = block * BLOCKS_PER_WORKER * self.likelihood.flow.workers().max(1);
        for start in (0..total).step_by(batch) {
            let end = (start + batch).min(total);
            let firsts = (start..end).step_by(block);
            let blocks: Vec<(usize, Block)> = firsts
                .map(|first| (first, self.submit(points, first..(first + block).min(end))))
                .collect();
            for (first, block) in &blocks {
                let row = |row: usize| drift.iter().map(|column| column[first + row]).collect();
                self.collect(block, row, &mut predictions)?;
            }
            let handles = blocks.iter().flat_map(|(_, block)| block.handles);
            handles.for_each(|handle| self.likelihood.flow.unregister(handle));
            report(end);
        }
        Ok(predictions)
    }
}
