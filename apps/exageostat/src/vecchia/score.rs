//! The score as sums over blocks of places.

use tegula_kernels::kernel::vecchia::ScoreSums;
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::conditionals::{Conditionals, Known, total};
use super::latent::Request;
use crate::covariance::Covariance;
use crate::covariance::composite::Slopes;
use crate::likelihood::{Criterion, Evaluation, LikelihoodError, Score};

/// What a score is worked out with, registered once.
#[derive(Debug)]
pub(super) struct Slope {
    /// Tables of derivatives.
    derivatives: usize,
    tables: Handle,
    mix: Handle,
    /// The sums of each block.
    sums: Vec<Handle>,
}

impl Conditionals {
    /// The sums of a score.
    fn slope_sums(
        &mut self,
        flow: &mut Flow,
        slopes: &Slopes,
        mix: &[f64],
    ) -> Result<Vec<f64>, FlowError> {
        let (columns, derivatives) = (self.known.columns(), slopes.count);
        let Self { blocks, known: Known { records, .. }, slope, .. } = self;
        let slope = slope.get_or_insert_with(|| Slope {
            derivatives,
            tables: flow.register(slopes.bytes.len()),
            mix: flow.register(columns * columns * size_of::<f64>()),
            sums: blocks.register(flow, ScoreSums::length(derivatives)),
        });
        let first = slope.derivatives;
        assert_eq!(first, derivatives, "parameters of this covariance and the first");
        flow.overwrite(slope.tables, &slopes.bytes)?;
        flow.overwrite(slope.mix, mix)?;
        flow.phase("score");
        for (block, &sums) in blocks.blocks.iter().zip(&slope.sums) {
            let handles = [slope.tables, *records, slope.mix, sums];
            blocks.submit_score(flow, block, (columns, derivatives, slopes.structure), handles);
        }
        total(flow, &slope.sums, ScoreSums::length(derivatives))
    }

    /// The score where `evaluation` was made, as [`Evaluate::score`] says.
    ///
    /// [`Evaluate::score`]: crate::likelihood::Evaluate::score
    pub(crate) fn score(
        &mut self,
        flow: &mut Flow,
        (covariance, values, nugget): (&Covariance, &[f64], f64),
        evaluation: &Evaluation,
        (criterion, is_scaled): (Criterion, bool),
    ) -> Result<Score, LikelihoodError> {
        let scale = if is_scaled { evaluation.best_scale(criterion) } else { 1.0 };
        let is_restricted = criterion == Criterion::Restricted;
        let (residual, mix) = self.mix(evaluation, scale, is_restricted);
        if let Some(noise) = self.noise(values, nugget) {
            let mut tables = covariance.score_tables(values)?;
            tables[0].nugget = noise.own;
            let (tables, is_relative) = (&tables[..], !covariance.is_compact);
            let request = Request { tables, is_relative, noise, evaluation, residual, mix };
            let Self { known, blocks, latent, .. } = self;
            let latent = latent.as_mut().expect("the evaluation made it");
            let score = latent.score(flow, known.field(blocks), &request);
            return score.map_err(|error| known.failure(error));
        }
        let slopes = covariance.slopes(values)?.with_nugget(nugget);
        let sums = self.slope_sums(flow, &slopes, &mix);
        let sums = sums.map_err(|error| self.known.failure(error))?;
        let derivatives = slopes.count;
        let sums = ScoreSums::new(derivatives, &sums);
        let taken = if is_restricted { evaluation.coefficients.len() as f64 } else { 0.0 };
        let fitted = evaluation.quadratic / scale + taken;
        Ok(slopes.score(assemble(derivatives, &sums, (evaluation, fitted), nugget)))
    }

    /// The weights of the columns in the residuals of the last replicate that are left, in units of
    /// the root of `scale`, and the matrix `M` of the kernel: of those of all replicates, and for a
    /// restricted likelihood of the columns with the covariance of their coefficients, since `d ln
    /// |Q' C^-1 Q| = tr(A d(Q' C^-1 Q))`.
    fn mix(
        &self,
        evaluation: &Evaluation,
        scale: f64,
        is_restricted: bool,
    ) -> (Vec<f64>, Vec<f64>) {
        let (p, columns) = (evaluation.columns(), self.known.columns());
        let (mut mix, mut residual) = (vec![0.0; columns * columns], Vec::new());
        let changes = evaluation.changes(&self.known.offset);
        for (replicate, change) in changes.into_iter().enumerate() {
            residual = change.into_iter().map(|change| -change).collect();
            residual.resize(columns, 0.0);
            residual[p + replicate] = 1.0;
            for k in 0..columns {
                (0..columns)
                    .for_each(|j| mix[j + k * columns] += residual[j] * residual[k] / scale);
            }
        }
        if is_restricted {
            let times = evaluation.replicates as f64;
            for k in 0..p {
                let covariance = &evaluation.coefficient_covariance[k * p..][..p];
                let entries = mix[k * columns..].iter_mut().zip(covariance);
                entries.for_each(|(mix, covariance)| *mix += times * covariance);
            }
        }
        (residual.into_iter().map(|weight| weight / scale.sqrt()).collect(), mix)
    }
}

/// Puts sums together, with the variance, whose derivative is the covariance without the nugget,
/// before the shapes. `fitted` is the sum of `w' M w`.
fn assemble(
    shapes: usize,
    sums: &ScoreSums<'_>,
    (evaluation, fitted): (&Evaluation, f64),
    nugget: f64,
) -> Score {
    let ScoreSums { traces, products, information } = sums;
    let (n, times) = (evaluation.n as f64, evaluation.replicates as f64);
    let trace = |k: usize| times * traces[k];
    // Of the tables, and the nugget.
    let known = shapes + 1;
    let slope = |k: usize| 0.5 * (products[k] - trace(k));
    let bend = |j: usize, k: usize| times * information[j + k * known];
    let mut gradient = vec![0.5 * (fitted - n) - nugget * slope(shapes)];
    gradient.extend((0..known).map(slope));
    let beside = |k: usize| 0.5 * trace(k) - nugget * bend(shapes, k);
    let variance = 0.5 * n - nugget * trace(shapes) + nugget * nugget * bend(shapes, shapes);
    let at = |j: usize, k: usize| match (j, k) {
        (0, 0) => variance,
        (0, k) | (k, 0) => beside(k - 1),
        (j, k) => bend(j - 1, k - 1),
    };
    let count = shapes + 2;
    let information = (0..count * count).map(|place| at(place % count, place / count)).collect();
    Score { gradient, information }
}
