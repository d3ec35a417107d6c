//! The part of the likelihood of a Tukey g-and-h field that the covariance does not tell: what
//! values become under its mean, scale, `g` and `h`, and how that changes with them.

use crate::design::Design;
use crate::observations::Observations;
use crate::transform::TukeyGh;

/// Probability at which skewness is read off the values to begin with, by its normal quantile.
const LETTER: (f64, f64) = (0.9, 1.281_551_565_544_600_4);
/// Heaviness of the tails to begin with.
const FIRST_H: f64 = 0.05;
/// Most skewness to begin with.
const MOST_G: f64 = 0.7;
/// What second derivatives are differences over.
const STEP: f64 = 1e-5;

/// What is known of the distribution of the values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// The scale.
    pub omega: Option<f64>,
    /// The function.
    pub function: Option<TukeyGh>,
}

/// The values with the columns of their mean, and what is searched of how they are distributed.
///
/// Its coordinates are a coefficient for each column, the logarithm of the scale, `g` and `h`.
#[derive(Clone, Debug)]
pub struct Margin {
    values: Vec<f64>,
    /// Orthonormal columns of the mean, times `unit`.
    columns: Vec<Vec<f64>>,
    /// So that coefficients are of order 1.
    unit: f64,
    is_free: Vec<bool>,
    start: Vec<f64>,
}

/// What the values have become at some coordinates.
pub(super) struct Gaussian {
    /// The Gaussian values.
    pub(super) y: Vec<f64>,
    /// Their derivatives by each coordinate that is searched.
    pub(super) slopes: Vec<Vec<f64>>,
    /// `-sum ln tau'(y) - n ln omega`.
    pub(super) log_jacobian: f64,
    /// Its derivatives by these coordinates.
    pub(super) pull: Vec<f64>,
}

impl Margin {
    /// Of `observations`, as they were measured, with what is `known`.
    #[must_use]
    pub fn new(observations: &Observations, known: Known) -> Self {
        let (design, values) = (&observations.design, observations.values.clone());
        let (n, p) = (values.len(), design.columns());
        let (c, rest) = design.project(&values);
        let deviation = (rest.iter().map(|r| r * r).sum::<f64>() / n as f64).sqrt();
        let omega = known.omega.unwrap_or(deviation);
        let unit = omega * (n as f64).sqrt();
        let function = known.function.unwrap_or_else(|| guess(&rest));
        let mut start: Vec<f64> = c.iter().map(|c| c / unit).collect();
        start.extend([omega.ln(), function.g, function.h]);
        let is_searched = [known.omega.is_none(), known.function.is_none()];
        let mut is_free = vec![true; p];
        is_free.extend([is_searched[0], is_searched[1], is_searched[1]]);
        let column = |j: usize| design.q(j).iter().map(|q| unit * q).collect();
        Self { values, columns: (0..p).map(column).collect(), unit, is_free, start }
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Where the search starts.
    pub(super) fn start(&self) -> &[f64] {
        &self.start
    }

    /// The coordinates that are searched.
    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.is_free.len()).filter(|&k| self.is_free[k]).collect()
    }

    /// The place of the logarithm of the scale among the coordinates; `g` and `h` follow.
    pub(super) fn scale(&self) -> usize {
        self.columns.len()
    }

    /// The observations, at these places, that the values are at the start, with a mean of zero:
    /// what a fit reads its first guess off.
    ///
    /// # Panics
    /// If `of` are not the observations that it was made from.
    #[must_use]
    pub fn first_observations(&self, of: &Observations) -> Observations {
        assert_eq!(of.len(), self.len(), "observations");
        let y = self.gaussian(&self.start).map_or_else(|| self.values.clone(), |made| made.y);
        Observations::new(of.points.clone(), y, Design::zero(self.len()))
    }

    /// The coefficients of the orthonormal columns of the mean at `phi`.
    pub(super) fn coefficients(&self, phi: &[f64]) -> Vec<f64> {
        phi[..self.columns.len()].iter().map(|c| self.unit * c).collect()
    }

    /// The unit of those.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The scale and the function at `phi`.
    pub(super) fn function(&self, phi: &[f64]) -> (f64, TukeyGh) {
        let p = self.columns.len();
        (phi[p].exp(), TukeyGh { g: phi[p + 1], h: phi[p + 2] })
    }

    /// What the values are at `phi`; none if one of them is outside the support.
    pub(super) fn gaussian(&self, phi: &[f64]) -> Option<Gaussian> {
        let (n, p, free) = (self.len(), self.columns.len(), self.free());
        let (omega, function) = self.function(phi);
        if function.h < 0.0 {
            return None;
        }
        let mut slopes = vec![Vec::with_capacity(n); free.len()];
        let (mut y, mut log_jacobian) = (Vec::with_capacity(n), -(n as f64) * phi[p]);
        let mut pull: Vec<f64> =
            free.iter().map(|&k| if k == p { -(n as f64) } else { 0.0 }).collect();
        for (i, z) in self.values.iter().enumerate() {
            let mean: f64 = self.columns.iter().zip(phi).map(|(column, c)| c * column[i]).sum();
            let r = (z - mean) / omega;
            let at = function.inverse(r);
            let made = function.derivatives(at);
            let log_slope = function.log_slope(at);
            if !(at.is_finite() && log_slope.is_finite()) {
                return None;
            }
            log_jacobian -= log_slope;
            for (place, &k) in free.iter().enumerate() {
                // Of r less that of tau at the same y, and of ln tau' at the same y.
                let (change, own) = match k.checked_sub(p) {
                    None => (-self.columns[k][i] / omega, 0.0),
                    Some(0) => (-r, 0.0),
                    Some(1) => (-made.by_g, made.slope_by_g),
                    Some(_) => (-made.by_h, made.slope_by_h),
                };
                let slope = change / made.slope;
                slopes[place].push(slope);
                pull[place] -= own + made.curve * slope;
            }
            y.push(at);
        }
        Some(Gaussian { y, slopes, log_jacobian, pull })
    }

    /// Second derivatives, by differences, of the Gaussian values, as columns, and of the logarithm
    /// of the Jacobian, by the `a`-th and `b`-th coordinate that is searched, `a <= b`, pairs in
    /// the order of `b`, then `a`; 0 where there are none.
    pub(super) fn bends(&self, phi: &[f64], here: &Gaussian) -> (Vec<Vec<f64>>, Vec<f64>) {
        let (free, last) = (self.free(), self.columns.len() + 2);
        let (mut columns, mut jacobian) = (Vec::new(), Vec::new());
        for (b, &k) in free.iter().enumerate() {
            let at = |step: f64| {
                let mut there = phi.to_vec();
                there[k] += step;
                self.gaussian(&there)
            };
            // To one side at the end of the domain.
            let above = at(STEP);
            let below = if k == last && phi[k] < STEP { None } else { at(-STEP) };
            let width = if below.is_some() { 2.0 * STEP } else { STEP };
            let below = below.as_ref().unwrap_or(here);
            for a in 0..=b {
                let Some(above) = &above else {
                    columns.push(vec![0.0; self.len()]);
                    jacobian.push(0.0);
                    continue;
                };
                let pairs = above.slopes[a].iter().zip(&below.slopes[a]);
                columns.push(pairs.map(|(up, down)| (up - down) / width).collect());
                jacobian.push((above.pull[a] - below.pull[a]) / width);
            }
        }
        (columns, jacobian)
    }
}

/// A function whose quantiles are as skewed about the median as those of `rest`: Tukey's letter
/// values, `g = ln((q_hi - m)/(m - q_lo)) / z`.
fn guess(rest: &[f64]) -> TukeyGh {
    let mut sorted = rest.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let (share, z) = LETTER;
    let (low, middle, high) = (quantile(1.0 - share), quantile(0.5), quantile(share));
    let g = ((high - middle) / (middle - low)).ln() / z;
    TukeyGh { g: if g.is_finite() { g.clamp(-MOST_G, MOST_G) } else { 0.0 }, h: FIRST_H }
}
