//! The factorization by the definition.

use super::Getrf;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Getrf<T> {
    /// Right-looking, one column after the other, whole rows exchanged.
    pub fn reference(&self, mut a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
        let mut singular = None;
        for (step, pivot) in pivots.iter_mut().enumerate() {
            let k = self.first + step;
            let mut place = k;
            for i in k + 1..self.m {
                if a.at(i, step).abs1() > a.at(place, step).abs1() {
                    place = i;
                }
            }
            *pivot = place as u32;
            if a.at(place, step) == T::ZERO {
                singular = singular.or(Some(k));
                continue;
            }
            for j in 0..self.n {
                let (upper, lower) = (a.at(k, j), a.at(place, j));
                a.set(k, j, lower);
                a.set(place, j, upper);
            }
            for i in k + 1..self.m {
                let factor = a.at(i, step) / a.at(k, step);
                a.set(i, step, factor);
                for j in step + 1..self.n {
                    a.set(i, j, a.at(i, j) - factor * a.at(k, j));
                }
            }
        }
        singular
    }
}
