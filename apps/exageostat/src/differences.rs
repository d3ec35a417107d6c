//! A score by differences of log-likelihoods, for methods that have no derivatives.

use crate::covariance::Covariance;
use crate::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError, Score};

/// By what the coordinates of parameters, and the logarithm of the nugget, are changed: so much
/// that the accuracy of the likelihood does not matter, and so little that what is beyond squares
/// does not. Where there is no likelihood so far away, the half of it, and so on.
const STEP: f64 = 0.1;
/// How often it is halved at most.
const HALVINGS: usize = 4;

/// What [`Evaluate::score`] is where there are no derivatives: by differences of some twenty
/// evaluations, with the observed information for the average one.
///
/// # Errors
/// As [`Evaluate::evaluate`].
pub(crate) fn score(
    likelihood: &mut dyn Evaluate,
    covariance: &Covariance,
    (values, nugget): (&[f64], f64),
    how: (Criterion, bool),
    is_wanted: &dyn Fn(&Evaluation) -> bool,
) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
    let evaluation = likelihood.evaluate(covariance, values, nugget)?;
    if !is_wanted(&evaluation) {
        return Ok((evaluation, None));
    }
    let score = differences(likelihood, covariance, (values, nugget), how, &evaluation)?;
    Ok((evaluation, Some(score)))
}

/// The gradient and the observed information where `evaluation` was made, by central differences
/// in their coordinates: these, and `how`, are those of [`Evaluate::score`]. Where a parameter
/// cannot be changed both ways, and of a nugget of 0, they are NaN and 0.
fn differences(
    likelihood: &mut dyn Evaluate,
    covariance: &Covariance,
    (values, nugget): (&[f64], f64),
    (criterion, is_scaled): (Criterion, bool),
    evaluation: &Evaluation,
) -> Result<Score, LikelihoodError> {
    let scale = if is_scaled { evaluation.best_scale(criterion) } else { 1.0 };
    let mut at = |changes: &[(usize, f64)]| -> Result<f64, LikelihoodError> {
        let (mut values, mut nugget) = (values.to_vec(), nugget);
        for &(parameter, change) in changes {
            match covariance.parameters.get(parameter).map(|parameter| parameter.scale) {
                Some(scale) => {
                    let coordinate = scale.coordinate(values[parameter]);
                    values[parameter] = scale.value(coordinate + change);
                }
                None => nugget *= change.exp(),
            }
        }
        match likelihood.evaluate(covariance, &values, nugget) {
            Ok(evaluation) => Ok(evaluation.scaled(scale).value(criterion)),
            Err(error @ LikelihoodError::Flow(_)) => Err(error),
            Err(_) => Ok(f64::NAN),
        }
    };
    let here = evaluation.clone().scaled(scale).value(criterion);
    let count = values.len() + 1;
    let is_there = |parameter: usize| parameter + 1 < count || nugget > 0.0;
    let (mut gradient, mut information) = (vec![0.0; count], vec![0.0; count * count]);
    let mut steps = vec![STEP; count];
    for j in (0..count).filter(|&j| is_there(j)) {
        let (mut up, mut down) = (at(&[(j, STEP)])?, at(&[(j, -STEP)])?);
        for _ in 0..HALVINGS {
            if (up + down).is_finite() {
                break;
            }
            steps[j] *= 0.5;
            (up, down) = (at(&[(j, steps[j])])?, at(&[(j, -steps[j])])?);
        }
        gradient[j] = (up - down) / (2.0 * steps[j]);
        information[j + j * count] = (2.0 * here - up - down) / (steps[j] * steps[j]);
    }
    for j in (0..count).filter(|&j| is_there(j)) {
        for k in (0..j).filter(|&k| is_there(k)) {
            let (a, b) = (steps[j], steps[k]);
            let [both, neither] = [at(&[(j, a), (k, b)])?, at(&[(j, -a), (k, -b)])?];
            // The second difference along the diagonal holds twice the mixed one.
            let along = 2.0 * here - both - neither;
            let own = a * a * information[j + j * count] + b * b * information[k + k * count];
            let mixed = (along - own) / (2.0 * a * b);
            (information[j + k * count], information[k + j * count]) = (mixed, mixed);
        }
    }
    // From the logarithm of the nugget to the nugget itself.
    if nugget > 0.0 {
        gradient[count - 1] /= nugget;
        for k in 0..count {
            information[k + (count - 1) * count] /= nugget;
            information[(count - 1) + k * count] /= nugget;
        }
    }
    Ok(Score { gradient, information })
}
