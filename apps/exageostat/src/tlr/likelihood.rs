//! The likelihood by a tile low-rank factorisation.
//!
//! `l = -1/2 (n ln 2 pi + ln |C| + r' C^-1 r)` as the exact one, with `C + E` for `C`, of which
//! tiles below the diagonal are off by no more than the accuracy; nothing is added to the diagonal.

use tegula_linalg::{Ranks, TlrFactor, potrf_tlr, trsm_tlr};
use tegula_runtime::flow::{Flow, FlowError};

use super::{FINER, Tlr, order};
use crate::covariance::{Covariance, Law};
use crate::differences;
use crate::generation::{Entries, Mapped};
use crate::likelihood::{Criterion, Evaluate, Evaluation, Information, LikelihoodError, Score};
use crate::observations::Observations;
use crate::sums::Sums;
use crate::vecchia::Neighbours;

/// Evaluates the likelihood of one set of observations by tiles of low rank, as often as wanted, on
/// one flow.
///
/// Every tile is the same sum in the same order, so that results are the same with any number of
/// workers.
#[derive(Debug)]
pub struct TlrLikelihood {
    flow: Flow,
    tlr: Tlr,
    n: usize,
    entries: Entries,
    /// The places along the curve, a handle per row of tiles.
    places: Mapped,
    sums: Sums,
    neighbours: Neighbours,
    /// What became of the tiles of the last factor.
    ranks: Option<Ranks>,
}

impl TlrLikelihood {
    /// Prepares evaluations of `observations` on `flow`.
    ///
    /// # Panics
    /// If the accuracy is not above 0, or tiles are empty.
    #[must_use]
    pub fn new(mut flow: Flow, observations: &Observations, tlr: Tlr) -> Self {
        assert!(tlr.accuracy > 0.0, "an accuracy of {}", tlr.accuracy);
        let observations = observations.subset(&order(&observations.points));
        let (n, nb) = (observations.len(), tlr.nb);
        Self {
            tlr,
            n,
            entries: Entries::new(&mut flow, observations.points.geometry()),
            places: Mapped::new(&mut flow, &observations.points, nb),
            sums: Sums::new(&mut flow, &observations, nb),
            neighbours: Neighbours::new(observations),
            ranks: None,
            flow,
        }
    }

    /// What it was made with.
    #[must_use]
    pub fn options(&self) -> Tlr {
        self.tlr
    }

    /// What became of the tiles in the last evaluation.
    #[must_use]
    pub fn ranks(&self) -> Option<Ranks> {
        self.ranks
    }

    /// Evaluates with an accuracy.
    pub(super) fn evaluate_to(
        &mut self,
        accuracy: f64,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let law = covariance.law(self.entries.geometry, values, nugget)?;
        let n = self.n;
        let failed = |error| match LikelihoodError::from_flow(error, n) {
            LikelihoodError::NotPositiveDefinite { .. } => LikelihoodError::TooCoarse { accuracy },
            error => error,
        };
        self.run(&law, nugget, accuracy).map_err(failed)?
    }

    /// The evaluation of a law with its nugget, to an accuracy.
    fn run(
        &mut self,
        law: &Law,
        nugget: f64,
        accuracy: f64,
    ) -> Result<Result<Evaluation, LikelihoodError>, FlowError> {
        self.entries.set(&mut self.flow, law)?;
        self.places.set(&mut self.flow, law)?;
        self.sums.reset(&mut self.flow)?;
        // Of variables of different scale that of the least: no tile is too coarse for it.
        let variances = law.variances(self.places.points());
        let least = variances.into_iter().fold(f64::INFINITY, f64::min);
        let tolerance = accuracy * (least + nugget);
        let factor = self.factorise(tolerance)?;
        self.ranks = Some(factor.ranks());
        let Self { flow, sums, .. } = self;
        sums.determinant(flow, |k| factor.diagonal(k));
        flow.phase("solve");
        trsm_tlr(flow, &factor, sums.rhs());
        sums.dot(flow);
        factor.retire(flow);
        sums.evaluate(flow)
    }

    /// The factor of the covariance matrix, of which tiles are off by at most `tolerance`.
    fn factorise(&mut self, tolerance: f64) -> Result<TlrFactor, FlowError> {
        let Self { flow, n, tlr: Tlr { nb, .. }, entries, places, .. } = self;
        let (n, nb) = (*n, *nb);
        let rows = |i: usize| nb.min(n - i * nb);
        let places = places.blocks();
        potrf_tlr(flow, (n, nb), tolerance, |flow, (i, j), tile| {
            flow.phase("generation");
            let shape = (rows(i), rows(j));
            let handles = [places[i], places[j], tile];
            entries.within::<f64>(flow, (shape, (i * nb, j * nb)), handles, 0);
        })
    }
}

impl Evaluate for TlrLikelihood {
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
        self.evaluate_to(self.tlr.accuracy, covariance, values, nugget)
    }

    /// By differences.
    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        differences::score(self, covariance, (values, nugget), how, is_wanted)
    }

    fn has_score(&self) -> bool {
        false
    }

    fn information(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        criterion: Criterion,
    ) -> Result<(Option<Evaluation>, Vec<f64>), LikelihoodError> {
        let model = (covariance, values, nugget);
        Ok((None, self.neighbours.information(&mut self.flow, model, criterion)?))
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

    fn information_kind(&self, criterion: Criterion) -> Information {
        Neighbours::kind(criterion)
    }

    fn information_source(&self) -> Option<String> {
        Some(Neighbours::source())
    }

    /// With a tenth of the accuracy, which makes most of the difference to the exact one.
    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, loglik): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let ranks = self.ranks;
        let finer = self.evaluate_to(FINER * self.tlr.accuracy, covariance, values, nugget)?;
        self.ranks = ranks;
        Ok(Some(finer.value(criterion) - loglik))
    }

    fn remark(&self) -> Option<String> {
        let Ranks { tiles, dense, largest, mean, bytes, dense_bytes } = self.ranks?;
        Some(format!(
            "tiles of order {}: {} of {tiles} below the diagonal of low rank, {mean:.1} in the mean \
             and {largest} at most; the factor takes {:.0} % of a dense one",
            self.tlr.nb,
            tiles - dense,
            100.0 * bytes as f64 / dense_bytes.max(1) as f64,
        ))
    }
}
