//! The exponent of Box and Cox at which a profile likelihood is greatest.

use thiserror::Error;

/// Where exponents are searched.
const LOWEST: f64 = -3.0;
const HIGHEST: f64 = 3.0;
/// Half the distance of the points that first enclose the maximum.
const STEP: f64 = 0.5;
/// Accuracy of the exponent: its standard error is seldom below a hundredth.
const ACCURACY: f64 = 1e-4;
const MOST_STEPS: usize = 60;

/// Why there is no exponent.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "the likelihood still grows at the exponent {lambda} of Box and Cox, where the search ends: give one \
     (box-cox:LAMBDA), or transform the values in another way"
)]
pub struct LambdaError {
    /// The exponent at the end.
    pub lambda: f64,
}

/// The exponent between -3 and 3 where `profile` is greatest: a bracket from 0 on, and parabolas or
/// golden sections within it (R. P. Brent, "Algorithms for minimization without derivatives"
/// (1973), chapter 5).
///
/// # Errors
/// Those of `profile`; [`LambdaError`], as its error, if the maximum is at an end.
pub fn best_lambda<E: From<LambdaError>>(
    mut profile: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let (mut low, mut middle, mut high) = (-STEP, 0.0, STEP);
    let mut best = profile(middle)?;
    let (mut at_low, mut at_high) = (profile(low)?, profile(high)?);
    while at_high > best && high < HIGHEST {
        (low, middle, at_low, best) = (middle, high, best, at_high);
        high += STEP;
        at_high = profile(high)?;
    }
    while at_low > best && low > LOWEST {
        (high, middle, at_high, best) = (middle, low, best, at_low);
        low -= STEP;
        at_low = profile(low)?;
    }
    if at_low > best || at_high > best {
        return Err(LambdaError { lambda: if at_low > best { low } else { high } }.into());
    }
    for _ in 0..MOST_STEPS {
        if high - low < 2.0 * ACCURACY {
            break;
        }
        let next = parabola((low, at_low), (middle, best), (high, at_high));
        let wide = if high - middle > middle - low { high } else { low };
        let golden = middle + 0.381_966_011 * (wide - middle);
        let is_inside = |x: f64| x > low + 0.1 * ACCURACY && x < high - 0.1 * ACCURACY;
        let mut x = next.filter(|&x| is_inside(x)).unwrap_or(golden);
        if (x - middle).abs() < 0.5 * ACCURACY {
            // The parabola's top is known: close the bracket on the wider side.
            x = middle + (0.5 * ACCURACY).copysign(wide - middle);
        }
        let value = profile(x)?;
        if value > best {
            if x > middle {
                (low, at_low) = (middle, best);
            } else {
                (high, at_high) = (middle, best);
            }
            (middle, best) = (x, value);
        } else if x > middle {
            (high, at_high) = (x, value);
        } else {
            (low, at_low) = (x, value);
        }
    }
    Ok(middle)
}

/// The top of the parabola through three points.
fn parabola(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
    let (left, right) = ((b.0 - a.0) * (b.1 - c.1), (b.0 - c.0) * (b.1 - a.1));
    let bottom = 2.0 * (left - right);
    let top = b.0 - ((b.0 - a.0) * left - (b.0 - c.0) * right) / bottom;
    (bottom != 0.0 && top.is_finite()).then_some(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_is_found_in_few_evaluations() {
        for top in [-1.7, -0.25, 0.0, 0.3333, 0.5, 2.2] {
            let mut count = 0;
            let found = best_lambda::<LambdaError>(|x| {
                count += 1;
                Ok(-(x - top).powi(2) * (1.0 + 0.2 * (x - top)) - 3.0)
            });
            let found = found.expect("a maximum inside");
            assert!((found - top).abs() <= ACCURACY, "{found} for {top}");
            assert!(count <= 20, "{count} for {top}");
        }
    }

    #[test]
    fn a_likelihood_without_a_maximum_is_said() {
        let found = best_lambda::<LambdaError>(|x| Ok(-x));
        assert_eq!(found, Err(LambdaError { lambda: LOWEST }));
    }
}
