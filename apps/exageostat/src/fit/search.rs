//! The search for the greatest likelihood.

use std::ops::ControlFlow;

use bobyqa::{Bobyqa, Config, Status};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;

use super::nugget::may_be_zero;
use super::region::{Best, Ending, Region};
use super::remarks::Remarks;
use super::space::{BoundHit, Space};
use super::start::{Guess, SpatialExtent};
use super::{Fit, FitError, FitOptions, Journal, NuggetChoice, check};
use crate::covariance::Covariance;
use crate::likelihood::{Evaluation, Likelihood, LikelihoodError};
use crate::model::Model;
use crate::observations::Observations;

/// First radius of the search, in logarithms of the parameters.
const FIRST_RADIUS: f64 = 0.4;

/// The state of a fit after an evaluation.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Evaluations so far.
    pub evaluations: usize,
    /// Log-likelihood of this evaluation, if it has one.
    pub loglik: Option<f64>,
    /// Greatest log-likelihood so far.
    pub best: f64,
    /// Parameters of this evaluation, in the covariance's order.
    pub values: Vec<f64>,
    /// Nugget of this evaluation.
    pub nugget: f64,
    /// Whether it was taken over from an earlier run.
    pub is_taken_over: bool,
}

/// Fits `covariance` to the observations of `likelihood`; `report` is called after each
/// evaluation.
///
/// # Errors
/// If the observations or the bounds do not allow a fit, or the likelihood fails for a reason
/// other than the parameters.
pub fn fit<T: Real>(
    likelihood: &mut Likelihood<T>,
    observations: &Observations,
    covariance: &'static Covariance,
    options: &FitOptions,
    mut report: impl FnMut(&Progress),
) -> Result<Fit, FitError> {
    let mut journal = Journal::default();
    fit_from(likelihood, observations, covariance, options, &mut journal, |_, progress, _| {
        report(progress);
        ControlFlow::Continue(())
    })
}

/// As [`fit`], with evaluations of an earlier run where `journal` has them; those of this run are added to
/// it. `between` is called after each evaluation, when nothing else uses the flow, and says whether to go on.
///
/// # Errors
/// As [`fit`]; [`FitError::Stopped`] if it was told to.
pub fn fit_from<T: Real>(
    likelihood: &mut Likelihood<T>,
    observations: &Observations,
    covariance: &'static Covariance,
    options: &FitOptions,
    journal: &mut Journal,
    between: impl FnMut(&mut Flow, &Progress, &Journal) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    check(observations, covariance, options)?;
    let extent = SpatialExtent::of(&observations.points);
    let residuals = observations.design.residuals(&observations.values);
    let guess = Guess::from_data(&observations.points, &residuals, extent);
    let space = Space::new(covariance, options, extent, guess)?;
    let mut search = Search {
        likelihood,
        covariance,
        journal,
        between,
        region: Region::new(space, f64::NEG_INFINITY),
        highest: f64::NEG_INFINITY,
        evaluations: 0,
        taken_over: 0,
        most: options.max_evaluations,
        exhausted: false,
        failed: 0,
        broken: None,
        is_stopped: false,
    };
    // Standard errors of logarithms of parameters are some 1/sqrt(n) or more, and half their
    // square is what the likelihood loses: a thousandth of them costs 1e-6 of it.
    let accuracy = options.tolerance.unwrap_or(1e-3 / (observations.len() as f64).sqrt());
    let start = search.first_point()?;
    let mut ending = search.run(start, accuracy)?;
    if may_be_zero(options) && !search.exhausted && observations.coincident().is_empty() {
        let without = FitOptions { nugget: NuggetChoice::Fixed(0.0), ..options.clone() };
        let without = Space::new(covariance, &without, extent, guess)?;
        ending = search.try_small_nuggets(without, accuracy)?.unwrap_or(ending);
    }
    let iterations = search.evaluations;
    let converged = ending.converged && !search.exhausted;
    let remarks = Remarks::new(observations, covariance, options, extent);
    let remarks = remarks.of(&mut search, converged)?;
    let Search { region, evaluations, taken_over, failed, .. } = search;
    let best = region.found();
    let mut bounds_hit = region.space.bounds_hit(&best.x, ending.accuracy.max(1e-6));
    if may_be_zero(options) && best.model.nugget == 0.0 {
        bounds_hit.push(BoundHit::ZERO_NUGGET);
    }
    Ok(Fit {
        model: best.model,
        evaluation: best.evaluation,
        evaluations,
        failed_evaluations: failed,
        taken_over,
        iterations,
        converged,
        bounds_hit,
        remarks,
    })
}

pub(super) struct Search<'a, T, F> {
    likelihood: &'a mut Likelihood<T>,
    covariance: &'static Covariance,
    journal: &'a mut Journal,
    between: F,
    pub(super) region: Region,
    /// Greatest log-likelihood so far, of all regions.
    highest: f64,
    pub(super) evaluations: usize,
    /// Of these, how many were taken over.
    taken_over: usize,
    /// Most evaluations of the search.
    most: usize,
    /// Whether the search wanted more.
    pub(super) exhausted: bool,
    /// Evaluations without a value.
    failed: usize,
    /// A failure that the parameters are not to blame for.
    broken: Option<LikelihoodError>,
    /// Whether it was told to end.
    is_stopped: bool,
}

impl<T, F> Search<'_, T, F> {
    /// # Errors
    /// If the search was told to end, or cannot go on.
    pub(super) fn check(&mut self) -> Result<(), FitError> {
        let evaluations = self.evaluations;
        match self.broken.take() {
            Some(error) => Err(error.into()),
            None if self.is_stopped => Err(FitError::Stopped { evaluations }),
            None => Ok(()),
        }
    }
}

impl<T: Real, F: FnMut(&mut Flow, &Progress, &Journal) -> ControlFlow<()>> Search<'_, T, F> {
    /// The likelihood of an earlier run, or of this one, and whether it is of the first.
    fn look_up(
        &mut self,
        values: &[f64],
        nugget: f64,
    ) -> (Result<Evaluation, LikelihoodError>, bool) {
        if let Some(found) = self.journal.find(values, nugget) {
            self.taken_over += 1;
            return (found, true);
        }
        let result = self.likelihood.evaluate(self.covariance, values, nugget);
        self.journal.note(values, nugget, &result);
        (result, false)
    }

    /// Evaluates at `x`; the variance is set to the best one if it is profiled.
    pub(super) fn evaluate(&mut self, x: &[f64]) -> Result<f64, LikelihoodError> {
        let (mut values, mut nugget) = self.region.space.parameters(x);
        let (evaluation, is_taken_over) = self.look_up(&values, nugget);
        let evaluation = evaluation.and_then(|evaluation| {
            if !self.region.space.profiles {
                return Ok(evaluation);
            }
            let scale = evaluation.best_scale();
            if !(scale > 0.0 && scale.is_finite()) {
                return Err(LikelihoodError::Scale);
            }
            values[0] *= scale;
            nugget *= scale;
            Ok(evaluation.scaled(scale))
        });
        self.evaluations += 1;
        let loglik = evaluation.as_ref().ok().map(Evaluation::loglik).filter(|l| l.is_finite());
        self.highest = loglik.map_or(self.highest, |loglik| self.highest.max(loglik));
        let progress = Progress {
            evaluations: self.evaluations,
            loglik,
            best: self.highest,
            values: values.clone(),
            nugget,
            is_taken_over,
        };
        if (self.between)(self.likelihood.flow(), &progress, self.journal).is_break() {
            self.is_stopped = true;
        }
        if loglik.is_none() {
            self.failed += 1;
            self.region.failed += 1;
        }
        let evaluation = evaluation?;
        let loglik = loglik.ok_or(LikelihoodError::DependentMean)?;
        let model = Model { covariance: self.covariance, values, nugget };
        self.region.note(loglik, Best { x: x.to_vec(), model, evaluation });
        Ok(loglik)
    }

    /// The start of the space, or a point with a shorter range if the covariance matrix is not
    /// positive definite there.
    pub(super) fn first_point(&mut self) -> Result<Vec<f64>, FitError> {
        let mut x = self.region.space.start.clone();
        let range = self.region.space.range();
        let most = self.most.saturating_sub(self.evaluations).clamp(1, 12);
        for left in (0..most).rev() {
            let result = self.evaluate(&x);
            self.check()?;
            match (result, range) {
                (Ok(_), _) => return Ok(x),
                (Err(error), Some(range)) if error.is_numerical() && left > 0 => {
                    x[range] = (x[range] - 2f64.ln()).max(self.region.space.lower[range]);
                }
                (Err(error), _) if error.is_numerical() => return Err(FitError::Start(error)),
                (Err(error), _) => return Err(error.into()),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Maximises the likelihood from `x`, where it has a value, with steps that are as long as
    /// `accuracy` in the end.
    ///
    /// # Errors
    /// If it was told to end, or the likelihood fails for a reason other than the parameters.
    pub(super) fn run(&mut self, mut x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let dimension = self.region.space.dimension();
        if dimension == 0 {
            return Ok(Ending { converged: true, accuracy });
        }
        let (lower, upper) = (self.region.space.lower.clone(), self.region.space.upper.clone());
        let gaps = lower.iter().zip(&upper).map(|(low, high)| high - low);
        let radius = gaps.fold(FIRST_RADIUS, |radius, gap| radius.min(gap / 2.0));
        let mut config = Config::new(dimension);
        config.rho_begin = radius;
        config.rho_end = accuracy.min(radius / 10.0);
        // It needs so many to begin with; the limit of the options is kept in `cost`.
        config.max_fun = self.most.max(config.npt + 1);
        config.prima_parity = dimension > 1;
        let mut solver = Bobyqa::new(dimension, config).expect("the configuration is valid");
        let outcome = solver.minimize_with_radius(
            |x, radius| self.cost(x, radius.rho),
            &mut x,
            &lower,
            &upper,
        );
        self.check()?;
        let converged = matches!(outcome.status, Status::Converged);
        Ok(Ending { converged, accuracy: config.rho_end })
    }

    /// The negative log-likelihood; where there is none, a little more than the worst so far, so
    /// that the search turns back without its model being torn.
    fn cost(&mut self, x: &[f64], radius: f64) -> f64 {
        self.region.weigh(radius);
        if self.broken.is_some() || self.is_stopped || self.region.is_given_up {
            return 0.0;
        }
        // A search begins where the likelihood is known.
        if let Some(best) = self.region.best.as_ref().filter(|best| best.x == x) {
            return -best.evaluation.loglik();
        }
        if self.evaluations >= self.most {
            self.exhausted = true;
            return self.region.penalty();
        }
        match self.evaluate(x) {
            Ok(loglik) => -loglik,
            Err(error) => {
                if !error.is_numerical() {
                    self.broken = Some(error);
                }
                self.region.penalty()
            }
        }
    }
}
