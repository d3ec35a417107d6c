//! The sum by the definition.

use super::Dot;
use crate::scalar::Real;

impl<T: Real> Dot<T> {
    /// One loop.
    pub fn reference(&self, x: &[T], y: &[T], sum: &mut f64) {
        for i in 0..self.n {
            *sum += x[i].to_f64() * y[i].to_f64();
        }
    }
}
