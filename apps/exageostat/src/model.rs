//! A covariance with its parameters and a nugget.

use crate::covariance::{Covariance, CovarianceError};

/// A covariance with values for its parameters.
#[derive(Clone, Debug)]
pub struct Model {
    /// The covariance.
    pub covariance: &'static Covariance,
    /// Its parameters, in its order.
    pub values: Vec<f64>,
    /// Variance of the noise of an observation.
    pub nugget: f64,
}

impl Model {
    /// A model of `covariance` with parameters `values` and a `nugget`.
    ///
    /// # Errors
    /// If they are not the covariance's, or out of bounds.
    pub fn new(
        covariance: &'static Covariance,
        values: Vec<f64>,
        nugget: f64,
    ) -> Result<Self, CovarianceError> {
        covariance.check(&values)?;
        if nugget >= 0.0 && nugget.is_finite() {
            Ok(Self { covariance, values, nugget })
        } else {
            Err(CovarianceError::Nugget { value: nugget })
        }
    }

    /// The variance of the field, without the nugget; of several variables that of the first.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.covariance.variance_of(&self.values, 0)
    }
}
