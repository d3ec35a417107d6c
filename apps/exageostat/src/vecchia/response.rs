//! The joint distribution of predictions from neighbours: each place given its nearest observations
//! and the nearest places before it.
//!
//! With the weights `a` of both and what they leave of its variance, `e`, a place has the
//! projections `a' x` and, with places before it, the covariances that the weights make of theirs:
//! the response form, observations first, of M. Katzfuss, J. Guinness, W. Gong, D. Zilber,
//! "Vecchia approximations of Gaussian-process predictions", JABES 25 (2020) 383-414, section 3.

use tegula_kernels::geometry::Points;
use tegula_kernels::kernel::covariance::RadialTable;

use crate::block::Block;
use crate::small::{backward, cholesky, forward};

/// What is left of a variance, as a share of it, that is no less than rounding.
const ROUNDING: f64 = 1e-14;

/// What places are conditioned with.
pub(super) struct Response<'a> {
    /// The covariance, with the noise of observations.
    pub(super) table: &'a RadialTable,
    /// The block about each place.
    pub(super) block: &'a Block,
    /// Of each observation its place, and its number in each column.
    pub(super) records: &'a [f64],
    /// Those columns.
    pub(super) columns: usize,
    /// How many places before one it is conditioned on, at most.
    pub(super) neighbours: usize,
}

/// Places given observations.
pub(super) struct Conditioned {
    /// Of each what the weights of the observations make of each column.
    pub(super) projections: Vec<Vec<f64>>,
    /// Their covariances, the mean of the field known: the lower triangle, by columns.
    pub(super) covariance: Vec<f64>,
}

impl Response<'_> {
    /// Conditions `points` on the records `near` each of them, and on the points before it.
    pub(super) fn condition(&self, points: &Points, near: &[Vec<u32>]) -> Conditioned {
        let (m, geometry) = (points.len(), points.geometry());
        let (stored, width) = (geometry.stored(), geometry.stored() + self.columns);
        let at: Vec<[f64; 3]> = (0..m).map(|i| points.point(i)).collect();
        let mut projections: Vec<Vec<f64>> = Vec::with_capacity(m);
        let mut covariance = vec![0.0; m * m];
        for (i, list) in near.iter().enumerate() {
            let known: Vec<&[f64]> = list
                .iter()
                .map(|&record| &self.records[record as usize * width..][..width])
                .collect();
            let before = self.before(points, i);
            let (a, rest) = self.weights(&at, i, &known, &before);
            let (of_known, of_before) = a.split_at(known.len());
            let column = |k: usize| -> f64 {
                let observed =
                    of_known.iter().zip(&known).map(|(a, record)| a * record[stored + k]);
                let earlier = of_before.iter().zip(&before).map(|(a, &j)| a * projections[j][k]);
                observed.sum::<f64>() + earlier.sum::<f64>()
            };
            let row: Vec<f64> = (0..self.columns).map(column).collect();
            projections.push(row);
            for j in 0..i {
                let pairs = of_before.iter().zip(&before);
                let entry = |t: usize| covariance[t.max(j) + t.min(j) * m];
                covariance[i + j * m] = pairs.map(|(a, &t)| a * entry(t)).sum();
            }
            let pairs = of_before.iter().zip(&before);
            let spread: f64 = pairs.map(|(a, &t)| a * covariance[i + t * m]).sum();
            covariance[i + i * m] = rest + spread;
        }
        Conditioned { projections, covariance }
    }

    /// The points before `i` that are nearest to it.
    fn before(&self, points: &Points, i: usize) -> Vec<usize> {
        let mut all: Vec<(f64, usize)> = (0..i).map(|j| (points.distance(i, j), j)).collect();
        let compare = |x: &(f64, usize), y: &(f64, usize)| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
        if all.len() > self.neighbours {
            all.select_nth_unstable_by(self.neighbours, compare);
            all.truncate(self.neighbours);
        }
        let mut those: Vec<usize> = all.into_iter().map(|(_, j)| j).collect();
        those.sort_unstable();
        those
    }

    /// The weights of the `known` observations and then of the points `before` for the point `i`,
    /// and what they leave of its variance.
    fn weights(
        &self,
        at: &[[f64; 3]],
        i: usize,
        known: &[&[f64]],
        before: &[usize],
    ) -> (Vec<f64>, f64) {
        let (table, count) = (self.table, known.len());
        let n = count + before.len();
        let geometry = self.block.geometry();
        let between = |r: usize, c: usize| match (r.checked_sub(count), c.checked_sub(count)) {
            (None, None) => {
                let noise = if r == c { table.nugget } else { 0.0 };
                table.value(geometry.distance(known[r], known[c])) + noise
            }
            (Some(r), Some(c)) => self.block.covariance(table, at[before[r]], at[before[c]]),
            (Some(r), None) => self.block.covariance_with(table, at[before[r]], known[c]),
            (None, Some(c)) => self.block.covariance_with(table, at[before[c]], known[r]),
        };
        let own = |r: usize| match r.checked_sub(count) {
            None => self.block.covariance_with(table, at[i], known[r]),
            Some(r) => self.block.covariance(table, at[i], at[before[r]]),
        };
        let floor = ROUNDING * table.variance;
        // Points at one place, or at an observation without noise, leave nothing but rounding.
        let factor = cholesky(n, between, |pivot| Some(pivot.max(floor)));
        let factor = factor.expect("pivots are raised");
        let c: Vec<f64> = (0..n).map(own).collect();
        let a = backward(&factor, n, &forward(&factor, n, &c));
        let explained: f64 = a.iter().zip(&c).map(|(a, c)| a * c).sum();
        let variance = self.block.covariance(table, at[i], at[i]);
        (a, (variance - explained).max(0.0))
    }
}
