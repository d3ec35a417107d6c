//! The search for the greatest likelihood, and a look around where it ended.

use std::ops::ControlFlow;

use bobyqa::{Bobyqa, Config, Status};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;

use super::space::Space;
use super::start::{Extent, Guess};
use super::{Fit, FitError, FitOptions, Journal};
use crate::covariance::Covariance;
use crate::likelihood::{Evaluation, Likelihood, LikelihoodError};
use crate::model::Model;
use crate::observations::Observations;

/// First radius of the search, in logarithms of the parameters.
const FIRST_RADIUS: f64 = 0.4;
/// Factor by which the range is changed to see whether the likelihood is flat there.
const PROBE: f64 = 3.0;
/// A likelihood that loses less than this is called flat: half the 95 % point of chi-squared with
/// one degree of freedom, so what is probed lies within the 95 % confidence interval.
const FLAT: f64 = 1.92;

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
    observations.check_fit()?;
    let extent = Extent::of(&observations.points);
    let residuals = observations.design.residuals(&observations.values);
    let guess = Guess::from_data(&observations.points, &residuals, extent);
    let space = Space::new(covariance, options, extent, guess)?;
    let mut search = Search {
        likelihood,
        space,
        covariance,
        journal,
        between,
        best: None,
        worst: 0.0,
        evaluations: 0,
        taken_over: 0,
        most: options.max_evaluations,
        exhausted: false,
        failed: 0,
        broken: None,
        is_stopped: false,
    };
    let start = search.first_point()?;
    let (converged, tolerance) = search.run(start, options);
    if let Some(error) = search.broken {
        return Err(error.into());
    }
    let iterations = search.evaluations;
    search.check_stop()?;
    let remarks = search.remarks(extent);
    search.check_stop()?;
    let Search { best, space, evaluations, taken_over, failed, .. } = search;
    let best = best.expect("the first point has a likelihood");
    let bounds_hit = space.bounds_hit(&best.x, tolerance.max(1e-6));
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

/// The best point so far.
struct Best {
    x: Vec<f64>,
    model: Model,
    evaluation: Evaluation,
}

struct Search<'a, T, F> {
    likelihood: &'a mut Likelihood<T>,
    space: Space,
    covariance: &'static Covariance,
    journal: &'a mut Journal,
    between: F,
    best: Option<Best>,
    /// Smallest log-likelihood so far.
    worst: f64,
    evaluations: usize,
    /// Of these, how many were taken over.
    taken_over: usize,
    /// Most evaluations of the search.
    most: usize,
    /// Whether the search wanted more.
    exhausted: bool,
    failed: usize,
    /// A failure that the parameters are not to blame for.
    broken: Option<LikelihoodError>,
    /// Whether it was told to end.
    is_stopped: bool,
}

impl<T, F> Search<'_, T, F> {
    /// # Errors
    /// If the search was told to end.
    fn check_stop(&self) -> Result<(), FitError> {
        let evaluations = self.evaluations;
        if self.is_stopped { Err(FitError::Stopped { evaluations }) } else { Ok(()) }
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
    fn evaluate(&mut self, x: &[f64]) -> Result<f64, LikelihoodError> {
        let (mut values, mut nugget) = self.space.parameters(x);
        let (evaluation, is_taken_over) = self.look_up(&values, nugget);
        let evaluation = evaluation.and_then(|evaluation| {
            if !self.space.profiles {
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
        let best = self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.evaluation.loglik());
        let progress = Progress {
            evaluations: self.evaluations,
            loglik,
            best: loglik.map_or(best, |loglik| best.max(loglik)),
            values: values.clone(),
            nugget,
            is_taken_over,
        };
        if (self.between)(self.likelihood.flow(), &progress, self.journal).is_break() {
            self.is_stopped = true;
        }
        let evaluation = evaluation?;
        let loglik = loglik.ok_or(LikelihoodError::DependentMean)?;
        self.worst = if self.best.is_none() { loglik } else { self.worst.min(loglik) };
        if loglik > best {
            let model = Model { covariance: self.covariance, values, nugget };
            self.best = Some(Best { x: x.to_vec(), model, evaluation });
        }
        Ok(loglik)
    }

    /// The guess, or a point with a shorter range if the covariance matrix is not positive
    /// definite there.
    fn first_point(&mut self) -> Result<Vec<f64>, FitError> {
        let mut x = self.space.start.clone();
        let range = self.space.range();
        for _ in 1..self.most.min(12) {
            let result = self.evaluate(&x);
            self.check_stop()?;
            match (result, range) {
                (Ok(_), _) => return Ok(x),
                (Err(error), Some(range)) if error.is_numerical() => {
                    self.failed += 1;
                    x[range] = (x[range] - 2f64.ln()).max(self.space.lower[range]);
                }
                (Err(error), _) if error.is_numerical() => return Err(FitError::Start(error)),
                (Err(error), _) => return Err(error.into()),
            }
        }
        let result = self.evaluate(&x);
        self.check_stop()?;
        result.map(|_| x).map_err(FitError::Start)
    }

    /// Minimises the negative log-likelihood from `x`; says whether it converged, and to which
    /// accuracy.
    fn run(&mut self, mut x: Vec<f64>, options: &FitOptions) -> (bool, f64) {
        let dimension = self.space.dimension();
        // Standard errors of logarithms of parameters are some 1/sqrt(n) or more, and half their
        // square is what the likelihood loses: a thousandth of them costs 1e-6 of it.
        let tolerance = options.tolerance.unwrap_or(1e-3 / (self.likelihood.n() as f64).sqrt());
        if dimension == 0 {
            return (true, tolerance);
        }
        let gaps = self.space.lower.iter().zip(&self.space.upper).map(|(low, high)| high - low);
        let radius = gaps.fold(FIRST_RADIUS, |radius, gap| radius.min(gap / 2.0));
        let mut config = Config::new(dimension);
        config.rho_begin = radius;
        config.rho_end = tolerance.min(radius / 10.0);
        // It needs so many to begin with; the limit of the options is kept in `cost`.
        config.max_fun = options.max_evaluations.max(config.npt + 1);
        config.prima_parity = dimension > 1;
        let mut solver = Bobyqa::new(dimension, config).expect("the configuration is valid");
        let (lower, upper) = (self.space.lower.clone(), self.space.upper.clone());
        let outcome = solver.minimize(|x| self.cost(x), &mut x, &lower, &upper);
        let converged = matches!(outcome.status, Status::Converged) && !self.exhausted;
        (converged, config.rho_end)
    }

    /// The negative log-likelihood; where there is none, a little more than the worst so far, so
    /// that the search turns back without its model being torn.
    fn cost(&mut self, x: &[f64]) -> f64 {
        if self.broken.is_some() || self.is_stopped {
            return 0.0;
        }
        if self.evaluations >= self.most {
            self.exhausted = true;
            return self.penalty();
        }
        match self.evaluate(x) {
            Ok(loglik) => -loglik,
            Err(error) => {
                self.failed += 1;
                if !error.is_numerical() {
                    self.broken = Some(error);
                }
                self.penalty()
            }
        }
    }

    /// The cost where there is no likelihood.
    fn penalty(&self) -> f64 {
        1.0 + 0.1 * self.worst.abs() - self.worst
    }

    /// What the user should know about where the search ended.
    fn remarks(&mut self, extent: Extent) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.failed > 0 {
            remarks.push(format!(
                "{} of {} steps had a covariance matrix that is not positive definite and were \
                 turned back",
                self.failed, self.evaluations
            ));
        }
        remarks.extend(self.flatness(extent));
        remarks
    }

    /// Whether the likelihood hardly changes along the range, the variance adapted: then only a
    /// combination of the two is determined (Zhang, "Inconsistent estimation and asymptotically
    /// equal interpolations in model-based geostatistics", JASA 99, 2004).
    fn flatness(&mut self, extent: Extent) -> Option<String> {
        if self.exhausted {
            return None;
        }
        let range = self.space.range().filter(|_| self.space.profiles)?;
        let best = self.best.as_ref()?;
        let (x, loglik, value) = (best.x.clone(), best.evaluation.loglik(), best.x[range].exp());
        // A range well inside the data's extent is never on such a ridge.
        if value < extent.diameter / 4.0 {
            return None;
        }
        let mut probe = x;
        probe[range] = (probe[range] + PROBE.ln()).min(self.space.upper[range]);
        // Along the ridge the variance grows with the range while the nugget stays, so its share
        // shrinks: at smoothness 1/2 as the range grows, at 1 with its square.
        let shares = if self.space.nugget().is_some() { 3 } else { 1 };
        let mut reached = f64::NEG_INFINITY;
        for _ in 0..shares {
            if self.is_stopped {
                return None;
            }
            reached = reached.max(self.evaluate(&probe).unwrap_or(f64::NEG_INFINITY));
            if let Some(nugget) = self.space.nugget() {
                probe[nugget] = (probe[nugget] - PROBE.ln()).max(self.space.lower[nugget]);
            }
        }
        let loss = loglik - reached;
        (loss < FLAT).then(|| {
            format!(
                "the likelihood is flat along the range: {PROBE} times the range, the variance \
                 adapted, loses only {:.2} and is within the 95 % interval. The data tell the \
                 ratio of variance to range, not each alone; predictions hardly depend on it",
                loss.max(0.0)
            )
        })
    }
}
