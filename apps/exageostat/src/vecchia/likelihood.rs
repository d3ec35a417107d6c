//! The likelihood by neighbours, on a flow of its own.

use tegula_runtime::flow::Flow;

use super::conditionals::{Conditionals, Known};
use super::information;
use super::latent::{Latent, Noise};
use super::{Form, Vecchia};
use crate::covariance::Covariance;
use crate::differences;
use crate::likelihood::{
    Criterion, Evaluate, Evaluation, Information, LikelihoodError, Resolve, Score,
};
use crate::observations::Observations;

/// Evaluates Vecchia's approximation of the likelihood of one set of observations, as often as
/// wanted, on one flow.
///
/// Sums are made block by block and added in the order of the blocks, so that they are the same
/// with any number of workers.
#[derive(Debug)]
pub struct VecchiaLikelihood {
    flow: Flow,
    conditionals: Conditionals,
}

impl VecchiaLikelihood {
    /// Orders the places of `observations` and submits the searches for their neighbours on `flow`.
    ///
    /// # Panics
    /// If there are 2^32 places or more.
    #[must_use]
    pub fn new(mut flow: Flow, observations: &Observations, options: Vecchia) -> Self {
        let conditionals = Conditionals::new(&mut flow, observations, options);
        Self { flow, conditionals }
    }

    /// The flow, what is known of the observations, and the factors of the latent form if it was
    /// evaluated.
    pub(super) fn into_parts(self) -> (Flow, Known, Option<Latent>) {
        let Self { mut flow, conditionals: Conditionals { known, blocks, sums, latent, .. } } =
            self;
        blocks.unregister(&mut flow);
        sums.into_iter().for_each(|sums| flow.unregister(sums));
        (flow, known, latent)
    }

    /// How the nugget is divided, where it is not the response form.
    pub(super) fn noise(&self, values: &[f64], nugget: f64) -> Option<Noise> {
        self.conditionals.noise(values, nugget)
    }

    /// What it was made with.
    #[must_use]
    pub fn options(&self) -> Vecchia {
        self.conditionals.options
    }
}

impl Evaluate for VecchiaLikelihood {
    fn n(&self) -> usize {
        self.conditionals.known.n
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
        self.conditionals.evaluate(&mut self.flow, (covariance, values, nugget))
    }

    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        if !self.has_score() {
            return differences::score(self, covariance, (values, nugget), how, is_wanted);
        }
        let model = (covariance, values, nugget);
        self.conditionals.evaluate_with_score(&mut self.flow, model, how, is_wanted)
    }

    /// Not of replicates in the latent form.
    fn has_score(&self) -> bool {
        self.options().form != Form::Latent || self.conditionals.known.offset.len() == 1
    }

    fn information(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        criterion: Criterion,
    ) -> Result<(Option<Evaluation>, Vec<f64>), LikelihoodError> {
        let model = (covariance, values, nugget);
        if self.information_kind(criterion) != Information::Average {
            let found = self.conditionals.information(&mut self.flow, model, criterion)?;
            return Ok((Some(found.0), found.1));
        }
        let how = (criterion, false);
        let (evaluation, score) = self.score(covariance, values, nugget, how, &|_| true)?;
        Ok((Some(evaluation), score.expect("it was wanted").information))
    }

    fn information_kind(&self, criterion: Criterion) -> Information {
        match self.options().form {
            Form::Latent => Information::Average,
            Form::Response | Form::Grouped => information::kind(criterion),
        }
    }

    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, loglik): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let Self { flow, conditionals } = self;
        let model = (covariance, values, nugget);
        let more = conditionals.with_more_neighbours(flow, model)?;
        Ok(Some(more.value(criterion) - loglik))
    }
}

impl Resolve for VecchiaLikelihood {
    fn as_evaluate(&mut self) -> &mut dyn Evaluate {
        self
    }

    /// # Panics
    /// In the latent form with noise, which does not sum over columns.
    fn gram(
        &mut self,
        (covariance, values, nugget): (&Covariance, &[f64], f64),
        columns: &[Vec<f64>],
        _is_factored: bool,
    ) -> Result<(f64, Vec<f64>), LikelihoodError> {
        assert!(self.noise(values, nugget).is_none(), "columns of the latent form");
        let Self { flow, conditionals } = self;
        let law = conditionals.law(flow, covariance, (values, nugget))?;
        let Conditionals { known, blocks, .. } = conditionals;
        let made = known.gram(flow, &law, blocks, columns);
        let mut made = made.map_err(|error| known.failure(error))?;
        let logdet = made.remove(0);
        Ok((logdet, made))
    }

    fn set_values(&mut self, values: &[f64]) -> Result<(), LikelihoodError> {
        let Self { flow, conditionals: Conditionals { known, .. } } = self;
        let ordered = known.ordered.given.iter().map(|&given| values[given as usize]).collect();
        known.replace(flow, &[ordered]).map_err(|error| known.failure(error))
    }
}
