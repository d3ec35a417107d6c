//! What a fit of a Tukey g-and-h field came to, in the parameters of the values: the variance is
//! the square of the scale, and standard errors are of all parameters together.
//!
//! They are by the observed information. That of the covariance's parameters is by differences of
//! the likelihood with the rest at its best; the rest follows those by the derivatives of its best
//! coordinates, and varies about that by the inverse of its own information.

use super::likelihood::TukeyLikelihood;
use crate::covariance::Scale;
use crate::fit::{Fit, FitOptions, Information, NuggetChoice};
use crate::likelihood::LikelihoodError;
use crate::small::scaled_inverse;
use crate::transform::{Transform, TukeyGh};

/// What is said of a nugget whose profile was asked for.
const NO_PROFILE: &str = "with tukey-gh the profile likelihood tells of the nugget's share of the \
                          variance alone: of the nugget itself there is no interval by it";
/// By what coordinates of parameters are changed for differences.
const STEP: f64 = 0.05;
/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// How the values are distributed, as it was estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimates {
    /// The transformation of what the mean leaves.
    pub transform: Transform,
    /// The function.
    pub function: TukeyGh,
    /// Standard errors of `g` and `h`; none of what is known, or at its bound.
    pub std_errors: [Option<f64>; 2],
    /// Whether the function was known.
    pub is_known: bool,
}

impl Estimates {
    /// Intervals of 95 % of `g` and `h`.
    #[must_use]
    pub fn intervals(&self) -> [Option<(f64, f64)>; 2] {
        let [g, h] = self.std_errors;
        let about = |value: f64, error: f64| (value - NORMAL * error, value + NORMAL * error);
        let TukeyGh { g: own_g, h: own_h } = self.function;
        let low_end = |(low, high): (f64, f64)| (low.max(0.0), high);
        [g.map(|error| about(own_g, error)), h.map(|error| low_end(about(own_h, error)))]
    }
}

/// A coordinate of the covariance that is estimated: its place, the nugget after the parameters.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    scale: Scale,
}

/// A log-likelihood with the coordinates of the rest at which it is greatest.
type Point = (f64, Vec<f64>);

impl TukeyLikelihood {
    /// What `fit`, a fit by this likelihood with `options`, came to, and what the rest is: its
    /// model and errors become those of the values, the coefficients of its evaluation those of
    /// the orthonormal columns of the mean. Its log-likelihood becomes that of the transformed
    /// values, less the logarithm of the Jacobian, as that of other transformations is.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`](crate::likelihood::Evaluate::evaluate).
    pub fn finish(
        &mut self,
        mut fit: Fit,
        options: &FitOptions,
    ) -> Result<(Fit, Estimates), LikelihoodError> {
        let model = fit.model.clone();
        let peak = self.peak((model.covariance, &model.values, model.nugget))?;
        let (omega, function) = self.margin.function(&peak.phi);
        let transform = Transform::TukeyGh { scale: omega, function };
        let places = self.places(&fit, options);
        let count = model.values.len() + 1;
        let is_known = !self.margin.free().contains(&(self.margin.scale() + 1));
        let mut estimates = Estimates { transform, function, std_errors: [None; 2], is_known };
        let covariance = match fit.converged {
            true => self.covariance(&fit, &peak.phi, &peak.information, &places)?,
            false => None,
        };
        // That of omega Y, Gaussian with the variance omega^2.
        let n = self.margin.len() as f64;
        let gaussian = self.margin.gaussian(&peak.phi).ok_or(LikelihoodError::Scale)?;
        let log_jacobian = gaussian.log_jacobian + n * omega.ln();
        fit.loglik -= log_jacobian;
        fit.evaluation = peak.evaluation;
        fit.evaluation.logdet += 2.0 * log_jacobian;
        fit.evaluation.coefficients = self.margin.coefficients(&peak.phi);
        let p = self.margin.scale();
        fit.evaluation.coefficient_covariance = vec![f64::NAN; p * p];
        fit.model.values[0] = omega * omega;
        fit.model.nugget *= omega * omega;
        // That of the nugget is one of its share of a variance that is at its best for each.
        if let Some(interval) = fit.profile_intervals.last_mut().filter(|one| one.is_some()) {
            *interval = None;
            fit.remarks.push(NO_PROFILE.to_owned());
        }
        let errors = &mut fit.uncertainty;
        (errors.std_errors, errors.intervals) = (vec![None; count], vec![None; count]);
        errors.information = Information::Observed;
        if let Some(joint) = covariance {
            self.note_errors(&mut fit, &places, &joint);
            let error = |k: usize| joint.find(k).map(|k| joint.at(k, k).sqrt());
            estimates.std_errors = [error(p + 1), error(p + 2)];
        }
        Ok((fit, estimates))
    }

    /// Notes standard errors and intervals of the variance and of what `places` say, and the
    /// covariance of the coefficients of the mean.
    fn note_errors(&self, fit: &mut Fit, places: &[Place], joint: &Joint) {
        let (p, count) = (self.margin.scale(), fit.model.values.len() + 1);
        let square = self.margin.unit().powi(2);
        for (k, j) in (0..p).flat_map(|k| (0..p).map(move |j| (k, j))) {
            fit.evaluation.coefficient_covariance[j + k * p] = square * joint.at(j, k);
        }
        let scale = joint.find(p);
        if let Some(scale) = scale {
            // ln omega^2.
            note(fit, (0, Scale::Logarithm), 2.0 * joint.at(scale, scale).sqrt());
        }
        for (i, place) in places.iter().enumerate() {
            let i = joint.free.len() + i;
            let mut variance = joint.at(i, i);
            if let Some(scale) = scale.filter(|_| place.index + 1 == count) {
                // The nugget is its share times omega^2.
                variance += 4.0 * joint.at(scale, scale) + 4.0 * joint.at(scale, i);
            }
            note(fit, (place.index, place.scale), variance.max(0.0).sqrt());
        }
    }

    /// What of the covariance was estimated and is not at a bound.
    fn places(&self, fit: &Fit, options: &FitOptions) -> Vec<Place> {
        let model = &fit.model;
        let parameters = model.covariance.parameters;
        let is_hit = |name: &str| fit.bounds_hit.iter().any(|hit| hit.parameter == name);
        let mut places: Vec<Place> = (1..parameters.len())
            .filter(|&k| options.fixed[k].is_none() && !is_hit(parameters[k].name))
            .map(|index| Place { index, scale: parameters[index].scale })
            .collect();
        let has_nugget = matches!(options.nugget, NuggetChoice::Estimated { .. });
        if has_nugget && model.nugget > 0.0 && !is_hit("nugget") {
            places.push(Place { index: parameters.len(), scale: Scale::Logarithm });
        }
        places
    }

    /// The covariance of all estimates; none if an information is not positive definite.
    fn covariance(
        &mut self,
        fit: &Fit,
        phi: &[f64],
        information: &[f64],
        places: &[Place],
    ) -> Result<Option<Joint>, LikelihoodError> {
        let all = self.margin.free();
        let last = self.margin.scale() + 2;
        // A heaviness of 0 is at the end of its domain.
        let kept: Vec<usize> =
            (0..all.len()).filter(|&i| all[i] != last || phi[last] > 0.0).collect();
        let (q, m) = (kept.len(), places.len());
        let own = scaled_inverse(q, |i, j| information[kept[i] + kept[j] * all.len()]);
        let Some((outer, change)) = self.differences(fit, places)? else { return Ok(None) };
        let outer = scaled_inverse(m, |i, j| outer[i + j * m]);
        let (Some(own), Some(outer)) = (own, outer) else { return Ok(None) };
        let free: Vec<usize> = kept.iter().map(|&i| all[i]).collect();
        let along = |i: usize, k: usize| change[k][free[i]];
        let size = q + m;
        let entry = |i: usize, j: usize| match (i.checked_sub(q), j.checked_sub(q)) {
            (Some(i), Some(j)) => outer[i + j * m],
            (None, Some(j)) => (0..m).map(|k| along(i, k) * outer[k + j * m]).sum(),
            (Some(i), None) => (0..m).map(|k| along(j, k) * outer[k + i * m]).sum(),
            (None, None) => {
                let both = |k: usize| {
                    (0..m).map(|l| along(i, k) * outer[k + l * m] * along(j, l)).sum::<f64>()
                };
                own[i + j * q] + (0..m).map(both).sum::<f64>()
            }
        };
        let entries = (0..size * size).map(|place| entry(place % size, place / size)).collect();
        Ok(Some(Joint { free, size, entries }))
    }

    /// Minus the second derivatives of the log-likelihood by the coordinates of `places`, the rest
    /// at its best, and the first ones of the rest, by differences; none where there is no
    /// likelihood near.
    #[allow(clippy::type_complexity)]
    fn differences(
        &mut self,
        fit: &Fit,
        places: &[Place],
    ) -> Result<Option<(Vec<f64>, Vec<Vec<f64>>)>, LikelihoodError> {
        let m = places.len();
        let Some((here, _)) = self.point(fit, &[])? else { return Ok(None) };
        let (mut information, mut change) = (vec![0.0; m * m], Vec::new());
        for (j, &place) in places.iter().enumerate() {
            let up = self.point(fit, &[(place, STEP)])?;
            let down = self.point(fit, &[(place, -STEP)])?;
            let (Some(up), Some(down)) = (up, down) else { return Ok(None) };
            information[j + j * m] = (2.0 * here - up.0 - down.0) / (STEP * STEP);
            let pairs = up.1.iter().zip(&down.1);
            change.push(pairs.map(|(up, down)| (up - down) / (2.0 * STEP)).collect::<Vec<f64>>());
        }
        for j in 0..m {
            for k in 0..j {
                let both = self.point(fit, &[(places[j], STEP), (places[k], STEP)])?;
                let neither = self.point(fit, &[(places[j], -STEP), (places[k], -STEP)])?;
                let (Some(both), Some(neither)) = (both, neither) else { return Ok(None) };
                // The second difference along the diagonal holds twice the mixed one.
                let along = (2.0 * here - both.0 - neither.0) / (STEP * STEP);
                let mixed = 0.5 * (along - information[j + j * m] - information[k + k * m]);
                (information[j + k * m], information[k + j * m]) = (mixed, mixed);
            }
        }
        Ok(Some((information, change)))
    }

    /// The likelihood where some coordinates of the model of `fit` are changed.
    fn point(
        &mut self,
        fit: &Fit,
        changes: &[(Place, f64)],
    ) -> Result<Option<Point>, LikelihoodError> {
        let (mut values, mut nugget) = (fit.model.values.clone(), fit.model.nugget);
        for (place, change) in changes {
            match values.get_mut(place.index) {
                Some(value) => *value = place.scale.value(place.scale.coordinate(*value) + change),
                None => nugget *= change.exp(),
            }
        }
        match self.peak((fit.model.covariance, &values, nugget)) {
            Ok(peak) => Ok(Some((peak.evaluation.loglik(), peak.phi))),
            Err(error @ LikelihoodError::Flow(_)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// The covariance of the coordinates of the rest that are `free`, and after them of those of the
/// covariance's parameters.
struct Joint {
    free: Vec<usize>,
    size: usize,
    entries: Vec<f64>,
}

impl Joint {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i + j * self.size]
    }

    /// The place of a coordinate of the rest, if it is free.
    fn find(&self, k: usize) -> Option<usize> {
        self.free.iter().position(|&free| free == k)
    }
}

/// Notes the standard error of a parameter, or of the nugget after them, whose coordinate has this
/// `error`, and its interval.
fn note(fit: &mut Fit, (index, scale): (usize, Scale), error: f64) {
    let value = fit.model.values.get(index).copied().unwrap_or(fit.model.nugget);
    let own = scale.slope(value) * error;
    fit.uncertainty.std_errors[index] = Some(own);
    fit.uncertainty.intervals[index] = Some(match scale {
        Scale::Logarithm => {
            let factor = (NORMAL * error).exp();
            (value / factor, value * factor)
        }
        Scale::Identity => (value - NORMAL * own, value + NORMAL * own),
        Scale::Angle => (value - (NORMAL * own).min(90.0), value + (NORMAL * own).min(90.0)),
    });
}
