//! What comes of a search that has ended: the model with its uncertainty, and remarks on it.

use super::bound_hit::BoundHit;
use super::nugget::may_be_zero;
use super::profile::Profile;
use super::region::Ending;
use super::remarks::Remarks;
use super::search::Search;
use super::start::{Guess, SpatialExtent};
use super::starts::StartEnd;
use super::uncertainty::Uncertainty;
use super::{Fit, FitError, FitOptions, Information, Optimizer};
use crate::covariance::plain;
use crate::model::Model;
use crate::observations::Observations;

/// What is said of a search that does not go by derivatives, though it was to.
const BY_VALUES: &str = "this likelihood has no derivatives: it was searched by its values alone, \
                         by bobyqa";
/// Likewise, of one that is guided by a surrogate.
const BY_SURROGATE: &str = "this likelihood has no derivatives: it was searched by its values and \
                            the derivatives of that by neighbours";

/// What a search begins with.
pub(super) struct Begun<'a> {
    pub(super) observations: &'a Observations,
    pub(super) options: &'a FitOptions,
    pub(super) extent: SpatialExtent,
    pub(super) guess: Guess,
}

impl Search<'_> {
    /// What comes of the search, which has ended so.
    ///
    /// # Errors
    /// If it was told to end.
    pub(super) fn conclude(
        mut self,
        begun: &Begun<'_>,
        ending: Ending,
        starts: Vec<StartEnd>,
    ) -> Result<Fit, FitError> {
        let (options, covariance) = (begun.options, self.covariance);
        let iterations = self.evaluations;
        let converged = ending.converged && !self.exhausted;
        if converged {
            self.derive(options)?;
        }
        let remarks = Remarks::new(begun.observations, covariance, options, begun.extent);
        let mut remarks = remarks.of(&mut self, converged)?;
        let best = self.region.found();
        let inside = self.region.space.is_inside(&best.x, ending.accuracy.max(1e-6));
        if !self.likelihood.has_score() && options.optimizer != self.optimizer {
            let is_guided = self.optimizer == Optimizer::Surrogate;
            remarks.push(if is_guided { BY_SURROGATE } else { BY_VALUES }.to_owned());
        }
        let kind = match (&best.information, self.likelihood.has_score()) {
            (Some(_), _) => self.likelihood.information_kind(options.criterion),
            (None, true) => Information::Average,
            (None, false) => Information::Observed,
        };
        if best.information.is_some() {
            remarks.extend(self.likelihood.information_source());
        }
        let uncertainty =
            Uncertainty::of(&best, kind, &self.region.space, &inside).unwrap_or_default();
        remarks.extend(uncertainty.confused.map(|pair| confused(pair, &best.model)));
        remarks.extend(unknown(&uncertainty.unknown, &best.model));
        let mut profile_intervals = vec![None; inside.len()];
        if options.profile_intervals && converged {
            let Begun { extent, guess, .. } = *begun;
            let (accuracy, loglik) = (ending.accuracy, best.loglik);
            let profile = Profile { covariance, options, extent, guess, accuracy, loglik };
            for index in (0..inside.len()).filter(|&index| inside[index]) {
                let scale = self.region.space.scale(index);
                let error = uncertainty.relative_error(index, &best.model, scale);
                let interval = self.profile_interval(&profile, index, &best.model, error)?;
                profile_intervals[index] = Some(interval);
            }
        }
        let Search { likelihood, region, evaluations, scores, taken_over, failed, .. } = self;
        let mut bounds_hit = region.space.bounds_hit(&best.x, ending.accuracy.max(1e-6));
        if may_be_zero(options) && best.model.nugget == 0.0 {
            bounds_hit.push(BoundHit::ZERO_NUGGET);
        }
        let Model { covariance, values, nugget } = &best.model;
        let known = (options.criterion, best.loglik);
        let error = likelihood.error_estimate(covariance, values, *nugget, known)?;
        Ok(Fit {
            model: best.model,
            evaluation: best.evaluation,
            loglik: best.loglik,
            loglik_error: error,
            uncertainty,
            profile_intervals,
            starts,
            evaluations,
            scores,
            failed_evaluations: failed,
            taken_over,
            iterations,
            converged,
            bounds_hit,
            remarks,
        })
    }

    /// Adds to the best point the derivatives of which standard errors are made.
    ///
    /// # Errors
    /// If it was told to end.
    fn derive(&mut self, options: &FitOptions) -> Result<(), FitError> {
        if self.region.space.dimension() == 0 && !self.region.space.profiles {
            return Ok(());
        }
        let x = self.region.found().x;
        let has_score = self.likelihood.has_score();
        // A search by values alone has no score yet.
        if has_score {
            self.slope(&x)?;
        }
        let kind = self.likelihood.information_kind(options.criterion);
        let is_wanted =
            options.information == Information::Expected && kind != Information::Average;
        if is_wanted && self.region.found().information.is_none() {
            self.inform(&x)?;
        }
        // By differences, which cost many evaluations.
        if !has_score && self.region.found().information.is_none() {
            self.slope(&x)?;
        }
        Ok(())
    }
}

/// What to do about parameters of the fitted `model` of which the data say nothing.
fn unknown(names: &[&'static str], model: &Model) -> Option<String> {
    let fixes: Vec<String> = names.iter().map(|name| fix(name, model)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "the data say nothing of {}: no standard error; fix it, as with {}",
            names.join(" and "),
            fixes.join(" ")
        )
    })
}

/// What to do about two parameters that are not told apart in the fitted `model`.
fn confused([one, other]: [&'static str; 2], model: &Model) -> String {
    let parameters = model.covariance.parameters;
    // A shape is what one knows of a field from others like it; a variance is seen in the data.
    let place = |name: &str| parameters.iter().position(|parameter| parameter.name == name);
    let fix = match (place(one), place(other)) {
        (Some(i), Some(j)) => fix(parameters[i.max(j)].name, model),
        _ => fix("nugget", model),
    };
    format!(
        "the data hardly tell {one} and {other} apart: the standard error of either is more than a \
         hundred times what it would be if the other were known; fix one of them, as with {fix}"
    )
}

/// The flag that fixes a parameter of `model`, or its nugget, at about its value there.
fn fix(name: &str, model: &Model) -> String {
    let mut parameters = model.covariance.parameters.iter().zip(&model.values);
    match parameters.find(|(parameter, _)| parameter.name == name) {
        Some((_, &value)) => format!("--fix {name}={}", plain(short(value, 2))),
        None => format!("--nugget {}", plain(short(model.nugget, 2))),
    }
}

/// `x` in so many `digits`.
pub(super) fn short(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}
