//! Random operands, the same in each run.

use tegula_runtime::random::SplitMix64;

use crate::packed::PackedShape;
use crate::scalar::{Real, Scalar};

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomInputs(SplitMix64);

impl RandomInputs {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A random integer of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number between -1 and 1, of a complex type both parts.
    pub fn number<T: Scalar>(&mut self) -> T {
        let re = self.uniform();
        let im = if T::IS_COMPLEX { self.uniform() } else { 0.0 };
        T::from_parts(T::Real::of_f64(re), T::Real::of_f64(im))
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    /// So many numbers between -1 and 1.
    pub fn numbers<T: Scalar>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }

    /// A matrix of order `n` (without gaps) that is well conditioned in every sense needed here:
    /// the diagonal is between 2 and 3, each row and column beside it adds up to at most 1/2.
    pub fn dominant<T: Scalar>(&mut self, n: usize) -> Vec<T> {
        let mut a = self.numbers::<T>(n * n);
        let scale = T::from_f64(0.35 / n.max(1) as f64);
        a.iter_mut().for_each(|x| *x *= scale);
        for i in 0..n {
            a[i * n + i] = T::from_f64(2.5 + 0.5 * self.uniform());
        }
        a
    }
}

/// Random numbers, enough for a packed matrix of order `n`, of any height that a backend wants.
pub(crate) fn packed_operand<T: Scalar>(n: usize, random: &mut RandomInputs) -> Vec<T> {
    const HIGHEST: usize = 64;
    random.numbers((n + HIGHEST) * PackedShape { rows: n, cols: n, height: 1 }.stored_columns())
}
