//! The comparison in the precision of the sums.

use super::Negligible;
use crate::scalar::{Real, Scalar};

impl<T: Scalar> Negligible<T> {
    /// Sets to zero what of `after` is rounding of `before`.
    ///
    /// # Panics
    /// If there are not `n` of each.
    #[inline(never)]
    pub fn compute(&self, before: &[T], after: &mut [T]) {
        let (n, counts) = (self.n, (before.len(), after.len()));
        assert!(counts == (n, n), "{counts:?} sums, not {n} of each");
        let part = T::Real::of_f64(self.part);
        for (after, before) in after.iter_mut().zip(before) {
            if after.re() <= part * before.re() {
                *after = T::ZERO;
            }
        }
    }
}
