//! What neighbours tell of another likelihood: the information on parameters where it has no
//! derivatives, and a surrogate for it in a search.
//!
//! Second differences would need a likelihood that is smooth to far more digits than an
//! approximation has where two parameters are hardly told apart; the conditionals of groups of
//! places have derivatives, and approximate the exact likelihood as well.

use tegula_runtime::flow::Flow;

use super::conditionals::Conditionals;
use super::information::kind;
use super::{Form, Ordering, Vecchia};
use crate::covariance::Covariance;
use crate::likelihood::{Criterion, Evaluate, Evaluation, Information, LikelihoodError, Score};
use crate::observations::Observations;

/// Neighbours of each place where the information of another likelihood is by them.
pub const REFERENCE_NEIGHBOURS: usize = 60;

/// One set of observations, by neighbours. Every call is on the same flow.
#[derive(Debug)]
pub(crate) struct Neighbours {
    observations: Observations,
    /// In groups, made when they are first asked for.
    reference: Option<Conditionals>,
    /// So many, likewise.
    surrogate: Option<(usize, Conditionals)>,
}

impl Neighbours {
    /// Of these `observations`.
    pub(crate) fn new(observations: Observations) -> Self {
        Self { observations, reference: None, surrogate: None }
    }

    /// The information in the coordinates of [`Score::information`], at parameters with a nugget.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`].
    pub(crate) fn information(
        &mut self,
        flow: &mut Flow,
        model: (&Covariance, &[f64], f64),
        criterion: Criterion,
    ) -> Result<Vec<f64>, LikelihoodError> {
        Ok(self.reference(flow, model.0).information(flow, model, criterion)?.1)
    }

    /// The likelihood by as many neighbours.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        flow: &mut Flow,
        model: (&Covariance, &[f64], f64),
    ) -> Result<Evaluation, LikelihoodError> {
        self.reference(flow, model.0).evaluate(flow, model)
    }

    fn reference(&mut self, flow: &mut Flow, covariance: &Covariance) -> &mut Conditionals {
        let Self { observations, reference, .. } = self;
        reference.get_or_insert_with(|| {
            let grouped =
                Vecchia::new(REFERENCE_NEIGHBOURS, Ordering::Maximin).with_form(Form::Grouped);
            Conditionals::new(flow, observations, grouped.in_time(covariance.has_time()))
        })
    }

    /// The likelihood by so many neighbours of each place, with its score.
    pub(crate) fn surrogate<'a>(
        &'a mut self,
        flow: &'a mut Flow,
        covariance: &Covariance,
        neighbours: usize,
    ) -> Box<dyn Evaluate + 'a> {
        let Self { observations, surrogate, .. } = self;
        if surrogate.as_ref().is_some_and(|(known, _)| *known != neighbours) {
            *surrogate = None;
        }
        let (_, conditionals) = surrogate.get_or_insert_with(|| {
            let way = Vecchia::new(neighbours, Ordering::Maximin);
            let way = way.in_time(covariance.has_time());
            (neighbours, Conditionals::new(flow, observations, way))
        });
        Box::new(Surrogate { n: observations.len(), flow, conditionals })
    }

    /// Which information it is.
    pub(crate) fn kind(criterion: Criterion) -> Information {
        kind(criterion)
    }

    /// What the information is by, in words.
    pub(crate) fn source() -> String {
        format!(
            "what standard errors are by was worked out from {REFERENCE_NEIGHBOURS} neighbours of each place"
        )
    }
}

/// The likelihood by neighbours, on the flow of the one that it stands for.
struct Surrogate<'a> {
    n: usize,
    flow: &'a mut Flow,
    conditionals: &'a mut Conditionals,
}

impl Evaluate for Surrogate<'_> {
    fn n(&self) -> usize {
        self.n
    }

    fn flow(&mut self) -> &mut Flow {
        self.flow
    }

    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        self.conditionals.evaluate(self.flow, (covariance, values, nugget))
    }

    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        let model = (covariance, values, nugget);
        self.conditionals.evaluate_with_score(self.flow, model, how, is_wanted)
    }
}
