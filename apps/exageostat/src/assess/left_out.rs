//! An observation against its prediction from others.

use std::f64::consts::PI;

/// An observation that was left out, against what the others say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// Observed less predicted value; NaN where the others do not determine the mean.
    pub residual: f64,
    /// Variance of that, with the nugget in it; NaN where there is no residual.
    pub variance: f64,
    /// Logarithm of the density that the prediction, which is Gaussian, gives what was observed.
    pub log_density: f64,
}

impl LeftOut {
    /// One of which the others say nothing.
    pub const UNKNOWN: Self =
        Self { residual: f64::NAN, variance: f64::NAN, log_density: f64::NAN };

    /// With this `residual`, whose `variance` is known.
    #[must_use]
    pub fn new(residual: f64, variance: f64) -> Self {
        let log_density = -0.5 * ((2.0 * PI * variance).ln() + residual * residual / variance);
        Self { residual, variance, log_density }
    }

    /// Whether the others say something of it.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.residual.is_finite() && self.variance.is_finite()
    }

    /// The residual in standard deviations.
    #[must_use]
    pub fn standardised(&self) -> f64 {
        self.residual / self.variance.sqrt()
    }
}
