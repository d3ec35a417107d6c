//! What a likelihood has beyond its surrogate, as a quadratic through points where both are known.
//!
//! Of the quadratics that go through all of them the one with the smallest bend, in the metric of
//! the information (M. J. D. Powell, "Least Frobenius norm updating of quadratic models that
//! satisfy interpolation conditions", Math. Program. 100 (2004) 183-215). It is kriging: with the
//! covariance `K(u, v) = s u'v + 1/2 (u'v)^2` of steps `u` and `v` from the best point, in which
//! slopes vary much more than bends.

use super::{Point, Slope, dot, minus};
use crate::small::{backward, cholesky, forward, positive};

/// How much more slopes vary than bends, as a variance.
const SLOPES: f64 = 1e3;
/// What is added to the diagonal, relative to the mean of it: with more points than coefficients
/// the quadratic goes between them.
const NUGGET: f64 = 1e-10;

/// The quadratic, in steps from the best point.
pub(super) struct Beyond {
    slope: Vec<f64>,
    /// Its second derivatives, by columns.
    bend: Vec<f64>,
}

impl Beyond {
    /// Through as many of `points` as it has coefficients, those nearest to the first; `root` is
    /// that of the information.
    pub(super) fn of(points: &[Point], root: &[f64]) -> Self {
        let (here, n) = (&points[0], points[0].x.len());
        let mut near: Vec<(Vec<f64>, f64)> = points[1..]
            .iter()
            .map(|point| (white(root, &minus(&point.x, &here.x)), point.beyond() - here.beyond()))
            .collect();
        near.sort_by(|(a, _), (b, _)| dot(a, a).total_cmp(&dot(b, b)));
        near.truncate(n + n * (n + 1) / 2);
        let covariance = |a: usize, b: usize| {
            let product = dot(&near[a].0, &near[b].0);
            SLOPES * product + 0.5 * product * product
        };
        let count = near.len();
        let mean = (0..count).map(|k| covariance(k, k)).sum::<f64>() / count.max(1) as f64;
        let at = |a, b| covariance(a, b) + if a == b { NUGGET * mean } else { 0.0 };
        let factor = cholesky(count, at, |pivot| Some(pivot.max(NUGGET * mean)));
        let factor = factor.expect("no pivot is refused");
        let values: Vec<f64> = near.iter().map(|(_, value)| *value).collect();
        let weights = backward(&factor, count, &forward(&factor, count, &values));
        let (mut slope, mut bend) = (vec![0.0; n], vec![0.0; n * n]);
        for ((step, _), weight) in near.iter().zip(weights) {
            // Back to the coordinates: slopes by `L`, bends by `L` from both sides.
            let back: Vec<f64> =
                (0..n).map(|i| (0..=i).map(|k| root[i + k * n] * step[k]).sum()).collect();
            for j in 0..n {
                slope[j] += weight * SLOPES * back[j];
                (0..n).for_each(|i| bend[i + j * n] += weight * back[i] * back[j]);
            }
        }
        Self { slope, bend }
    }

    /// What it has risen after `step`.
    pub(super) fn at(&self, step: &[f64]) -> f64 {
        let bent: Vec<f64> = self.bend.chunks_exact(step.len()).map(|b| dot(b, step)).collect();
        dot(&self.slope, step) + 0.5 * dot(&bent, step)
    }

    /// The `slope` of the surrogate after `step` and that of this together; the information is that
    /// of the surrogate alone where both are not positive definite.
    pub(super) fn added_to(&self, slope: &Slope, step: &[f64]) -> Slope {
        let n = step.len();
        let bent = self.bend.chunks_exact(n).map(|bend| dot(bend, step));
        let own = slope.gradient.iter().zip(&self.slope);
        let gradient = own.zip(bent).map(|((g, own), bent)| g + own + bent).collect();
        let less: Vec<f64> = slope.information.iter().zip(&self.bend).map(|(h, b)| h - b).collect();
        let is_definite = cholesky(n, |i, j| less[i + j * n], positive).is_some();
        Slope { gradient, information: if is_definite { less } else { slope.information.clone() } }
    }
}

/// `L' s`: a step in units of standard errors.
fn white(root: &[f64], step: &[f64]) -> Vec<f64> {
    let n = step.len();
    (0..n).map(|k| (k..n).map(|i| root[i + k * n] * step[i]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A surrogate without slope, and a quadratic beyond it.
    fn point(x: &[f64], beyond: impl Fn(&[f64]) -> f64) -> Point {
        let slope = Slope { gradient: vec![0.0; 2], information: vec![40.0, 12.0, 12.0, 9.0] };
        Point { x: x.to_vec(), loglik: 3.0 + beyond(x), value: 3.0, slope }
    }

    #[test]
    fn a_linear_difference_is_found_from_a_step_for_each_coordinate() {
        let linear = |x: &[f64]| 0.7 * x[0] - 1.3 * x[1];
        let points = [[0.0, 0.0], [0.1, 0.0], [-0.1, 0.2]].map(|x| point(&x, linear));
        let found = Beyond::of(&points, &points[0].slope.root());
        for step in [[0.3, 0.1], [-0.2, 0.4]] {
            let (found, wanted) = (found.at(&step), linear(&step));
            assert!((found - wanted).abs() < 0.02 * wanted.abs(), "{found}, not {wanted}");
        }
    }

    #[test]
    fn a_quadratic_difference_is_found_from_as_many_points_as_it_has_coefficients() {
        let quadratic = |x: &[f64]| {
            0.7 * x[0] - 1.3 * x[1] + 2.0 * x[0] * x[0] - 3.0 * x[0] * x[1] + x[1] * x[1]
        };
        let at = [[0.0, 0.0], [0.1, 0.0], [-0.1, 0.2], [0.0, -0.2], [0.2, 0.3], [-0.2, 0.1]];
        let points = at.map(|x| point(&x, quadratic));
        let found = Beyond::of(&points, &points[0].slope.root());
        for step in [[0.3, 0.1], [-0.2, 0.4]] {
            let (rise, wanted) = (found.at(&step), quadratic(&step));
            assert!((rise - wanted).abs() < 1e-4, "{rise}, not {wanted}");
            let slope = found.added_to(&points[0].slope, &step);
            let by_first = 0.7 + 4.0 * step[0] - 3.0 * step[1];
            assert!((slope.gradient[0] - by_first).abs() < 1e-3, "{slope:?}, not {by_first}");
            assert!((slope.information[0] - 36.0).abs() < 1e-2, "{slope:?}");
        }
    }
}
