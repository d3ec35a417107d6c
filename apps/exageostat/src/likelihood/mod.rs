//! The Gaussian log-likelihood of a field as one task flow.
//!
//! `l = -1/2 (n ln 2 pi + ln |C| + r' C^-1 r)` with `C = L L'`: generation of `C`, factorisation,
//! determinant, solve and dot product are submitted one after the other and overlap as the data
//! allow, as in Nesi, Legrand, Schnorr, "Exploiting system level heterogeneity to improve the
//! performance of a GeoStatistics multi-phase task-based application", ICPP 2021. Only the end of
//! an evaluation waits.

mod columns;
mod evaluation;
mod information;
mod score;
mod solve;
mod tasks;
mod together;

use std::sync::Arc;

use tegula_kernels::geometry::Geometry;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::Owners;

use crate::covariance::Covariance;
use crate::observations::Observations;
use crate::vecchia::Neighbours;
pub use evaluation::{Criterion, Evaluation, LikelihoodError};
pub use score::Score;
pub(crate) use score::information_by_logarithms;
pub use tasks::{Overlap, Phases};
pub(crate) use tasks::{Parts, given_block};
use together::Together;

/// Which information on the parameters there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Information {
    /// The expected one, Fisher's.
    #[default]
    Expected,
    /// The average one, which comes with the score.
    Average,
    /// The observed one, by differences, where there are no derivatives.
    Observed,
}

impl Information {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Average => "average",
            Self::Observed => "observed",
        }
    }
}

/// What evaluates the likelihood of one set of observations, exactly or not, as often as wanted.
pub trait Evaluate {
    /// Number of places that are observed.
    fn n(&self) -> usize;

    /// The flow, for its trace and its memory, and to [set owners](Flow::set_owners): with the next
    /// evaluation, the factorisation goes to those, so that they may change from one to the next
    /// (section 7.2 of the thesis that [`Phases::generate_by`] names).
    fn flow(&mut self) -> &mut Flow;

    /// Evaluates the likelihood under `covariance` with parameters `values` and a `nugget`.
    ///
    /// # Errors
    /// If the parameters are not the covariance's, or its matrix is not positive definite.
    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError>;

    /// How many evaluations run at the same time, where one cannot keep all workers busy.
    fn at_once(&self) -> usize {
        1
    }

    /// Evaluates at each of some `points`, parameters with a nugget, in their order,
    /// [`at_once`](Self::at_once) at the same time.
    ///
    /// # Errors
    /// Each as [`evaluate`](Self::evaluate).
    fn evaluate_each(
        &mut self,
        covariance: &Covariance,
        points: &[(Vec<f64>, f64)],
    ) -> Vec<Result<Evaluation, LikelihoodError>> {
        let each = points.iter();
        each.map(|(values, nugget)| self.evaluate(covariance, values, *nugget)).collect()
    }

    /// As [`evaluate`](Self::evaluate), with the score there, by a criterion, if `is_wanted`.
    ///
    /// If it is to be scaled (`how.1`), variance and nugget count as multiplied by what makes the
    /// likelihood greatest ([`Evaluation::best_scale`]); the evaluation itself is with those that
    /// are given.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError>;

    /// The information of the likelihood by `criterion`, if possible the expected one (Fisher's),
    /// in the coordinates of [`Score::information`]; with the evaluation there, if it took one. By
    /// default that of the score.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn information(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        criterion: Criterion,
    ) -> Result<(Option<Evaluation>, Vec<f64>), LikelihoodError> {
        let (evaluation, score) =
            self.score(covariance, values, nugget, (criterion, false), &|_| true)?;
        Ok((Some(evaluation), score.expect("it was wanted").information))
    }

    /// Whether the score is of derivatives. If it is of differences, which cost many evaluations, a
    /// search goes by values alone.
    fn has_score(&self) -> bool {
        true
    }

    /// Whether there is a [`surrogate`](Self::surrogate).
    fn has_surrogate(&self) -> bool {
        false
    }

    /// The likelihood by so many neighbours of each place, which has a score and costs little
    /// beside this one, to guide a search.
    fn surrogate(
        &mut self,
        covariance: &Covariance,
        neighbours: usize,
    ) -> Option<Box<dyn Evaluate + '_>> {
        let _ = (covariance, neighbours);
        None
    }

    /// What there is to say of the last evaluation, in words.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Which one [`information`](Self::information) is. The average one is that of the score.
    fn information_kind(&self, criterion: Criterion) -> Information {
        let _ = criterion;
        Information::Expected
    }

    /// What the information is by, in words, if not by the likelihood itself.
    fn information_source(&self) -> Option<String> {
        None
    }

    /// Estimate of what a better approximation adds to the logarithm of the likelihood, which was
    /// found to be `loglik` there; none of an exact one.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, loglik): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let _ = (covariance, values, nugget, criterion, loglik);
        Ok(None)
    }
}

/// What also takes other columns in place of its values, for models in which these change with
/// the parameters.
pub trait Resolve: Evaluate {
    /// It as what evaluates alone.
    fn as_evaluate(&mut self) -> &mut dyn Evaluate;

    /// `ln |C|` and `X' C^-1 X`, by columns, of the columns `X`, for a covariance with its
    /// parameters and a nugget. If it `is_factored`, these are those of the call before, and
    /// nothing else was evaluated since.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`].
    fn gram(
        &mut self,
        model: (&Covariance, &[f64], f64),
        columns: &[Vec<f64>],
        is_factored: bool,
    ) -> Result<(f64, Vec<f64>), LikelihoodError>;

    /// Evaluates the likelihood of other values from now on; the mean must be zero.
    ///
    /// # Errors
    /// Those of the flow.
    fn set_values(&mut self, values: &[f64]) -> Result<(), LikelihoodError>;
}

/// Evaluates the likelihood of one set of observations, as often as wanted, on one flow.
#[derive(Debug)]
pub struct Likelihood<T> {
    flow: Flow,
    n: usize,
    nb: usize,
    phases: Phases<T>,
    together: Together<T>,
    neighbours: Neighbours,
    workspace: Option<score::Workspace<T>>,
}

impl<T: Real> Likelihood<T> {
    /// Prepares evaluations of `observations` in tiles of order `nb` on `flow`.
    #[must_use]
    pub fn new(mut flow: Flow, observations: &Observations, nb: usize, overlap: Overlap) -> Self {
        let phases = Phases::new(&mut flow, observations, nb, overlap);
        let together = Together::new(&flow, observations, (nb, overlap));
        let neighbours = Neighbours::new(observations.clone());
        Self { flow, n: observations.len(), nb, phases, together, neighbours, workspace: None }
    }

    /// Where the places lie.
    pub(crate) fn geometry(&self) -> Geometry {
        self.phases.generation.entries.geometry
    }

    /// As [`Phases::generate_by`].
    pub fn generate_by(&mut self, owners: Arc<dyn Owners>) {
        self.phases.generate_by(owners);
    }

    /// Evaluates, and keeps the tiles.
    fn run(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let Self { flow, n, phases, .. } = self;
        let law = covariance.law(phases.generation.entries.geometry, values, nugget)?;
        let failed = |error| LikelihoodError::from_flow(error, *n);
        phases.run(flow, &law).map_err(failed)?;
        let (logdet, gram) = phases.read(flow).map_err(failed)?;
        Evaluation::new(*n, logdet, &gram, phases.offset())
    }

    /// The flow, and what is left of the last evaluation, for predictions.
    pub(crate) fn into_parts(self) -> (Flow, Parts<T>) {
        (self.flow, self.phases.into_parts())
    }
}

impl<T: Real> Evaluate for Likelihood<T> {
    fn at_once(&self) -> usize {
        self.together.count
    }

    fn evaluate_each(
        &mut self,
        covariance: &Covariance,
        points: &[(Vec<f64>, f64)],
    ) -> Vec<Result<Evaluation, LikelihoodError>> {
        let mut found = Vec::with_capacity(points.len());
        for some in points.chunks(self.together.count) {
            let of = (covariance, self.geometry());
            match self.together.evaluate(&mut self.flow, of, some) {
                Some(all) => found.extend(all.into_iter().map(Ok)),
                // One after the other, which tells whose fault it is.
                None => found
                    .extend(some.iter().map(|(v, nugget)| self.evaluate(covariance, v, *nugget))),
            }
        }
        found
    }

    fn n(&self) -> usize {
        self.n
    }

    fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let evaluation = self.run(covariance, values, nugget)?;
        self.phases.end(&mut self.flow);
        Ok(evaluation)
    }

    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, is_scaled): (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        let evaluation = self.run(covariance, values, nugget)?;
        let score = if is_wanted(&evaluation) {
            let slopes = covariance.slopes(values)?;
            let Self { flow, n, nb, phases, workspace, .. } = self;
            let widths = phases.widths();
            let workspace = workspace
                .get_or_insert_with(|| score::Workspace::new(flow, (*n, *nb), widths, &slopes));
            let first = workspace.shapes();
            assert_eq!(first, slopes.count, "derivatives of this covariance and the first");
            let at = score::At {
                evaluation: &evaluation,
                nugget,
                scale: if is_scaled { evaluation.best_scale(criterion) } else { 1.0 },
                is_restricted: criterion == Criterion::Restricted,
            };
            let score = phases.score(flow, workspace, &slopes, &at);
            let score = score.map_err(|error| LikelihoodError::from_flow(error, *n))?;
            Some(slopes.score(score))
        } else {
            None
        };
        self.phases.end(&mut self.flow);
        Ok((evaluation, score))
    }

    fn information(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        criterion: Criterion,
    ) -> Result<(Option<Evaluation>, Vec<f64>), LikelihoodError> {
        let evaluation = self.run(covariance, values, nugget)?;
        let slopes = covariance.slopes(values)?;
        let at = information::At {
            evaluation: &evaluation,
            nugget,
            is_restricted: criterion == Criterion::Restricted,
        };
        let Self { flow, n, phases, .. } = self;
        let information = phases.information(flow, &slopes, &at);
        let information = information.map_err(|error| LikelihoodError::from_flow(error, *n))?;
        self.phases.end(&mut self.flow);
        Ok((Some(evaluation), slopes.information(information)))
    }

    fn has_surrogate(&self) -> bool {
        true
    }

    fn surrogate(
        &mut self,
        covariance: &Covariance,
        neighbours: usize,
    ) -> Option<Box<dyn Evaluate + '_>> {
        Some(self.neighbours.surrogate(&mut self.flow, covariance, neighbours))
    }
}
