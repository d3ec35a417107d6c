//! The search for the greatest likelihood.

use std::ops::ControlFlow;

use tegula_runtime::flow::Flow;

use super::conclusion::Begun;
use super::journal::{Extra, Found, Wanted};
use super::newton::Slope;
use super::nugget::may_be_zero;
use super::region::{Best, Ending, Region};
use super::space::Space;
use super::start::{Guess, SpatialExtent};
use super::{Fit, FitError, FitOptions, Journal, NuggetChoice, Optimizer, check};
use crate::covariance::Covariance;
use crate::likelihood::{
    Criterion, Evaluate, Evaluation, LikelihoodError, information_by_logarithms,
};
use crate::model::Model;
use crate::observations::Observations;

/// What an evaluation of the likelihood came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// Its gradient.
    Gradient,
    /// The expected information.
    Information,
    /// It is one of the surrogate, which does not count: there is no value of the likelihood.
    Surrogate,
}

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
    /// What it came with.
    pub beside: Beside,
    /// Whether it was taken over from an earlier run.
    pub is_taken_over: bool,
    /// Whether it was in the journal, of an earlier run or of this one.
    pub is_known: bool,
}

/// Fits `covariance` to the observations of `likelihood`; `report` is called after each
/// evaluation.
///
/// # Errors
/// If the observations or the bounds do not allow a fit, or the likelihood fails for a reason
/// other than the parameters.
pub fn fit(
    likelihood: &mut dyn Evaluate,
    observations: &Observations,
    covariance: &'static Covariance,
    options: &FitOptions,
    mut report: impl FnMut(&Progress),
) -> Result<Fit, FitError> {
    let mut journal = Journal::default();
    let mut between = |_: &mut Flow, progress: &Progress, _: &Journal| {
        if progress.beside != Beside::Surrogate {
            report(progress);
        }
        ControlFlow::Continue(())
    };
    fit_from(likelihood, observations, covariance, options, &mut journal, &mut between)
}

/// What is done after each evaluation, when nothing else uses the flow: says whether to go on.
pub type Between<'a> = dyn FnMut(&mut Flow, &Progress, &Journal) -> ControlFlow<()> + 'a;

/// As [`fit`], with evaluations of an earlier run where `journal` has them; those of this run are
/// added to it.
///
/// # Errors
/// As [`fit`]; [`FitError::Stopped`] if it was told to.
pub fn fit_from(
    likelihood: &mut dyn Evaluate,
    observations: &Observations,
    covariance: &'static Covariance,
    options: &FitOptions,
    journal: &mut Journal,
    between: &mut Between<'_>,
) -> Result<Fit, FitError> {
    let ground = Ground::new(&*likelihood, observations, covariance, options)?;
    let Ground { accuracy, tries_none, extent, guess, .. } = ground;
    let mut search = ground.search(likelihood, options, journal, between);
    let (mut ending, starts) = search.run_all(options, accuracy)?;
    search.ends_at_least_nugget = false;
    let found = search.region.found();
    if search.region.space.is_round(&found.x, 1e-3)
        && !search.exhausted
        && let Some(space) = search.region.space.across(&found.model)
    {
        ending = search.challenge(space, accuracy)?.unwrap_or(ending);
    }
    if tries_none && !search.exhausted {
        let without = FitOptions { nugget: NuggetChoice::Fixed(0.0), ..options.clone() };
        let without = Space::new(covariance, &without, extent, guess)?;
        ending = search.try_small_nuggets(without, accuracy)?.unwrap_or(ending);
    }
    let begun = Begun { observations, options, extent, guess };
    search.conclude(&begun, ending, starts)
}

/// Searches from start `number` of those of `options` alone: the `journal` then has what
/// [`fit_from`] looks up there. Several starts may be searched at the same time, each with a
/// likelihood and a copy of the journal of its own, that the fit's own takes
/// [together](Journal::join).
///
/// # Errors
/// As [`fit_from`]. A start without a likelihood is none.
pub fn explore(
    likelihood: &mut dyn Evaluate,
    (observations, covariance, options): (&Observations, &'static Covariance, &FitOptions),
    number: usize,
    journal: &mut Journal,
    between: &mut Between<'_>,
) -> Result<(), FitError> {
    let ground = Ground::new(&*likelihood, observations, covariance, options)?;
    let accuracy = ground.accuracy;
    let mut search = ground.search(likelihood, options, journal, between);
    let start = search.starts(options).swap_remove(number);
    match search.run_from(start, options, accuracy) {
        Ok(_) | Err(FitError::Start(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a search is begun with.
struct Ground {
    covariance: &'static Covariance,
    space: Space,
    optimizer: Optimizer,
    accuracy: f64,
    /// Whether the model without a nugget is tried as well.
    tries_none: bool,
    extent: SpatialExtent,
    guess: Guess,
}

impl Ground {
    fn new(
        likelihood: &dyn Evaluate,
        observations: &Observations,
        covariance: &'static Covariance,
        options: &FitOptions,
    ) -> Result<Self, FitError> {
        check(observations, covariance, options)?;
        let extent = SpatialExtent::of(&observations.points);
        let residuals = observations.design.residuals(&observations.values);
        covariance.check_geometry(observations.points.geometry()).map_err(LikelihoodError::from)?;
        let guess = if covariance.is_radial() {
            Guess::from_data(&observations.points, &residuals, extent)
        } else {
            Guess::of_composite(covariance, &observations.points, &residuals, extent)
        };
        let guess = guess.with_noise(observations.noise.as_deref());
        let guess = match covariance.angle() {
            Some(_) => guess.with_angle(&observations.points, &residuals),
            None => guess,
        };
        let space = Space::new(covariance, options, extent, guess)?;
        // The last digits of an approximation are no use.
        let share = if likelihood.has_score() { 1e-3 } else { 1e-2 };
        let optimizer = options.optimizer.possible(likelihood);
        // Standard errors of logarithms of parameters are some 1/sqrt(n) or more, and half their
        // square is what the likelihood loses: a thousandth of them costs 1e-6 of it.
        let accuracy = options.tolerance.unwrap_or(share / (observations.len() as f64).sqrt());
        let tries_none = may_be_zero(options) && observations.coincident().is_empty();
        Ok(Self { covariance, space, optimizer, accuracy, tries_none, extent, guess })
    }

    /// The search, which has evaluated nothing.
    fn search<'a>(
        self,
        likelihood: &'a mut dyn Evaluate,
        options: &FitOptions,
        journal: &'a mut Journal,
        between: &'a mut Between<'a>,
    ) -> Search<'a> {
        let setting = Setting {
            covariance: self.covariance,
            criterion: options.criterion,
            optimizer: self.optimizer,
            most: options.max_evaluations,
        };
        let mut search = Search::new(likelihood, self.space, setting, journal, between);
        search.ends_at_least_nugget = self.tries_none && options.starts == 1;
        let starts = options.start.iter().chain([&options.start_nugget]);
        search.starts_as_told = starts.flatten().next().is_some();
        search
    }
}

/// How a search goes.
pub(super) struct Setting {
    pub(super) covariance: &'static Covariance,
    pub(super) criterion: Criterion,
    pub(super) optimizer: Optimizer,
    /// Most evaluations.
    pub(super) most: usize,
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) likelihood: &'a mut dyn Evaluate,
    pub(super) covariance: &'static Covariance,
    pub(super) journal: &'a mut Journal,
    pub(super) between: &'a mut Between<'a>,
    pub(super) region: Region,
    /// Greatest log-likelihood so far, of all regions.
    pub(super) highest: f64,
    pub(super) criterion: Criterion,
    pub(super) optimizer: Optimizer,
    /// Whether it ends where the nugget stays at its least, from where others go on.
    pub(super) ends_at_least_nugget: bool,
    /// Whether the user said where to start.
    pub(super) starts_as_told: bool,
    pub(super) evaluations: usize,
    /// Of these, how many came with a score.
    pub(super) scores: usize,
    /// Of these, how many were taken over.
    pub(super) taken_over: usize,
    /// Most evaluations of the search.
    pub(super) most: usize,
    /// Whether the search wanted more.
    pub(super) exhausted: bool,
    /// Evaluations without a value.
    pub(super) failed: usize,
    /// A failure that the parameters are not to blame for.
    pub(super) broken: Option<LikelihoodError>,
    /// Whether it was told to end.
    pub(super) is_stopped: bool,
}

impl<'a> Search<'a> {
    /// One that has evaluated nothing.
    pub(super) fn new(
        likelihood: &'a mut dyn Evaluate,
        space: Space,
        setting: Setting,
        journal: &'a mut Journal,
        between: &'a mut Between<'a>,
    ) -> Self {
        let Setting { covariance, criterion, optimizer, most } = setting;
        Self {
            likelihood,
            covariance,
            journal,
            between,
            region: Region::new(space, f64::NEG_INFINITY),
            highest: f64::NEG_INFINITY,
            criterion,
            optimizer,
            ends_at_least_nugget: false,
            starts_as_told: false,
            evaluations: 0,
            scores: 0,
            taken_over: 0,
            most,
            exhausted: false,
            failed: 0,
            broken: None,
            is_stopped: false,
        }
    }
}

impl Search<'_> {
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

    /// The likelihood of an earlier run, or of this one, with what is `wanted` beside it; and
    /// whether it is of either, and of the first.
    fn look_up(&mut self, values: &[f64], nugget: f64, wanted: Wanted) -> (Found, [bool; 2]) {
        if let Some((found, is_earlier)) = self.journal.find(values, nugget, wanted) {
            self.taken_over += usize::from(is_earlier);
            return (found, [true, is_earlier]);
        }
        let (criterion, profiles) = (self.criterion, self.region.space.profiles);
        let (likelihood, covariance) = (&mut *self.likelihood, self.covariance);
        let result = match wanted {
            Wanted::Information => {
                let found = likelihood.information(covariance, values, nugget, criterion);
                found.map(|(evaluation, found)| {
                    let known = || self.region.found().evaluation;
                    (evaluation.unwrap_or_else(known), Extra::Information(found))
                })
            }
            Wanted::Score { above } => {
                let is_wanted = |evaluation: &Evaluation| {
                    let scale = if profiles { evaluation.best_scale(criterion) } else { 1.0 };
                    evaluation.clone().scaled(scale).value(criterion) > above
                };
                likelihood.score(covariance, values, nugget, (criterion, profiles), &is_wanted).map(
                    |(evaluation, score)| (evaluation, score.map_or(Extra::Nothing, Extra::Score)),
                )
            }
        };
        self.journal.note(values, nugget, &result);
        (result, [false; 2])
    }

    /// Evaluates at `x`; the variance is set to the best one if it is profiled.
    pub(super) fn evaluate(&mut self, x: &[f64]) -> Result<f64, LikelihoodError> {
        self.evaluate_with_slope(x, f64::INFINITY).map(|(loglik, _)| loglik)
    }

    /// As [`evaluate`](Self::evaluate), with how the log-likelihood changes there, if it is above
    /// `above`.
    pub(super) fn evaluate_with_slope(
        &mut self,
        x: &[f64],
        above: f64,
    ) -> Result<(f64, Option<Slope>), LikelihoodError> {
        self.evaluate_for(x, Wanted::Score { above })
    }

    /// The information at `x`, the best point; where rounding leaves no likelihood, there
    /// is none.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn inform(&mut self, x: &[f64]) -> Result<(), FitError> {
        let found = self.evaluate_for(x, Wanted::Information);
        self.check()?;
        match found {
            Err(error) if !error.is_numerical() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// As [`evaluate`](Self::evaluate), with what is `wanted` beside the likelihood.
    fn evaluate_for(
        &mut self,
        x: &[f64],
        wanted: Wanted,
    ) -> Result<(f64, Option<Slope>), LikelihoodError> {
        let (mut values, mut nugget) = match &self.region.best {
            // What is observed depends on the scale.
            Some(Best { model, .. }) if matches!(wanted, Wanted::Information) => {
                (model.values.clone(), model.nugget)
            }
            _ => self.region.space.parameters(x),
        };
        let (found, [is_known, is_taken_over]) = self.look_up(&values, nugget, wanted);
        let found = found.and_then(|(evaluation, mut extra)| {
            match &mut extra {
                Extra::Nothing => {}
                Extra::Score(score) => *score = score.clone().by_logarithms(nugget),
                Extra::Information(information) => {
                    information_by_logarithms(information, values.len() + 1, nugget);
                }
            }
            if !self.region.space.profiles {
                return Ok((evaluation, extra));
            }
            let scale = evaluation.best_scale(self.criterion);
            if !(scale > 0.0 && scale.is_finite()) {
                return Err(LikelihoodError::Scale);
            }
            values[0] *= scale;
            nugget *= scale;
            Ok((evaluation.scaled(scale), extra))
        });
        self.evaluations += 1;
        self.scores += usize::from(matches!(&found, Ok((_, Extra::Score(_)))));
        let value = |(evaluation, _): &(Evaluation, _)| evaluation.value(self.criterion);
        let loglik = found.as_ref().ok().map(value).filter(|l| l.is_finite());
        self.highest = loglik.map_or(self.highest, |loglik| self.highest.max(loglik));
        let beside = match &found {
            Ok((_, Extra::Score(_))) => Beside::Gradient,
            Ok((_, Extra::Information(_))) => Beside::Information,
            _ => Beside::Nothing,
        };
        let progress = Progress {
            evaluations: self.evaluations,
            loglik,
            best: self.highest,
            values: values.clone(),
            nugget,
            beside,
            is_taken_over,
            is_known,
        };
        if (self.between)(self.likelihood.flow(), &progress, self.journal).is_break() {
            self.is_stopped = true;
        }
        if loglik.is_none() {
            self.failed += 1;
            self.region.failed += 1;
        }
        let (evaluation, extra) = found?;
        let score = match extra {
            Extra::Nothing => None,
            Extra::Score(score) => Some(score),
            Extra::Information(information) => {
                self.region.note_information(x, information);
                return Ok((loglik.ok_or(LikelihoodError::DependentMean)?, None));
            }
        };
        let slope = score.as_ref().map(|score| self.region.space.slope(score));
        let loglik = loglik.ok_or(LikelihoodError::DependentMean)?;
        let model = Model { covariance: self.covariance, values, nugget };
        let (x, point) = (x.to_vec(), slope.clone());
        self.region.note(Best {
            x,
            model,
            evaluation,
            loglik,
            slope: point,
            score,
            information: None,
        });
        Ok((loglik, slope))
    }

    /// How the log-likelihood changes at `x`, where it has a value.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn slope(&mut self, x: &[f64]) -> Result<Option<Slope>, FitError> {
        let known = self.region.best.as_ref().filter(|best| best.x == x);
        if let Some(slope) = known.and_then(|best| best.slope.clone()) {
            return Ok(Some(slope));
        }
        let found = self.evaluate_with_slope(x, f64::NEG_INFINITY);
        self.check()?;
        Ok(found?.1)
    }

    /// The start of the space, or a point with a shorter range if the covariance matrix is not
    /// positive definite there.
    pub(super) fn first_point(&mut self) -> Result<Vec<f64>, FitError> {
        let mut x = self.region.space.start.clone();
        let ranges = self.region.space.ranges();
        let most = self.most.saturating_sub(self.evaluations).clamp(1, 12);
        for left in (0..most).rev() {
            let above = match self.optimizer {
                Optimizer::AverageInformation | Optimizer::FisherScoring => f64::NEG_INFINITY,
                Optimizer::Surrogate | Optimizer::Bobyqa => f64::INFINITY,
            };
            let result = self.evaluate_with_slope(&x, above);
            self.check()?;
            match result {
                Ok(_) => return Ok(x),
                Err(error) if error.is_numerical() && left > 0 && !ranges.is_empty() => {
                    for &range in &ranges {
                        x[range] = (x[range] - 2f64.ln()).max(self.region.space.lower[range]);
                    }
                }
                Err(error) if error.is_numerical() => return Err(FitError::Start(error)),
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Maximises the likelihood from `x`, where it has a value, with steps that are as long as
    /// `accuracy` in the end.
    ///
    /// # Errors
    /// If it was told to end, or the likelihood fails for a reason other than the parameters.
    pub(super) fn run(&mut self, x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let dimension = self.region.space.dimension();
        if dimension == 0 {
            return Ok(Ending { converged: true, accuracy });
        }
        match self.optimizer {
            Optimizer::AverageInformation | Optimizer::FisherScoring => self.climb(x, accuracy),
            Optimizer::Surrogate => self.follow(x, accuracy),
            Optimizer::Bobyqa => self.by_values(x, accuracy),
        }
    }
}
