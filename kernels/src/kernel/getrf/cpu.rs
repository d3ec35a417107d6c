//! The factorization by a backend.

use super::Getrf;
use crate::backend::Blas;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Getrf<T> {
    /// Computes with `blas`; answers the first step of the whole matrix, from 0, without a pivot.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        a: TileMut<'_, T>,
        pivots: &mut [u32],
    ) -> Option<usize> {
        let (first, rows) = (self.first, self.m - self.first);
        let singular = blas.getrf_pivoting(a.part(first, 0, rows, self.n), pivots);
        pivots.iter_mut().for_each(|pivot| *pivot += first as u32);
        singular.map(|step| first + step)
    }
}
