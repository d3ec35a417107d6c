//! The likelihood with one taper, by a factorisation of a band of tiles.

use tegula_runtime::flow::Flow;

use super::{Dst, band, longest, order, taper};
use crate::covariance::Covariance;
use crate::differences;
use crate::likelihood::{Criterion, Evaluate, Evaluation, Information, LikelihoodError, Score};
use crate::mixed::Tiled;
use crate::observations::Observations;
use crate::vecchia::Neighbours;

/// What became of the tiles of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Tiles below the diagonal.
    pub tiles: usize,
    /// Of them zero.
    pub zero: usize,
    /// Bytes of the factor.
    pub bytes: u64,
}

/// Evaluates the likelihood of one set of observations under a taper, as often as wanted, on one
/// flow.
///
/// The taper is of distances as covariances measure them: of one that depends on direction, those
/// along its angle, or its first axis.
#[derive(Debug)]
pub struct DstLikelihood {
    tiled: Tiled,
    dst: Dst,
    neighbours: Neighbours,
    band: Option<Band>,
}

impl DstLikelihood {
    /// Prepares evaluations of `observations` on `flow`.
    ///
    /// # Panics
    /// If the range is not above 0, or [too long](longest), or tiles are empty.
    #[must_use]
    pub fn new(flow: Flow, observations: &Observations, dst: Dst) -> Self {
        let most = longest(observations.points.geometry()).unwrap_or(f64::MAX);
        assert!(dst.range > 0.0 && dst.range <= most, "a taper of range {}", dst.range);
        let along = observations.subset(&order(&observations.points));
        let tiled = Tiled::new(flow, &along, dst.nb);
        Self { tiled, dst, neighbours: Neighbours::new(along), band: None }
    }

    /// What became of the tiles in the last evaluation.
    #[must_use]
    pub fn band(&self) -> Option<Band> {
        self.band
    }

    /// Evaluates with the taper.
    fn evaluate_tapered(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let Self { tiled, dst: Dst { nb, range }, band, .. } = self;
        let (n, nt) = (tiled.n(), tiled.nt());
        let law = covariance.law(tiled.geometry(), values, nugget)?;
        let table = taper::tapered(law.table(), covariance.is_compact, *range);
        let map = band::tiles(&law.places(&tiled.points), *nb, *range);
        let law = law.with_table(table);
        let (tiles, zero) = (nt * nt.saturating_sub(1) / 2, map.zero_tiles());
        tiled.set(&law).map_err(LikelihoodError::Flow)?;
        let failed = |error| LikelihoodError::from_flow(error, n);
        let (evaluation, bytes) = tiled.evaluate(map).map_err(failed)??;
        *band = Some(Band { tiles, zero, bytes });
        Ok(evaluation)
    }
}

impl Evaluate for DstLikelihood {
    fn n(&self) -> usize {
        self.tiled.n()
    }

    fn flow(&mut self) -> &mut Flow {
        &mut self.tiled.flow
    }

    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        self.evaluate_tapered(covariance, values, nugget)
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
        Ok((None, self.neighbours.information(&mut self.tiled.flow, model, criterion)?))
    }

    fn information_kind(&self, criterion: Criterion) -> Information {
        Neighbours::kind(criterion)
    }

    fn information_source(&self) -> Option<String> {
        Some(Neighbours::source())
    }

    /// By many neighbours of each place, without a taper.
    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, loglik): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let model = (covariance, values, nugget);
        let near = self.neighbours.evaluate(&mut self.tiled.flow, model)?;
        Ok(Some(near.value(criterion) - loglik))
    }

    fn remark(&self) -> Option<String> {
        let (Band { tiles, zero, bytes }, n) = (self.band?, self.tiled.n() as f64);
        Some(format!(
            "tiles of order {}: {zero} of {tiles} below the diagonal zero; the factor takes {:.0} % \
             of a dense one",
            self.dst.nb,
            100.0 * bytes as f64 / (4.0 * n * (n + self.dst.nb as f64)).max(1.0),
        ))
    }
}
