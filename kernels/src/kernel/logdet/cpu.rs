//! The sum through products: one logarithm for many entries.

use super::LogDet;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileRef;

/// Entries of which the product is taken before its logarithm. Each is brought into [1, 2) first,
/// so the product cannot overflow and its rounding adds at most this many units in the last place.
const CHUNK: usize = 32;

impl<T: Real> LogDet<T> {
    /// Adds the contribution of `a` to `sum`.
    ///
    /// # Errors
    /// [`NumericalError::NoLogDeterminant`], with the index in the whole matrix.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, sum: &mut f64) -> Result<(), NumericalError> {
        let diagonal = || (0..self.n).map(|i| a.at(i, i).to_f64().abs());
        if let Some(i) = diagonal().position(|x| x == 0.0 || !x.is_finite()) {
            return Err(NumericalError::NoLogDeterminant { index: self.offset + i + 1 });
        }
        let (mut exponent, mut logarithm) = (0, 0.0);
        for first in (0..self.n).step_by(CHUNK) {
            let parts = diagonal().skip(first).take(CHUNK).map(split);
            let (mantissa, power) = parts.fold((1.0, 0), |(m, p), (x, q)| (m * x, p + q));
            exponent += power;
            logarithm += f64::ln(mantissa);
        }
        *sum += self.factor * (logarithm + exponent as f64 * std::f64::consts::LN_2);
        Ok(())
    }
}

/// `x = m 2^p` with `1 <= m < 2`, for a positive finite `x`.
fn split(x: f64) -> (f64, i64) {
    const BIAS: i64 = 1023;
    if x < f64::MIN_POSITIVE {
        let (m, p) = split(x * 2f64.powi(64));
        return (m, p - 64);
    }
    let power = (x.to_bits() >> 52).cast_signed() - BIAS;
    let mantissa = f64::from_bits(x.to_bits() & ((1 << 52) - 1) | (1023 << 52));
    (mantissa, power)
}
