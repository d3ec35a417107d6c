//! The likelihood of a Tukey g-and-h field as one of the parameters of the covariance alone: mean,
//! scale, `g` and `h` are at their best under each, as the mean is in that of a Gaussian field.
//!
//! One factorisation is made for each covariance. Under it the best of the rest are found by
//! Newton's method in a trust region: gradient and second derivatives are products of columns with
//! the inverse, which cost solves. Since the rest is at its best, the gradient by the covariance's
//! parameters is that of the Gaussian likelihood of what the values become.

use tegula_runtime::flow::Flow;

use super::margin::{Gaussian, Margin};
use crate::covariance::Covariance;
use crate::fit::Slope;
use crate::likelihood::{
    Criterion, Evaluate, Evaluation, Information, LikelihoodError, Resolve, Score,
};

/// Largest change of a coordinate in the first step.
const FIRST_RADIUS: f64 = 0.5;
/// A step that would gain less in log-likelihood is not made.
const NEGLIGIBLE: f64 = 1e-10;
/// Shortest step.
const SHORTEST: f64 = 1e-10;
/// Most steps under one covariance.
const MOST_STEPS: usize = 100;

/// A covariance with its parameters, the variance 1, and the share of the noise.
pub(super) type At<'a> = (&'a Covariance, &'a [f64], f64);

/// The likelihood of a Tukey g-and-h field. Its covariance is that of the Gaussian field, and its
/// variance must be 1.
///
/// In its evaluations `logdet` is less by twice the logarithm of the Jacobian, so that the
/// log-likelihood is that of the values.
pub struct TukeyLikelihood {
    inner: Box<dyn Resolve>,
    pub(super) margin: Margin,
    /// The best coordinates of the last evaluation, and of another if there is none yet.
    phi: Vec<f64>,
}

/// The best under one covariance.
pub(super) struct Peak {
    pub(super) evaluation: Evaluation,
    /// What the values are there.
    pub(super) y: Vec<f64>,
    /// Minus the second derivatives by the coordinates that are searched.
    pub(super) information: Vec<f64>,
    /// The coordinates.
    pub(super) phi: Vec<f64>,
}

/// The likelihood at some coordinates.
struct Look {
    loglik: f64,
    evaluation: Evaluation,
    gaussian: Gaussian,
    slope: Slope,
}

impl TukeyLikelihood {
    /// The likelihood of what `margin` describes by `inner`, which is of
    /// [`Margin::first_observations`].
    ///
    /// # Panics
    /// If they differ in length.
    #[must_use]
    pub fn new(inner: Box<dyn Resolve>, margin: Margin) -> Self {
        assert_eq!(inner.n(), margin.len(), "values");
        let phi = margin.start().to_vec();
        Self { inner, margin, phi }
    }

    /// The likelihood at `phi`; none where a value is outside the support.
    fn look(
        &mut self,
        at: At<'_>,
        phi: &[f64],
        is_factored: bool,
    ) -> Result<Option<Look>, LikelihoodError> {
        let Some(gaussian) = self.margin.gaussian(phi) else { return Ok(None) };
        let (bends, jacobian) = self.margin.bends(phi, &gaussian);
        let q = gaussian.slopes.len();
        let columns: Vec<Vec<f64>> =
            [gaussian.y.clone()].into_iter().chain(gaussian.slopes.clone()).chain(bends).collect();
        let (logdet, gram) = self.inner.gram(at, &columns, is_factored)?;
        let width = columns.len();
        let entry = |i: usize, j: usize| gram[i + j * width];
        let gradient = (0..q).map(|k| gaussian.pull[k] - entry(0, k + 1)).collect();
        let mut information = vec![0.0; q * q];
        for b in 0..q {
            for a in 0..=b {
                let pair = b * (b + 1) / 2 + a;
                let bend = entry(a + 1, b + 1) + entry(0, 1 + q + pair) - jacobian[pair];
                (information[a + b * q], information[b + a * q]) = (bend, bend);
            }
        }
        let evaluation = Evaluation {
            n: self.margin.len(),
            replicates: 1,
            logdet: logdet - 2.0 * gaussian.log_jacobian,
            quadratic: entry(0, 0),
            coefficients: Vec::new(),
            coefficient_covariance: Vec::new(),
        };
        let (loglik, slope) = (evaluation.loglik(), Slope { gradient, information });
        Ok(loglik.is_finite().then_some(Look { loglik, evaluation, gaussian, slope }))
    }

    /// The best coordinates under a covariance.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`].
    pub(super) fn peak(&mut self, at: At<'_>) -> Result<Peak, LikelihoodError> {
        let (free, mut phi) = (self.margin.free(), self.phi.clone());
        let last = self.margin.scale() + 2;
        let mut here = self.look(at, &phi, false)?.ok_or(LikelihoodError::Scale)?;
        let mut radius = FIRST_RADIUS;
        for _ in 0..MOST_STEPS {
            let low: Vec<f64> = free
                .iter()
                .map(|&k| if k == last { (-phi[k]).max(-radius) } else { -radius })
                .collect();
            let step = here.slope.step(&low, &vec![radius; free.len()]);
            let foretold = here.slope.gain(&step);
            let length = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            if foretold < NEGLIGIBLE || length < SHORTEST {
                break;
            }
            let mut next = phi.clone();
            free.iter().zip(&step).for_each(|(&k, s)| next[k] += s);
            next[last] = next[last].max(0.0);
            let found = self.look(at, &next, true)?;
            let gained = found.as_ref().map_or(f64::NEG_INFINITY, |look| look.loglik - here.loglik);
            if gained < 0.25 * foretold {
                radius = 0.25 * length;
            } else if gained > 0.75 * foretold && length > 0.99 * radius {
                radius *= 2.0;
            }
            if let Some(found) = found.filter(|_| gained > 0.0) {
                (here, phi) = (found, next);
            }
        }
        self.phi.clone_from(&phi);
        let Look { evaluation, gaussian, slope, .. } = here;
        Ok(Peak { evaluation, y: gaussian.y, information: slope.information, phi })
    }

    /// Whether the scale is searched.
    fn has_free_scale(&self) -> bool {
        self.margin.free().contains(&self.margin.scale())
    }
}

impl Evaluate for TukeyLikelihood {
    fn n(&self) -> usize {
        self.margin.len()
    }

    fn flow(&mut self) -> &mut Flow {
        self.inner.flow()
    }

    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        Ok(self.peak((covariance, values, nugget))?.evaluation)
    }

    /// The average information is that of the Gaussian values, less what is lost since their scale
    /// is not known.
    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        _how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        let Peak { evaluation, y, .. } = self.peak((covariance, values, nugget))?;
        if !is_wanted(&evaluation) {
            return Ok((evaluation, None));
        }
        self.inner.set_values(&y)?;
        let how = (Criterion::Full, false);
        let (_, score) = self.inner.score(covariance, values, nugget, how, &|_| true)?;
        let score = score.map(|score| match self.has_free_scale() {
            true => less_scale(score, nugget),
            false => score,
        });
        Ok((evaluation, score))
    }

    fn remark(&self) -> Option<String> {
        self.inner.remark()
    }

    fn information_kind(&self, _criterion: Criterion) -> Information {
        Information::Average
    }

    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        (criterion, _): (Criterion, f64),
    ) -> Result<Option<f64>, LikelihoodError> {
        let y = self.peak((covariance, values, nugget))?.y;
        self.inner.set_values(&y)?;
        let gaussian = self.inner.evaluate(covariance, values, nugget)?.value(criterion);
        self.inner.error_estimate(covariance, values, nugget, (criterion, gaussian))
    }
}

/// The score where variance and nugget may be multiplied by any number: of the other coordinates
/// the information is less by what they have in common with that (the Schur complement).
fn less_scale(mut score: Score, nugget: f64) -> Score {
    let count = score.gradient.len();
    let entry = |j: usize, k: usize| score.information[j + k * count];
    let along: Vec<f64> = (0..count).map(|j| entry(j, 0) + nugget * entry(j, count - 1)).collect();
    let own = along[0] + nugget * along[count - 1];
    if own > 0.0 {
        for k in 1..count {
            for j in 1..count {
                score.information[j + k * count] -= along[j] * along[k] / own;
            }
        }
    }
    score
}
