//! Transformations of values to ones that are Gaussian, and the way back.
//!
//! With `z = g(y)` Gaussian, the log-likelihood of `y` is that of `z` plus `sum ln g'(y)`, so that
//! likelihoods of different transformations compare. Source: G. E. P. Box, D. R. Cox, "An analysis
//! of transformations", J. Royal Statistical Society B 26 (1964) 211-252.

mod back;
mod lambda;
mod tukey;

pub use back::{Back, Prediction};
pub use lambda::{LambdaError, best_lambda};
pub use tukey::TukeyGh;

/// Exponents of Box and Cox nearer to 0 than this are the logarithm: below it the formula loses
/// all digits.
const NO_EXPONENT: f64 = 1e-8;

/// A transformation of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Transform {
    /// The values as they are.
    #[default]
    None,
    /// `ln y`.
    Log,
    /// `sqrt(y)`.
    Sqrt,
    /// `(y^lambda - 1) / lambda`; `ln y` at 0.
    BoxCox(f64),
    /// `scale tau^-1(y / scale)` with Tukey's g-and-h function, of what the mean leaves.
    TukeyGh {
        /// The standard deviation of the Gaussian field, which is also the unit of the values.
        scale: f64,
        /// The function.
        function: TukeyGh,
    },
}

impl Transform {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Log => "log",
            Self::Sqrt => "sqrt",
            Self::BoxCox(_) => "box-cox",
            Self::TukeyGh { .. } => "tukey-gh",
        }
    }

    /// The exponent of Box and Cox, if it is theirs.
    #[must_use]
    pub fn lambda(self) -> Option<f64> {
        match self {
            Self::BoxCox(lambda) => Some(lambda),
            _ => None,
        }
    }

    /// Tukey's function, if it is that.
    #[must_use]
    pub fn tukey(self) -> Option<TukeyGh> {
        match self {
            Self::TukeyGh { function, .. } => Some(function),
            _ => None,
        }
    }

    /// The values between which lie those that it takes.
    #[must_use]
    pub fn domain(self) -> (f64, f64) {
        match self {
            Self::None => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Log | Self::Sqrt | Self::BoxCox(_) => (0.0, f64::INFINITY),
            Self::TukeyGh { scale, function } => {
                let (low, high) = function.support();
                (scale * low, scale * high)
            }
        }
    }

    /// Whether it takes `y`.
    #[must_use]
    pub fn takes(self, y: f64) -> bool {
        let (low, high) = self.domain();
        self == Self::None || (y > low && y < high)
    }

    /// `g(y)`.
    #[must_use]
    pub fn apply(self, y: f64) -> f64 {
        match self {
            Self::None => y,
            Self::Log => y.ln(),
            Self::Sqrt => y.sqrt(),
            Self::BoxCox(lambda) if lambda.abs() < NO_EXPONENT => y.ln(),
            Self::BoxCox(lambda) => (lambda * y.ln()).exp_m1() / lambda,
            Self::TukeyGh { scale, function } => scale * function.inverse(y / scale),
        }
    }

    /// `y` from `z = g(y)`. Beyond the values that `g` has it is the end of its domain that is
    /// nearest: 0, or infinity for a negative exponent.
    #[must_use]
    pub fn invert(self, z: f64) -> f64 {
        match self {
            Self::None => z,
            Self::Log => z.exp(),
            Self::Sqrt => z.max(0.0).powi(2),
            Self::BoxCox(lambda) if lambda.abs() < NO_EXPONENT => z.exp(),
            Self::BoxCox(lambda) if lambda * z > -1.0 => ((lambda * z).ln_1p() / lambda).exp(),
            Self::BoxCox(lambda) if lambda > 0.0 => 0.0,
            Self::BoxCox(_) => f64::INFINITY,
            Self::TukeyGh { scale, function } => scale * function.value(z / scale),
        }
    }

    /// `sum ln g'(y)`: what to add to the log-likelihood of the transformed values for that of
    /// `values`.
    #[must_use]
    pub fn log_jacobian(self, values: &[f64]) -> f64 {
        let logs = || values.iter().map(|y| y.ln()).sum::<f64>();
        match self {
            Self::None => 0.0,
            Self::Log => -logs(),
            Self::Sqrt => -0.5 * logs() - values.len() as f64 * std::f64::consts::LN_2,
            Self::BoxCox(lambda) => (lambda - 1.0) * logs(),
            Self::TukeyGh { scale, function } => {
                let slope = |y: &f64| function.log_slope(function.inverse(y / scale));
                -values.iter().map(slope).sum::<f64>()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Transform; 9] = [
        Transform::None,
        Transform::Log,
        Transform::Sqrt,
        Transform::BoxCox(0.0),
        Transform::BoxCox(0.3),
        Transform::BoxCox(-0.7),
        Transform::BoxCox(1e-7),
        Transform::TukeyGh { scale: 40.0, function: TukeyGh { g: 0.4, h: 0.1 } },
        Transform::TukeyGh { scale: 3.0, function: TukeyGh { g: 0.2, h: 0.0 } },
    ];

    #[test]
    fn the_way_back_ends_where_it_began_and_the_jacobian_is_the_slope() {
        for transform in ALL {
            for y in [0.02, 1.0, 7.5, 1839.0] {
                let back = transform.invert(transform.apply(y));
                assert!((back / y - 1.0).abs() < 1e-8, "{transform:?}: {y} {back}");
                let step = 1e-5 * y;
                let slope = (transform.apply(y + step) - transform.apply(y - step)) / (2.0 * step);
                let found = transform.log_jacobian(&[y]);
                assert!((found - slope.ln()).abs() < 1e-5, "{transform:?}: {found} {slope}");
            }
        }
    }

    #[test]
    fn beyond_its_values_a_transformation_ends() {
        assert_eq!(Transform::BoxCox(0.5).invert(-3.0), 0.0);
        assert_eq!(Transform::BoxCox(-0.5).invert(3.0), f64::INFINITY);
        assert_eq!(Transform::Sqrt.invert(-1.0), 0.0);
        assert!(Transform::None.takes(-1.0) && !Transform::Log.takes(0.0));
        let bounded = Transform::TukeyGh { scale: 3.0, function: TukeyGh { g: -0.5, h: 0.0 } };
        assert_eq!(bounded.domain(), (f64::NEG_INFINITY, 6.0));
        assert!(bounded.takes(5.9) && !bounded.takes(6.0) && bounded.apply(6.1).is_nan());
    }
}
