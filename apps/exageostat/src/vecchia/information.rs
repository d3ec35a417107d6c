//! The information on parameters by neighbours.

use tegula_runtime::flow::Flow;

use super::conditionals::Conditionals;
use crate::covariance::Covariance;
use crate::likelihood::{Criterion, Evaluation, Information, LikelihoodError, Score};

/// By what coordinates are changed in differences of gradients.
const STEP: f64 = 2e-3;

/// What [`Conditionals::information`] gives: the expected information of a likelihood, the observed
/// one of a restricted likelihood.
pub(super) fn kind(criterion: Criterion) -> Information {
    match criterion {
        Criterion::Full => Information::Expected,
        Criterion::Restricted => Information::Observed,
    }
}

impl Conditionals {
    /// The information in the coordinates of [`Score::information`], with the evaluation there.
    /// That of the score is the expected one of the likelihood; of a restricted likelihood, which
    /// has lost the coefficients of the mean, it is by central differences of gradients.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`](crate::likelihood::Evaluate::evaluate).
    pub(super) fn information(
        &mut self,
        flow: &mut Flow,
        model: (&Covariance, &[f64], f64),
        criterion: Criterion,
    ) -> Result<(Evaluation, Vec<f64>), LikelihoodError> {
        let (covariance, values, nugget) = model;
        let mut score = |model: (&Covariance, &[f64], f64)| {
            let evaluation = self.evaluate(flow, model)?;
            let score = self.score(flow, model, &evaluation, (criterion, false))?;
            Ok::<_, LikelihoodError>((evaluation, score))
        };
        let (evaluation, Score { information, .. }) = score(model)?;
        if kind(criterion) == Information::Expected {
            return Ok((evaluation, information));
        }
        let count = values.len() + 1;
        let mut bends = vec![0.0; count * count];
        let is_there = |k: usize| k < values.len() || nugget > 0.0;
        for k in (0..count).filter(|&k| is_there(k)) {
            let mut at = |change: f64| {
                let (mut values, mut nugget) = (values.to_vec(), nugget);
                match covariance.parameters.get(k).map(|parameter| parameter.scale) {
                    Some(scale) => values[k] = scale.value(scale.coordinate(values[k]) + change),
                    None => nugget *= 1.0 + change,
                }
                score((covariance, &values, nugget)).map(|(_, score)| score.gradient)
            };
            let unit = if k < values.len() { 1.0 } else { nugget };
            let (up, down) = (at(STEP)?, at(-STEP)?);
            for j in (0..count).filter(|&j| is_there(j)) {
                let bend = 0.5 * (down[j] - up[j]) / (2.0 * STEP * unit);
                bends[j + k * count] += bend;
                bends[k + j * count] += bend;
            }
        }
        Ok((evaluation, bends))
    }
}
