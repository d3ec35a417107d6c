//! The comparison by the definition, in double precision.

use super::Negligible;
use crate::scalar::{Real, Scalar};

impl<T: Scalar> Negligible<T> {
    /// One sum after the other.
    pub fn reference(&self, before: &[T], after: &mut [T]) {
        for i in 0..self.n {
            let [before, left] = [before[i], after[i]].map(|sum| sum.re().to_f64());
            if left <= self.part * before {
                after[i] = T::ZERO;
            }
        }
    }
}
