//! What the second derivatives of a log-likelihood have beside the average information, by secants.
//!
//! With the step `s` between two points, the change `y` of the gradient there with the sign turned,
//! and the information `H` at the second, the matrix `S` is changed as little as is needed for `(H
//! + S) s = y`, by the symmetric update of J. E. Dennis, D. M. Gay, R. E. Welsch, "An adaptive
//! nonlinear least-squares algorithm", ACM Trans. Math. Software 7 (1981) 348-368, section 3, where
//! it stands beside the matrix of Gauss and Newton. It is used where it would have foretold the
//! last gain better than the information alone. By the logarithm of a nugget the second derivative
//! also has the first one, which is known: it is no part of `S`.

use super::Slope;
use crate::small::{cholesky, positive};

/// The matrix `S`.
pub(super) struct Beside {
    matrix: Vec<f64>,
    is_used: bool,
    /// The coordinate that is the nugget, if one is.
    nugget: Option<usize>,
}

impl Beside {
    /// None yet, for `n` coordinates, of which one may be the `nugget`.
    pub(super) fn new(n: usize, nugget: Option<usize>) -> Self {
        Self { matrix: vec![0.0; n * n], is_used: false, nugget }
    }

    /// `slope` with this, if it is to be used and leaves it positive definite.
    pub(super) fn added_to(&self, slope: &Slope) -> Slope {
        let added = self.sum(slope);
        let n = slope.gradient.len();
        let is_definite = cholesky(n, |i, j| added.information[i + j * n], positive).is_some();
        if self.is_used && is_definite { added } else { slope.clone() }
    }

    fn sum(&self, slope: &Slope) -> Slope {
        let information = slope.information.iter().zip(&self.matrix).map(|(h, s)| h + s).collect();
        Slope { gradient: slope.gradient.clone(), information }
    }

    /// Learns from a step that `gained` so much, with the slopes before and after it; `shares` is
    /// the step as it was foretold from the first.
    pub(super) fn learn(
        &mut self,
        (before, after): (&Slope, &Slope),
        (step, shares): (&[f64], &[f64]),
        gained: f64,
    ) {
        let n = step.len();
        let y: Vec<f64> = before.gradient.iter().zip(&after.gradient).map(|(a, b)| a - b).collect();
        let along = dot(&y, step);
        if along > 0.0 {
            let mut known = times(&after.information, step);
            if let Some(nugget) = self.nugget.filter(|&nugget| after.gradient[nugget] < 0.0) {
                known[nugget] -= after.gradient[nugget] * step[nugget];
            }
            let wanted: Vec<f64> = y.iter().zip(&known).map(|(y, known)| y - known).collect();
            // What was learned elsewhere counts no more than what there is here.
            let (here, there) = (dot(step, &wanted), dot(step, &times(&self.matrix, step)));
            if there != 0.0 {
                let size = (here / there).abs().min(1.0);
                self.matrix.iter_mut().for_each(|s| *s *= size);
            }
            let rest: Vec<f64> =
                wanted.iter().zip(times(&self.matrix, step)).map(|(w, s)| w - s).collect();
            let twice = dot(step, &rest) / (along * along);
            for j in 0..n {
                for i in 0..n {
                    let both = (rest[i] * y[j] + y[i] * rest[j]) / along;
                    self.matrix[i + j * n] += both - twice * y[i] * y[j];
                }
            }
        }
        let miss = |slope: &Slope| (slope.gain(shares) - gained).abs();
        self.is_used = miss(&self.sum(before)) < miss(before);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A symmetric matrix times a vector.
fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(x.len().max(1)).map(|column| dot(column, x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `g'x - 1/2 x'Ax` with information that is not `A`.
    #[test]
    fn steps_teach_a_quadratic() {
        let a = [3.0, 1.0, 0.2, 1.0, 2.0, -0.4, 0.2, -0.4, 1.5];
        let information = vec![2.0, 0.5, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 1.0];
        let g = [1.0, -2.0, 0.5];
        let slope = |x: &[f64]| {
            let gradient = g.iter().zip(times(&a, x)).map(|(g, ax)| g - ax).collect();
            Slope { gradient, information: information.clone() }
        };
        let value = |x: &[f64]| dot(&g, x) - 0.5 * dot(x, &times(&a, x));
        let (mut x, mut beside) = (vec![0.0; 3], Beside::new(3, None));
        let distance = |x: &[f64]| slope(x).gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        for _ in 0..9 {
            let step = beside.added_to(&slope(&x)).step(&[-9.0; 3], &[9.0; 3]);
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + s).collect();
            let gained = value(&next) - value(&x);
            beside.learn((&slope(&x), &slope(&next)), (&step, &step), gained);
            let after = slope(&next);
            let changed = dot(&times(&beside.sum(&after).information, &step), &step);
            let wanted = dot(&times(&a, &step), &step);
            assert!((changed - wanted).abs() <= 1e-9 * wanted.abs() + 1e-15, "the secant equation");
            x = next;
        }
        assert!(distance(&x) < 1e-9, "{x:?}");
    }

    #[test]
    fn what_is_known_is_left() {
        let slope = |gradient: [f64; 2]| {
            let information = vec![2.0, 0.0, 0.0, 1.0];
            Slope { gradient: gradient.to_vec(), information }
        };
        let (before, after) = (slope([2.0, 1.0]), slope([0.0, 0.0]));
        let (step, mut beside) = ([1.0, 1.0], Beside::new(2, None));
        beside.learn((&before, &after), (&step, &step), 1.5);
        assert!(beside.matrix.iter().all(|s| s.abs() < 1e-15) && !beside.is_used);
        assert_eq!(beside.added_to(&before), before);
    }
}
