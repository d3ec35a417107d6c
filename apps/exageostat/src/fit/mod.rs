//! Maximum likelihood: the parameters under which the observations are most likely.
//!
//! The search is one of [`OPTIMIZERS`], on logarithms of the parameters, from a guess at the data;
//! mean and, where possible, variance are profiled out. A search can be stopped after any
//! evaluation, and another run that gets the [`Journal`] of evaluations comes to the same end.

mod bound_hit;
mod by_values;
mod conclusion;
mod journal;
mod newton;
mod nugget;
mod profile;
mod region;
mod remarks;
mod search;
mod space;
mod start;
mod starts;
mod surrogate;
mod uncertainty;

use thiserror::Error;

pub use bound_hit::BoundHit;
use bound_hit::short;
pub use journal::Journal;
pub(crate) use newton::Slope;
pub use profile::ProfileInterval;
pub use search::{Beside, Between, Progress, explore, fit, fit_from};
pub use start::SpatialExtent;
pub use starts::StartEnd;
pub use uncertainty::Uncertainty;

use crate::covariance::{Covariance, at_most, beginning, plain};
pub use crate::likelihood::Information;
use crate::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError};
use crate::model::Model;
use crate::observations::{Observations, ObservationsError};

/// What is done about the nugget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NuggetChoice {
    /// It has this value.
    Fixed(f64),
    /// It is estimated, within these bounds if there are any; it may be 0 unless they leave that
    /// out.
    Estimated {
        /// Least and greatest value.
        bounds: Option<(f64, f64)>,
    },
}

/// How the greatest likelihood is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimizer {
    /// By gradients and the average information, in a trust region.
    #[default]
    AverageInformation,
    /// By gradients and the expected information, in a trust region: Fisher scoring.
    FisherScoring,
    /// By values, and derivatives of an approximation that they correct, in a trust region.
    Surrogate,
    /// By values alone: Powell's BOBYQA.
    Bobyqa,
}

/// All optimisers, with their names and what they are.
pub static OPTIMIZERS: &[(Optimizer, &str, &str)] = &[
    (
        Optimizer::AverageInformation,
        "average-information",
        "Newton steps in a trust region, by the gradient and the average information",
    ),
    (
        Optimizer::FisherScoring,
        "fisher-scoring",
        "the same by the expected information, which costs some likelihoods more",
    ),
    (
        Optimizer::Surrogate,
        "surrogate",
        "by values, and derivatives of the likelihood by 60 neighbours, which they correct",
    ),
    (Optimizer::Bobyqa, "bobyqa", "a quadratic model of values alone (Powell 2009)"),
];

impl Optimizer {
    /// The name in the list.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = OPTIMIZERS.iter().find(|(optimizer, ..)| *optimizer == self);
        entry.map_or("", |(_, name, _)| name)
    }

    /// This, or what comes nearest to it where a likelihood has no score or no surrogate.
    fn possible(self, likelihood: &dyn Evaluate) -> Self {
        match (likelihood.has_score(), likelihood.has_surrogate()) {
            _ if self == Self::Bobyqa => self,
            (true, false) if self == Self::Surrogate => Self::AverageInformation,
            (true, _) => self,
            (false, true) => Self::Surrogate,
            (false, false) => Self::Bobyqa,
        }
    }
}

/// The kinds of information that can be asked for, with their names and what they are.
pub static INFORMATIONS: &[(Information, &str, &str)] = &[
    (Information::Expected, "expected", "Fisher's, once at the maximum: some likelihoods more"),
    (
        Information::Average,
        "average",
        "the average information, which comes with the gradient; where there is none, the observed \
         one by differences",
    ),
];

/// What to estimate and how.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// For each parameter of the covariance its value, if it is fixed.
    pub fixed: Vec<Option<f64>>,
    /// For each parameter its bounds, if they are not the default ones.
    pub bounds: Vec<Option<(f64, f64)>>,
    /// The nugget.
    pub nugget: NuggetChoice,
    /// For each parameter where the search starts, if not where the data suggest.
    pub start: Vec<Option<f64>>,
    /// Likewise for the nugget.
    pub start_nugget: Option<f64>,
    /// Most evaluations of the likelihood.
    pub max_evaluations: usize,
    /// Which likelihood is to be greatest.
    pub criterion: Criterion,
    /// How it is searched.
    pub optimizer: Optimizer,
    /// Relative accuracy of the parameters at which the search ends; by default a small fraction of
    /// their standard errors.
    pub tolerance: Option<f64>,
    /// What standard errors are by.
    pub information: Information,
    /// Whether intervals by the profile likelihood are searched.
    pub profile_intervals: bool,
    /// How many starts there are: one, and others that are spread over the search space.
    pub starts: usize,
    /// Seed of these.
    pub seed: u64,
}

impl FitOptions {
    /// All of `count` parameters free, no nugget.
    #[must_use]
    pub fn all_free(count: usize) -> Self {
        Self {
            fixed: vec![None; count],
            bounds: vec![None; count],
            nugget: NuggetChoice::Fixed(0.0),
            start: vec![None; count],
            start_nugget: None,
            max_evaluations: 1000,
            criterion: Criterion::default(),
            optimizer: Optimizer::default(),
            tolerance: None,
            information: Information::default(),
            profile_intervals: false,
            starts: 1,
            seed: 0,
        }
    }
}

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The estimates.
    pub model: Model,
    /// The likelihood there.
    pub evaluation: Evaluation,
    /// Its logarithm there by the criterion of the fit.
    pub loglik: f64,
    /// Estimate of what a better approximation of the likelihood adds to that; none of an exact
    /// one.
    pub loglik_error: Option<f64>,
    /// How far the estimates may be from the truth.
    pub uncertainty: Uncertainty,
    /// Intervals by the profile likelihood, of each parameter and of the nugget after them, if they
    /// were asked for; none of what is fixed or ended at a bound.
    pub profile_intervals: Vec<Option<ProfileInterval>>,
    /// Where the search ended from each start that had a likelihood, without the looks at small
    /// nuggets.
    pub starts: Vec<StartEnd>,
    /// Evaluations of the likelihood in all.
    pub evaluations: usize,
    /// Of these, how many came with a gradient.
    pub scores: usize,
    /// Of these, how many had no value because the covariance matrix was not positive definite.
    pub failed_evaluations: usize,
    /// Of these, how many were taken over from an earlier run.
    pub taken_over: usize,
    /// Evaluations of the search alone, without the checks afterwards.
    pub iterations: usize,
    /// Whether the search reached its accuracy.
    pub converged: bool,
    /// Parameters that ended at a bound.
    pub bounds_hit: Vec<BoundHit>,
    /// What the user should know, in words.
    pub remarks: Vec<String>,
}

impl Fit {
    /// From how many starts the search converged to the greatest of their maxima.
    #[must_use]
    pub fn agreeing_starts(&self) -> usize {
        starts::agreeing(&self.starts)
    }
}

/// Why there is no fit.
#[derive(Debug, Error)]
pub enum FitError {
    /// The observations do not allow one.
    #[error(transparent)]
    Observations(#[from] ObservationsError),
    /// Bounds that are empty or outside the parameter's domain.
    #[error(
        "{parameter} cannot be searched between {} and {}: both bounds must be {}{}, and in order",
        plain(*low),
        plain(*high),
        beginning(*above),
        at_most(*most)
    )]
    Bounds {
        /// Name of the parameter.
        parameter: String,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
        /// What both must be above, as of a parameter.
        above: f64,
        /// What both may be at most.
        most: f64,
    },
    /// Fewer observations than parameters, or as many.
    #[error(
        "{found} observations are too few for {} parameters ({}): give more observations than parameters, or fix \
         some of these",
        parameters.len(),
        parameters.join(", ")
    )]
    TooFew {
        /// How many observations there are.
        found: usize,
        /// Names of what is estimated.
        parameters: Vec<String>,
    },
    /// A start outside the bounds.
    #[error(
        "the search cannot start from {parameter}={}: it goes from {} to {}",
        plain(*value),
        plain(short(*low)),
        plain(short(*high))
    )]
    Outside {
        /// Name of the parameter.
        parameter: String,
        /// Where it should start.
        value: f64,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The likelihood has no value where the search starts, and nowhere near.
    #[error("the search found no parameters to start from: {0}")]
    Start(LikelihoodError),
    /// The likelihood failed for a reason other than the parameters.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// It was asked to end before it was done.
    #[error("stopped after {evaluations} evaluations")]
    Stopped {
        /// Evaluations so far.
        evaluations: usize,
    },
}

/// Largest deviation from the mean around whose square a variance is searched; the smallest is its
/// inverse.
const LARGEST: f64 = 1e35;

/// Names of what is estimated: coefficients of the mean, free parameters of the covariance, and the
/// nugget.
fn parameters(
    observations: &Observations,
    covariance: &Covariance,
    options: &FitOptions,
) -> Vec<String> {
    let covariance = covariance.parameters.iter().zip(&options.fixed);
    let free = covariance.filter(|(_, fixed)| fixed.is_none()).map(|(parameter, _)| parameter.name);
    let has_nugget = matches!(options.nugget, NuggetChoice::Estimated { .. });
    let nugget = has_nugget.then_some("nugget");
    let mean = observations.design.names().iter().cloned();
    mean.chain(free.chain(nugget).map(str::to_owned)).collect()
}

/// Whether parameters can be estimated from these observations.
///
/// # Errors
/// If they do not vary, are too large or too small, or are not more than the parameters.
pub fn check(
    observations: &Observations,
    covariance: &Covariance,
    options: &FitOptions,
) -> Result<(), FitError> {
    observations.check_fit()?;
    let residuals = observations.residuals().rest;
    let most = residuals.iter().flatten().fold(0.0_f64, |most, r| most.max(r.abs()));
    if most > 0.0 && !(1.0 / LARGEST..LARGEST).contains(&most) {
        return Err(LikelihoodError::Scale.into());
    }
    let (found, parameters) = (observations.len(), parameters(observations, covariance, options));
    if found > parameters.len() { Ok(()) } else { Err(FitError::TooFew { found, parameters }) }
}
