//! The joint distribution of what is predicted at several places, and draws from it.
//!
//! Given the observations the field at some places is Gaussian: its covariance matrix is that of
//! the places less what the observations explain, and what is not known of the mean adds `D A D'`
//! to it, where a row of `D` is `d` of [`predict`](crate::predict). Draws are the kriging means and
//! `L e`, `L` the Cholesky factor of that matrix: conditional simulations (N. Cressie, "Statistics
//! for spatial data" (1993), section 3.6.2).

use crate::sample::Random;

/// Most places: beyond, the factorisation takes minutes.
pub const MOST_PLACES: usize = 5000;

/// The joint distribution of what is predicted, without noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Kriging means.
    pub mean: Vec<f64>,
    /// The covariance matrix, of the order of their number, by columns (it is symmetric).
    pub covariance: Vec<f64>,
    /// As of [`Predictions`](crate::predict::Predictions).
    pub lagrange: Vec<f64>,
}

impl Joint {
    /// Of the covariance of `m` places that the lower triangle `known` has, by columns, where the
    /// mean is known, the columns `d` that are not explained, and their covariance `a`.
    pub(crate) fn new(
        (mean, lagrange): (Vec<f64>, Vec<f64>),
        mut known: Vec<f64>,
        d: &[Vec<f64>],
        a: &[f64],
    ) -> Self {
        let m = mean.len();
        for j in 0..m {
            let weighted = times(a, &d[j]);
            for i in j..m {
                let more: f64 = d[i].iter().zip(&weighted).map(|(x, y)| x * y).sum();
                let entry = known[i + j * m] + more;
                known[i + j * m] = if i == j { entry.max(0.0) } else { entry };
                known[j + i * m] = known[i + j * m];
            }
        }
        Self { mean, covariance: known, lagrange }
    }

    /// The variances.
    #[must_use]
    pub fn variance(&self) -> Vec<f64> {
        let m = self.mean.len();
        (0..m).map(|i| self.covariance[i * (m + 1)]).collect()
    }

    /// Draws so many fields, without noise.
    #[must_use]
    pub fn draws(&self, count: usize, random: &mut Random) -> Vec<Vec<f64>> {
        let m = self.mean.len();
        let factor = factor(&self.covariance, m);
        let draw = |_| {
            let normal = random.normals(m);
            let rows = factor.iter().zip(&self.mean);
            rows.map(|(row, mean)| mean + dot(row, &normal[..row.len()])).collect()
        };
        (0..count).map(draw).collect()
    }
}

/// `A x`.
fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
    let p = x.len();
    (0..p).map(|i| (0..p).map(|j| a[i + j * p] * x[j]).sum()).collect()
}

/// The rows of the lower Cholesky factor of a matrix of order `m` that may be singular, as where a
/// place was observed without noise or stands twice: what is left of a diagonal entry and is but
/// rounding is 0, and so is its column.
fn factor(matrix: &[f64], m: usize) -> Vec<Vec<f64>> {
    let largest = (0..m).map(|i| matrix[i * (m + 1)]).fold(0.0, f64::max);
    let rounding = m as f64 * f64::EPSILON * largest;
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(m);
    for i in 0..m {
        let mut row = Vec::with_capacity(i + 1);
        for (j, other) in rows.iter().enumerate() {
            let pivot = other[j];
            let rest = matrix[i + j * m] - dot(&row, &other[..j]);
            row.push(if pivot > 0.0 { rest / pivot } else { 0.0 });
        }
        let rest = matrix[i * (m + 1)] - dot(&row, &row);
        row.push(if rest > rounding { rest.sqrt() } else { 0.0 });
        rows.push(row);
    }
    rows
}

/// `x' y`, in eight sums that go on beside each other.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x, y) = (x.chunks_exact(8), y.chunks_exact(8));
    let (last_x, last_y) = (x.remainder(), y.remainder());
    let mut sums = [0.0; 8];
    for (x, y) in x.zip(y) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    let last: f64 = last_x.iter().zip(last_y).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of order 40 and rank 20: places that stand twice.
    fn singular() -> (Vec<f64>, usize) {
        let m = 40;
        let at = |i: usize| 0.3 * (i % 20) as f64;
        let entry = |k: usize| (-(at(k % m) - at(k / m)).abs()).exp();
        ((0..m * m).map(entry).collect(), m)
    }

    #[test]
    fn the_factor_of_a_singular_matrix_gives_it_back() {
        let (matrix, m) = singular();
        let rows = factor(&matrix, m);
        for i in 0..m {
            for j in 0..=i {
                let product = dot(&rows[i][..=j], &rows[j]);
                let error = (product - matrix[i + j * m]).abs();
                assert!(error < 1e-12, "{i}, {j}: {error}");
            }
        }
    }

    /// Means and covariances of many draws are within five standard errors of what they should be.
    #[test]
    fn draws_have_the_moments_of_the_distribution() {
        let (covariance, m) = singular();
        let mean: Vec<f64> = (0..m).map(|i| i as f64).collect();
        let (joint, count) = (Joint { mean, covariance, lagrange: vec![0.0; m] }, 20_000);
        let draws = joint.draws(count, &mut Random::new(7));
        let deviation = |draw: &Vec<f64>, i: usize| draw[i] - joint.mean[i];
        for i in 0..m {
            let sum: f64 = draws.iter().map(|draw| deviation(draw, i)).sum();
            let error = sum / count as f64;
            assert!(error.abs() < 5.0 * (1.0 / count as f64).sqrt(), "mean {i}: {error}");
            for j in 0..=i {
                let sum: f64 = draws.iter().map(|z| deviation(z, i) * deviation(z, j)).sum();
                let expected = joint.covariance[i + j * m];
                // The variance of a product of Gaussian values is `c_ii c_jj + c_ij^2`.
                let tolerance = 5.0 * ((1.0 + expected * expected) / count as f64).sqrt();
                let error = sum / count as f64 - expected;
                assert!(error.abs() < tolerance, "covariance {i}, {j}: {error}");
            }
        }
    }
}
