//! Fits of Tukey g-and-h fields: what they take, and what they say of `g` and `h`.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::fit::{FitOptions, Information, NuggetChoice};
use tegula_exageostat::likelihood::Criterion;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::tukey::{Estimates, Known, Margin};

use super::data::Data;
use super::transform::Choice;
use crate::error::refused;

/// What is searched in place of the values and their parameters.
pub(super) struct Task {
    /// The values with their mean.
    pub(super) margin: Margin,
    /// What they are to begin with.
    pub(super) observations: Observations,
    /// The options of a fit of a field of variance 1.
    pub(super) options: FitOptions,
}

/// The task of a fit of `data`, if `choice` is Tukey's function.
pub(super) fn task(choice: Choice, data: &Data, options: &FitOptions) -> Option<Task> {
    let function = choice.tukey()?;
    let variance = options.fixed[0];
    let known = Known { omega: variance.map(f64::sqrt), function };
    let margin = Margin::new(&data.observations, known);
    let observations = margin.first_observations(&data.observations);
    let mut options = options.clone();
    options.fixed[0] = Some(1.0);
    Some(Task { margin, observations, options })
}

/// Refuses what does not go with Tukey's function.
///
/// # Errors
/// If `choice` is that and one of the `options` is such.
pub(super) fn check(
    (choice, covariance): (Choice, &Covariance),
    options: &FitOptions,
    has_checkpoint: bool,
) -> Result<()> {
    let is_fixed = matches!(options.nugget, NuggetChoice::Fixed(nugget) if nugget > 0.0);
    let is_bounded = matches!(options.nugget, NuggetChoice::Estimated { bounds: Some(_) });
    let why = if choice.tukey().is_none() {
        return Ok(());
    } else if !covariance.has_scale() {
        "--transform tukey-gh: the variance is the square of the scale of the values, and this \
         covariance has not one variance, its first parameter, that multiplies it; take one that has"
    } else if options.criterion == Criterion::Restricted {
        "--reml: a restricted likelihood is of a mean that is linear in the Gaussian values, which \
         it is not with tukey-gh; leave it out"
    } else if is_fixed {
        "--nugget: with tukey-gh noise is added before values are skewed, in units of the variance; \
         estimate it (--estimate-nugget)"
    } else if is_bounded || options.bounds[0].is_some() {
        "--bounds: with tukey-gh neither the variance nor the nugget has bounds; leave them out, or \
         give --fix variance=VALUE"
    } else if options.start[0].is_some() || options.start_nugget.is_some() {
        "--start: with tukey-gh the variance is at its best in each evaluation, and the nugget is \
         in its units; give other parameters alone"
    } else if options.information == Information::Average {
        "--information: with tukey-gh standard errors are by the observed information, of g and h \
         as well; leave it out"
    } else if has_checkpoint {
        "--checkpoint and --resume do not keep what tukey-gh has estimated beside the covariance; \
         leave them out"
    } else {
        return Ok(());
    };
    Err(refused(why))
}

/// Adds what is known of the accuracy of `g` and `h` to a transformation in a file.
pub(super) fn describe_json(estimates: &Estimates, transform: &mut Value) {
    let [g, h] = estimates.std_errors;
    transform["std_errors"] = json!({ "g": g, "h": h });
    let [g, h] = estimates.intervals().map(|pair| pair.map(|(low, high)| [low, high]));
    transform["intervals"] = json!({ "g": g, "h": h });
}
