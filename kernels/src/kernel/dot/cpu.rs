//! The sum in several partial sums, which fill the vector registers.

use super::Dot;
use crate::scalar::Real;

/// Partial sums.
const LANES: usize = 16;

impl<T: Real> Dot<T> {
    /// Adds the product of `x` and `y` to `sum`.
    ///
    /// # Panics
    /// If the lengths are not `n`.
    #[inline(never)]
    pub fn compute(&self, x: &[T], y: &[T], sum: &mut f64) {
        let (n, lengths) = (self.n, (x.len(), y.len()));
        assert!(lengths == (n, n), "dot product of {lengths:?} numbers, not of {n}");
        let mut partial = [0.0; LANES];
        let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
        let rest: f64 = products(xs.remainder(), ys.remainder()).sum();
        for (x, y) in xs.zip(ys) {
            partial.iter_mut().zip(products(x, y)).for_each(|(sum, product)| *sum += product);
        }
        *sum += partial.into_iter().sum::<f64>() + rest;
    }
}

fn products<T: Real>(x: &[T], y: &[T]) -> impl Iterator<Item = f64> {
    x.iter().zip(y).map(|(x, y)| x.to_f64() * y.to_f64())
}
