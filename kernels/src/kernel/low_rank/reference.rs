//! The sums by the definition.

use super::{LowRank, Mirror, Parts};
use crate::scalar::{Real, Scalar, c64};
use crate::tile::TileMut;

impl<T: Scalar> LowRank<T> {
    /// Makes `D + X Y^H`, and mirrors it where that is asked for.
    pub fn reference(&self, parts: Parts<'_>, mut a: TileMut<'_, T>) {
        let is_whole = self.mirror == Mirror::Whole;
        let (m, n) = if is_whole { (self.n, self.m) } else { (self.m, self.n) };
        let below = if is_whole { -self.below } else { self.below };
        let entry = |i: usize, j: usize| {
            let terms = (0..self.rank).map(|k| parts.x[i + k * m] * parts.y[j + k * n].conj());
            let sum: c64 = terms.sum();
            let on_diagonal = i as isize + below == j as isize;
            sum + if on_diagonal { parts.diagonal[i] } else { c64::ZERO }
        };
        for j in 0..self.n {
            for i in 0..self.m {
                let mut x = if self.is_mirrored(i, j) { entry(j, i).conj() } else { entry(i, j) };
                if self.mirror == Mirror::Triangle && i == j {
                    x.im = 0.0;
                }
                a.set(i, j, T::from_parts(T::Real::of_f64(x.re), T::Real::of_f64(x.im)));
            }
        }
    }
}
