//! The likelihood by a factorisation in two precisions.
//!
//! `l = -1/2 (n ln 2 pi + ln |C| + r' C^-1 r)` as the exact one; determinant, solve and dot product
//! are in 64 bits, on the factor in tiles of 64 and 32.

use tegula_linalg::PrecisionMap;
use tegula_runtime::flow::Flow;

use super::{FINER, Mixed, Tiled};
use crate::covariance::Covariance;
use crate::differences;
use crate::likelihood::{Criterion, Evaluate, Evaluation, Information, LikelihoodError, Score};
use crate::observations::Observations;
use crate::tlr::order;
use crate::vecchia::Neighbours;

/// By what covariances are multiplied so that they, and all that comes of them, round otherwise: no
/// power of two.
const OTHER_UNIT: f64 = 0.7;

/// What became of the tiles of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precisions {
    /// Tiles below the diagonal.
    pub tiles: usize,
    /// Of them in 32 bits.
    pub narrow: usize,
    /// Of those in 32 bits those of products that devices may make in TF32.
    pub rounded: usize,
    /// Of them zero: those of a covariance that is 0 from some distance on.
    pub zero: usize,
    /// Bytes of the factor.
    pub bytes: u64,
    /// Bytes that it would take with all tiles in 64 bits.
    pub dense_bytes: u64,
}

/// Evaluates the likelihood of one set of observations in mixed precision, as often as wanted, on
/// one flow.
///
/// Every tile is the same sum in the same order, so that results are the same with any number of
/// workers.
#[derive(Debug)]
pub struct MixedLikelihood {
    tiled: Tiled,
    mixed: Mixed,
    neighbours: Neighbours,
    precisions: Option<Precisions>,
}

impl MixedLikelihood {
    /// Prepares evaluations of `observations` on `flow`.
    ///
    /// # Panics
    /// If the accuracy is not above 0, or tiles are empty.
    #[must_use]
    pub fn new(flow: Flow, observations: &Observations, mixed: Mixed) -> Self {
        assert!(mixed.accuracy > 0.0, "an accuracy of {}", mixed.accuracy);
        let along = observations.subset(&order(&observations.points));
        let tiled = Tiled::new(flow, &along, mixed.nb);
        Self { tiled, mixed, neighbours: Neighbours::new(along), precisions: None }
    }

    /// What became of the tiles in the last evaluation.
    #[must_use]
    pub fn precisions(&self) -> Option<Precisions> {
        self.precisions
    }

    /// Evaluates with an accuracy.
    fn evaluate_to(
        &mut self,
        accuracy: f64,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let Self { tiled, mixed: Mixed { nb, .. }, precisions, .. } = self;
        let (n, nt) = (tiled.n(), tiled.nt());
        let law = covariance.law(tiled.geometry(), values, nugget)?;
        // Of variables of different scale that of the least: no tile is too coarse for it.
        let variances = law.variances(&tiled.points);
        let end = |pick: fn(f64, f64) -> f64, first| variances.iter().copied().fold(first, pick);
        let (least, most) = (end(f64::min, f64::INFINITY), end(f64::max, 0.0));
        tiled.set(&law).map_err(LikelihoodError::Flow)?;
        let norms = tiled.norms().map_err(LikelihoodError::Flow)?;
        let norm = |i: usize, j: usize| norms[i + j * nt];
        // Beyond the range of 32 bits nothing is rounded to them.
        let is_in_range = most + nugget <= f64::from(f32::MAX);
        let error = if is_in_range { accuracy * (least + nugget) } else { 0.0 };
        let map = PrecisionMap::within((nt, *nb), error, norm).with_zeros(|i, j| norm(i, j) == 0.0);
        let (narrow, rounded, zero) = (map.narrow_tiles(), map.rounded_tiles(), map.zero_tiles());
        let failed = |error| match LikelihoodError::from_flow(error, n) {
            LikelihoodError::NotPositiveDefinite { .. } if narrow > 0 => {
                LikelihoodError::Rounded { accuracy }
            }
            error => error,
        };
        let (evaluation, bytes) = tiled.evaluate(map).map_err(failed)??;
        let tiles = nt * nt.saturating_sub(1) / 2;
        let columns = (0..n).step_by(*nb).map(|first| n - first);
        let dense_bytes = columns.map(|rows| (8 * rows * rows.min(*nb)) as u64).sum();
        *precisions = Some(Precisions { tiles, narrow, rounded, zero, bytes, dense_bytes });
        Ok(evaluation)
    }
}

impl Evaluate for MixedLikelihood {
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
        self.evaluate_to(self.mixed.accuracy, covariance, values, nugget)
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

    fn has_surrogate(&self) -> bool {
        true
    }

    fn surrogate(
        &mut self,
        covariance: &Covariance,
        neighbours: usize,
    ) -> Option<Box<dyn Evaluate + '_>> {
        Some(self.neighbours.surrogate(&mut self.tiled.flow, covariance, neighbours))
    }

    fn information_kind(&self, criterion: Criterion) -> Information {
        Neighbours::kind(criterion)
    }

    fn information_source(&self) -> Option<String> {
        Some(Neighbours::source())
    }

    /// By a second evaluation that has nothing in common with the first but what is exact: to a
    /// tenth of the accuracy, in another unit, in which all numbers round otherwise. What it
    /// differs by, row of tiles by row of tiles, are as many samples of errors; rounding is nearly
    /// independent from row to row, and so the root of the sum of their squares tells of what
    /// order their sum is even where that happens to be small.
    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, _): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let first = self.evaluate(covariance, values, nugget)?.value(criterion);
        let precisions = self.precisions;
        let rows = self.tiled.by_rows(1.0).map_err(LikelihoodError::Flow)?;
        // Where no one variance multiplies all, the unit stays.
        let unit = if covariance.has_scale() { OTHER_UNIT } else { 1.0 };
        let mut others = values.to_vec();
        others[0] *= unit;
        let accuracy = FINER * self.mixed.accuracy;
        let other = self.evaluate_to(accuracy, covariance, &others, unit * nugget)?;
        self.precisions = precisions;
        let back = unit.recip();
        let other_rows = self.tiled.by_rows(back).map_err(LikelihoodError::Flow)?;
        let squares = rows.iter().zip(other_rows).map(|(one, other)| (other - one).powi(2));
        let difference = other.scaled(back).value(criterion) - first;
        Ok(Some(squares.sum::<f64>().sqrt().max(difference.abs()).copysign(difference)))
    }

    fn remark(&self) -> Option<String> {
        let Precisions { tiles, narrow, rounded, zero, bytes, dense_bytes } = self.precisions?;
        let zeros = if zero > 0 { format!(", {zero} zero") } else { String::new() };
        // Cores round nothing to TF32.
        let coarse = if self.tiled.flow.is_flat() || rounded == 0 {
            String::new()
        } else {
            format!(", {rounded} of them in TF32 on devices")
        };
        Some(format!(
            "tiles of order {}: {narrow} of {tiles} below the diagonal in 32 bits{coarse}{zeros}; the \
             factor takes {:.0} % of one in 64",
            self.mixed.nb,
            100.0 * bytes as f64 / dense_bytes.max(1) as f64,
        ))
    }
}
