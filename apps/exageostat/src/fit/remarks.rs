//! What the user should know of where a search ended, in words.

use std::f64::consts::PI;

use super::conclusion::short;
use super::region::Best;
use super::search::Search;
use super::start::SpatialExtent;
use super::{FitError, FitOptions, parameters};
use crate::covariance::{Covariance, plain};
use crate::likelihood::Criterion;
use crate::observations::Observations;

/// Factor by which the range is changed to see whether the likelihood is flat there.
const PROBE: f64 = 3.0;
/// A likelihood that loses less than this is called flat: half the 95 % point of chi-squared with
/// one degree of freedom, so what is probed lies within the 95 % confidence interval.
const FLAT: f64 = 1.92;
/// What correlation has to gain to be evidence of it: half the 95 % point of chi-squared with two
/// degrees of freedom, a range and its share of the variance.
const EVIDENCE: f64 = 3.0;
/// Fewer observations for each parameter are called few.
const FEW: usize = 3;
/// Ratios of ranges that are 1, but for this share of them.
const ROUND: f64 = 1e-6;
/// A correlation that counts as none.
const UNCORRELATED: f64 = 0.01;

/// What the remarks on a fit go by.
pub(super) struct Remarks<'a> {
    observations: &'a Observations,
    covariance: &'static Covariance,
    extent: SpatialExtent,
    /// Names of what is estimated.
    parameters: Vec<String>,
    /// Whether the variance and the range are.
    is_free: bool,
    /// Whether all parameters of one variable are.
    is_all_free: bool,
    criterion: Criterion,
}

impl<'a> Remarks<'a> {
    pub(super) fn new(
        observations: &'a Observations,
        covariance: &'static Covariance,
        options: &FitOptions,
        extent: SpatialExtent,
    ) -> Self {
        let parameters = parameters(observations, covariance, options);
        let is_free = covariance.is_radial() && options.fixed.iter().take(2).all(Option::is_none);
        let is_all_free = covariance.variables() == 1 && options.fixed.iter().all(Option::is_none);
        let criterion = options.criterion;
        Self { observations, covariance, extent, parameters, is_free, is_all_free, criterion }
    }

    /// The remarks on where `search` ended: on the likelihood there only if it `converged`.
    ///
    /// # Errors
    /// If it was told to end.
    pub(super) fn of(
        &self,
        search: &mut Search<'_>,
        converged: bool,
    ) -> Result<Vec<String>, FitError> {
        let mut remarks = Vec::new();
        let (failed, evaluations) = (search.region.failed, search.evaluations);
        if failed > 0 {
            remarks.push(format!(
                "{failed} of {evaluations} steps had a covariance matrix that is not positive definite and were \
                 turned back"
            ));
        }
        remarks.extend(self.scarcity());
        let (space, x) = (&search.region.space, search.region.found().x);
        remarks.extend(self.roundness(space.is_round(&x, ROUND)));
        if !converged {
            return Ok(remarks);
        }
        match self.independence(&search.region.found()) {
            Some(remark) => remarks.push(remark),
            None => remarks.extend(search.flatness(self.extent)?),
        }
        Ok(remarks)
    }

    /// Whether an angle is estimated that tells nothing.
    fn roundness(&self, is_round: bool) -> Option<String> {
        let is_estimated = self.parameters.iter().any(|name| name == "angle");
        (is_round && is_estimated).then(|| {
            "at ratio 1 ranges are the same in all directions, so that the angle is any: the \
             covariance without directions does as well"
                .to_owned()
        })
    }

    /// Whether there are hardly more observations than parameters.
    fn scarcity(&self) -> Option<String> {
        let (n, count) = (self.observations.len(), self.parameters.len());
        (n < FEW * count).then(|| {
            format!(
                "{n} observations are few for {count} parameters ({}): they may be far off, and what the model says of \
                 its own accuracy as well; take more observations, or fix parameters",
                self.parameters.join(", ")
            )
        })
    }

    /// Whether there is no correlation between places: as much is gained by uncorrelated values of
    /// one variance, whose log-likelihood is `-n/2 (ln(2 pi s^2) + 1)` with the mean square `s^2`
    /// of the residuals of ordinary least squares; or only values at the same place are correlated.
    fn independence(&self, best: &Best) -> Option<String> {
        if !(self.is_free || self.is_all_free) {
            return None;
        }
        let columns = self.observations.design.columns();
        let taken = if self.criterion == Criterion::Restricted { columns } else { 0 };
        let n = ((self.observations.len() - taken) * self.observations.field_count()) as f64;
        let residuals = self.observations.residuals().rest;
        let square = residuals.iter().flatten().map(|r| r * r).sum::<f64>() / n;
        let gain = best.loglik + 0.5 * n * ((2.0 * PI * square).ln() + 1.0);
        if gain < -EVIDENCE && self.is_all_free {
            return Some(format!(
                "the log-likelihood is {:.2} below that of uncorrelated values: this is not the \
                 maximum. Search from other values by --starts 8 or --start, or take a covariance \
                 of fewer parameters",
                -gain
            ));
        }
        if !self.is_free {
            return None;
        }
        let model = &best.model;
        let least = self.extent.least;
        // Along the longest range.
        let times = self.covariance.principal(&model.values).into_iter().map(|(_, times)| times);
        let nearest = least * times.fold(f64::INFINITY, f64::min);
        let correlation = self.covariance.function(&model.values)(nearest) / model.variance();
        if gain < EVIDENCE {
            return Some(format!(
                "no spatial correlation was found: uncorrelated values are as likely (the log-likelihood of the fit \
                 is {:.2} higher, and {EVIDENCE:.2} would be evidence). Range, variance and nugget cannot be told \
                 apart, and predictions are hardly more than the mean, with the variance of the data",
                gain.max(0.0)
            ));
        }
        (correlation < UNCORRELATED).then(|| {
            format!(
                "no spatial correlation was found between different places: at the smallest distance, {}, it has \
                 fallen to {correlation:.1e}. Predictions are the mean but at the places that were observed",
                plain(least)
            )
        })
    }
}

impl Search<'_> {
    /// Whether the likelihood hardly changes along the range, the variance adapted: then only a
    /// combination of the two is determined (Zhang, "Inconsistent estimation and asymptotically
    /// equal interpolations in model-based geostatistics", JASA 99, 2004).
    ///
    /// # Errors
    /// If the search was told to end.
    fn flatness(&mut self, extent: SpatialExtent) -> Result<Option<String>, FitError> {
        let space = &self.region.space;
        let ranges = space.ranges();
        if ranges.is_empty() || !space.profiles || self.exhausted {
            return Ok(None);
        }
        let reach = plain(short(extent.diameter, 2));
        let fixes: Vec<String> =
            ranges.iter().map(|&range| format!("{}={reach}", space.name(range))).collect();
        let (nugget, lower, upper) = (space.nugget(), space.lower.clone(), space.upper.clone());
        let (mut probe, loglik) = (self.region.found().x, self.region.loglik());
        // Ranges well inside the data's extent are never on such a ridge.
        if ranges.iter().all(|&range| probe[range].exp() < extent.diameter / 4.0) {
            return Ok(None);
        }
        for range in ranges {
            probe[range] = (probe[range] + PROBE.ln()).min(upper[range]);
        }
        // Along the ridge the variance grows with the range while the nugget stays, so its share
        // shrinks: at smoothness 1/2 as the range grows, at 1 with its square.
        let shares = if nugget.is_some() { 3 } else { 1 };
        let mut reached = f64::NEG_INFINITY;
        for _ in 0..shares {
            reached = reached.max(self.evaluate(&probe).unwrap_or(f64::NEG_INFINITY));
            self.check()?;
            if let Some(nugget) = nugget {
                probe[nugget] = (probe[nugget] - PROBE.ln()).max(lower[nugget]);
            }
        }
        let loss = loglik - reached;
        Ok((loss < FLAT).then(|| {
            format!(
                "the likelihood is flat along the range: {PROBE} times the range, the variance \
                 adapted, loses only {:.2} and is within the 95 % interval. The data tell the \
                 ratio of variance to range, not each alone; predictions hardly depend on it. Fix \
                 it at what is known of it, or at how far the data reach: --fix {}",
                loss.max(0.0),
                fixes.join(",")
            )
        }))
    }
}
