//! Cross-validation: each part of the observations predicted from all the others.
//!
//! The parameters stay as they are; the mean is estimated anew from the others, so that predictions
//! are those of universal kriging with the variance of the estimated mean in theirs: N. Cressie,
//! "Statistics for spatial data" (1993), section 2.6.4.

use super::folds::Folds;
use super::left_out::LeftOut;
use crate::design::Design;
use crate::likelihood::LikelihoodError;
use crate::observations::Observations;
use crate::predict::Predict;

/// Leaves out one part of `observations` after the other: [`leave_part_out`] of each.
///
/// # Errors
/// Those of the predictors.
///
/// # Panics
/// If the parts are of another number of observations.
pub fn cross_validate(
    observations: &Observations,
    nugget: f64,
    folds: &Folds,
    predictor: impl Fn(Observations) -> Result<Box<dyn Predict>, LikelihoodError>,
) -> Result<Vec<LeftOut>, LikelihoodError> {
    let part = |fold| leave_part_out(observations, nugget, (folds, fold), &predictor);
    let parts = (0..folds.count()).map(part).collect::<Result<Vec<_>, _>>()?;
    Ok(all_left_out(observations, parts))
}

/// Predicts part `fold` of `observations` from the rest, on which `predictor` is asked to work;
/// `nugget` is the variance of the noise in what is predicted. Says of each value that the rest
/// determines its number, among those of all fields one after the other, and how it was predicted.
///
/// # Errors
/// Those of the predictor.
///
/// # Panics
/// If the parts are of another number of observations.
pub fn leave_part_out(
    observations: &Observations,
    nugget: f64,
    (folds, fold): (&Folds, usize),
    predictor: impl FnOnce(Observations) -> Result<Box<dyn Predict>, LikelihoodError>,
) -> Result<Vec<(usize, LeftOut)>, LikelihoodError> {
    assert_eq!(observations.len(), folds.of().len(), "observations and their parts");
    let n = observations.len();
    let (left_out, others) = folds.split(fold);
    let part = Part::new(observations, &left_out, &others);
    let points = observations.points.select(&part.known);
    let mut predictor = predictor(part.others)?;
    let made = predictor.predict(&points, &part.drift, &mut |_| {});
    let made = made.map_err(|error| LikelihoodError::from_flow(error, others.len()))?;
    let means = [&made.mean].into_iter().chain(&made.replicates);
    let mut found = Vec::with_capacity(part.known.len() * observations.field_count());
    for (number, (field, means)) in observations.fields().zip(means).enumerate() {
        for (k, &i) in part.known.iter().enumerate() {
            let variance = made.variance[k] + nugget + observations.noise(i);
            found.push((number * n + i, LeftOut::new(field[i] - means[k], variance)));
        }
    }
    Ok(found)
}

/// All values of `observations`, by their numbers, from those of the parts that
/// [`leave_part_out`] predicts.
#[must_use]
pub fn all_left_out(
    observations: &Observations,
    parts: impl IntoIterator<Item = Vec<(usize, LeftOut)>>,
) -> Vec<LeftOut> {
    let mut found = vec![LeftOut::UNKNOWN; observations.len() * observations.field_count()];
    parts.into_iter().flatten().for_each(|(number, left_out)| found[number] = left_out);
    found
}

/// What a part is predicted from.
struct Part {
    /// All observations but the part.
    others: Observations,
    /// The observations of the part whose mean the others determine.
    known: Vec<usize>,
    /// Their columns of the mean.
    drift: Vec<Vec<f64>>,
}

impl Part {
    /// The columns of the mean are those of the orthonormal `Q` of all observations, which span
    /// the same; the others may leave some dependent, as those of a level that only the part has.
    fn new(observations: &Observations, left_out: &[usize], others: &[usize]) -> Self {
        let whole = &observations.design;
        let rows = |j: usize, of: &[usize]| of.iter().map(|&i| whole.q(j)[i]).collect::<Vec<f64>>();
        let of_others = (0..whole.columns()).map(|j| rows(j, others)).collect();
        let (design, aliased) = Design::reduced(whole.names().to_vec(), of_others, others.len());
        let is_kept = |j: &usize| aliased.iter().all(|column| column.place != *j);
        let kept: Vec<usize> = (0..whole.columns()).filter(is_kept).collect();
        let is_known = |i: &usize| {
            let row: Vec<f64> = kept.iter().map(|&j| whole.q(j)[*i]).collect();
            aliased.iter().all(|column| column.is_combination(whole.q(column.place)[*i], &row))
        };
        let known: Vec<usize> = left_out.iter().copied().filter(is_known).collect();
        let drift = kept.iter().map(|&j| rows(j, &known)).collect();
        let others = Observations { design, ..observations.subset(others) };
        Self { others, known, drift }
    }
}
