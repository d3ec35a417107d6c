//! A trust-region search with the gradient and the average information of the log-likelihood.
//!
//! A step maximises the quadratic model that they make within the bounds and a cube around the best
//! point, in logarithms of the parameters; the cube grows and shrinks with how well the model
//! foretold what was gained (J. Nocedal, S. J. Wright, "Numerical optimization", 2nd edition,
//! algorithm 4.1; average information for the second derivatives: A. R. Gilmour, R. Thompson, B. R.
//! Cullis, "Average information REML", Biometrics 51 (1995) 1440-1450). The score costs
//! more than the likelihood, so it is made only of points that are better than those before.
//!
//! What the second derivatives have beside the average information is learned from how gradients
//! change ([`Beside`]); without it steps along the ridge of range and smoothness overshoot by as
//! much as they gain.

mod beside;

use beside::Beside;

use super::region::Ending;
use super::search::Search;
use super::{FitError, Information, Optimizer};
use crate::likelihood::Score;
use crate::small::{backward, cholesky, forward};

/// Half the edge of the first cube, in logarithms of the parameters.
const FIRST_RADIUS: f64 = 1.0;
/// The largest one.
pub(super) const LARGEST_RADIUS: f64 = 3.0;
/// The share of what was foretold beyond which the cube grows.
const GOOD: f64 = 0.75;
/// A step that would gain less in log-likelihood is not made.
const NEGLIGIBLE: f64 = 1e-8;
/// Steps in turn that leave the nugget at its least before the search ends there.
const STAYS: usize = 1;

/// The log-likelihood around a point, as far as derivatives tell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slope {
    /// Its gradient.
    pub(crate) gradient: Vec<f64>,
    /// Minus its second derivatives, or what stands for them: positive semidefinite, by columns.
    pub(crate) information: Vec<f64>,
}

impl Slope {
    /// What the step `s` gains: `g' s - 1/2 s' H s`.
    pub(crate) fn gain(&self, s: &[f64]) -> f64 {
        let bent = self.times(s);
        s.iter().zip(&self.gradient).zip(bent).map(|((s, g), b)| s * (g - 0.5 * b)).sum()
    }

    /// `H s`.
    pub(crate) fn times(&self, s: &[f64]) -> Vec<f64> {
        let n = s.len();
        (0..n).map(|i| (0..n).map(|j| self.information[i + j * n] * s[j]).sum()).collect()
    }

    /// The step between `low` and `high`, 0 between them, that gains most: by steps to the maximum
    /// over the coordinates that are free, each as far as the first bound (Nocedal and Wright,
    /// algorithm 16.3).
    pub(crate) fn step(&self, low: &[f64], high: &[f64]) -> Vec<f64> {
        let n = low.len();
        let (mut s, mut is_held) = (vec![0.0; n], vec![false; n]);
        // Each coordinate is held or freed a few times at most.
        for _ in 0..20 * n {
            let rest: Vec<f64> = (0..n).map(|i| self.slope_at(&s, i)).collect();
            let free: Vec<usize> = (0..n).filter(|&i| !is_held[i]).collect();
            let way = self.solve(&free, &rest);
            let reach = |(&i, way): (&usize, &f64)| {
                let room = if *way > 0.0 { high[i] - s[i] } else { s[i] - low[i] };
                (i, if *way == 0.0 { f64::INFINITY } else { room / way.abs() })
            };
            let nearest = free.iter().zip(&way).map(reach);
            let first = nearest.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|first| first.1 < 1.0);
            let length = first.map_or(1.0, |first| first.1);
            for (&i, way) in free.iter().zip(&way) {
                s[i] = (s[i] + length * way).clamp(low[i], high[i]);
            }
            if let Some((i, _)) = first {
                is_held[i] = true;
                s[i] = if high[i] - s[i] < s[i] - low[i] { high[i] } else { low[i] };
                continue;
            }
            // One that would gain by leaving its bound.
            let pull = |i: usize| {
                let slope = self.slope_at(&s, i);
                if s[i] == high[i] { -slope } else { slope }
            };
            let held = (0..n).filter(|&i| is_held[i] && low[i] < high[i]);
            let worst = held.max_by(|&i, &j| pull(i).total_cmp(&pull(j)));
            match worst.filter(|&i| pull(i) > 1e-12 * self.gradient[i].abs()) {
                Some(i) => is_held[i] = false,
                None => break,
            }
        }
        s
    }

    /// The lower factor `L` of the information `L L'`, pivots raised to what rounding leaves.
    pub(super) fn root(&self) -> Vec<f64> {
        let n = self.gradient.len();
        let largest = (0..n).fold(0.0_f64, |most, i| most.max(self.information[i * (n + 1)]));
        let least = 1e-12 * largest + f64::MIN_POSITIVE.sqrt();
        let entry = |i: usize, j: usize| self.information[i + j * n];
        cholesky(n, entry, |pivot| Some(pivot.max(least))).expect("no pivot is refused")
    }

    /// The slope along coordinate `i` after the step `s`.
    fn slope_at(&self, s: &[f64], i: usize) -> f64 {
        let n = s.len();
        self.gradient[i] - (0..n).map(|j| self.information[i + j * n] * s[j]).sum::<f64>()
    }

    /// What solves the part of `H s = rest` in the coordinates `free`, by Cholesky's factorisation
    /// of a matrix with a little more on its diagonal, so that a ridge has a length.
    fn solve(&self, free: &[usize], rest: &[f64]) -> Vec<f64> {
        let (n, m) = (rest.len(), free.len());
        let largest = free.iter().fold(0.0_f64, |most, &i| most.max(self.information[i * (n + 1)]));
        let more = 1e-13 * largest + f64::MIN_POSITIVE.sqrt();
        let entry = |i: usize, j: usize| {
            self.information[free[i] + free[j] * n] + if i == j { more } else { 0.0 }
        };
        let l = cholesky(m, entry, |pivot| Some(pivot.max(more))).expect("no pivot is refused");
        let rest: Vec<f64> = free.iter().map(|&i| rest[i]).collect();
        backward(&l, m, &forward(&l, m, &rest))
    }
}

impl Search<'_> {
    /// Maximises the likelihood from `x`, where it has a value, until no step within the bounds
    /// gains anything or steps are as short as `accuracy`; or until the nugget stays at its least,
    /// if the search is to end there.
    ///
    /// # Errors
    /// If it was told to end, or the likelihood fails for a reason other than the parameters.
    pub(super) fn climb(&mut self, mut x: Vec<f64>, accuracy: f64) -> Result<Ending, FitError> {
        let ending = |converged| Ok(Ending { converged, accuracy });
        let (nugget, mut stays) = (self.region.space.nugget(), 0);
        let (lower, upper) = (self.region.space.lower.clone(), self.region.space.upper.clone());
        let mut radius = FIRST_RADIUS;
        let Some(slope) = self.slope(&x)? else { return ending(false) };
        let mut slope = self.with_expected(&x, slope)?;
        let mut beside = Beside::new(x.len(), nugget);
        loop {
            let model = beside.added_to(&slope);
            let within = |bounds: &[f64], sign: f64| -> Vec<f64> {
                let room = bounds.iter().zip(&x).map(|(bound, x)| bound - x);
                room.map(|room| if sign > 0.0 { room.min(radius) } else { room.max(-radius) })
                    .collect()
            };
            // Where it falls, the likelihood is more of a parabola in the nugget than in its
            // logarithm, and its share of the nugget is what the step is in.
            let falling = nugget.filter(|&nugget| model.gradient[nugget] < 0.0);
            let [mut low, mut high] = [within(&lower, -1.0), within(&upper, 1.0)];
            if let Some(place) = falling {
                (low[place], high[place]) = (low[place].exp_m1(), high[place].exp_m1());
            }
            let shares = model.step(&low, &high);
            let mut step = shares.clone();
            if let Some(place) = falling {
                step[place] = step[place].ln_1p();
            }
            let is_least = |&nugget: &usize| x[nugget] <= lower[nugget] && step[nugget] == 0.0;
            stays = if nugget.as_ref().is_some_and(is_least) { stays + 1 } else { 0 };
            if stays > STAYS && self.ends_at_least_nugget {
                return ending(false);
            }
            let foretold = model.gain(&shares);
            let length = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            if foretold < NEGLIGIBLE || length < accuracy {
                return ending(true);
            }
            if self.evaluations >= self.most {
                self.exhausted = true;
                return ending(false);
            }
            let before = self.region.loglik();
            self.region.weigh(foretold);
            if self.region.is_given_up {
                return ending(false);
            }
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + s).collect();
            let gained = match self.evaluate_with_slope(&next, before) {
                Ok((loglik, found)) => {
                    self.check()?;
                    if let Some(found) = found {
                        let found = self.with_expected(&next, found)?;
                        beside.learn((&slope, &found), (&step, &shares), loglik - before);
                        (slope, x) = (found, next);
                    }
                    loglik - before
                }
                Err(error) if error.is_numerical() => f64::NEG_INFINITY,
                Err(error) => return Err(error.into()),
            };
            self.check()?;
            let ratio = gained / foretold;
            if ratio < 0.25 {
                radius = 0.25 * length;
            } else if ratio > GOOD && length > 0.99 * radius {
                radius = (2.0 * radius).min(LARGEST_RADIUS);
            }
        }
    }
}

impl Search<'_> {
    /// The `slope` at `x`, the best point, with the expected information if steps are by that.
    ///
    /// # Errors
    /// As [`climb`](Self::climb).
    fn with_expected(&mut self, x: &[f64], slope: Slope) -> Result<Slope, FitError> {
        let kind = self.likelihood.information_kind(self.criterion);
        if self.optimizer != Optimizer::FisherScoring || kind != Information::Expected {
            return Ok(slope);
        }
        self.inform(x)?;
        let best = self.region.best.as_ref().filter(|best| best.x == x);
        let parts = best.and_then(|best| best.score.clone().zip(best.information.clone()));
        let Some((score, information)) = parts else { return Ok(slope) };
        Ok(self.region.space.slope(&Score { information, ..score }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_at_the_maximum_or_at_bounds() {
        let slope = Slope { gradient: vec![3.0, -1.0], information: vec![2.0, 0.5, 0.5, 1.0] };
        let free = slope.step(&[-10.0; 2], &[10.0; 2]);
        let held = slope.step(&[0.0, -2.0], &[0.0, 0.0]);
        assert!(held[0] == 0.0 && (held[1] + 1.0).abs() < 1e-9, "no room for the first: {held:?}");
        // H s = g.
        assert!((2.0 * free[0] + 0.5 * free[1] - 3.0).abs() < 1e-9, "{free:?}");
        assert!((0.5 * free[0] + free[1] + 1.0).abs() < 1e-9, "{free:?}");
        let bound = slope.step(&[-10.0, -1.0], &[10.0; 2]);
        assert_eq!(bound[1], -1.0);
        assert!((2.0 * bound[0] - 0.5 - 3.0).abs() < 1e-9, "{bound:?}");
        assert!(slope.gain(&bound) < slope.gain(&free) && slope.gain(&bound) > 0.0);
    }

    #[test]
    fn a_step_along_a_ridge_comes_to_its_end() {
        // Two coordinates that are told apart by a millionth only.
        let slope =
            Slope { gradient: vec![1.0, 1.0], information: vec![1.0, 0.999_999, 0.999_999, 1.0] };
        let step = slope.step(&[-10.0; 2], &[10.0; 2]);
        assert!((slope.gain(&step) - 0.5 * (step[0] + step[1])).abs() < 1e-9, "{step:?}");
        let flat = Slope { gradient: vec![1.0], information: vec![0.0] };
        assert_eq!(flat.step(&[-2.0], &[2.0]), [2.0]);
    }
}
