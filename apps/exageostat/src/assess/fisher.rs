//! Standard errors and correlations of parameters by the expected information.

use crate::model::Model;
use crate::small::scaled_inverse;

/// How well data like these tell the parameters of a model, by Fisher's information.
#[derive(Clone, Debug, PartialEq)]
pub struct Fisher {
    /// The information on the parameters themselves, by columns.
    pub information: Vec<f64>,
    /// Their standard errors, in their units.
    pub std_errors: Vec<f64>,
    /// Their correlations, by columns.
    pub correlations: Vec<f64>,
}

impl Fisher {
    /// From the `information` of [`Evaluate::information`](crate::likelihood::Evaluate) at `model`,
    /// on coordinates of the parameters and on the nugget, for those `which` are not known: indices
    /// of parameters, that of the nugget after them. None if it is singular to rounding.
    ///
    /// The covariance of the estimates is the inverse: K. V. Mardia, R. J. Marshall, "Maximum
    /// likelihood estimation of models for residual covariance in spatial regression", Biometrika
    /// 71 (1984) 135-146.
    ///
    /// # Panics
    /// If there is no such parameter.
    #[must_use]
    pub fn new(information: &[f64], model: &Model, which: &[usize]) -> Option<Self> {
        let (count, n) = (model.values.len() + 1, which.len());
        let parameters = model.covariance.parameters.iter().zip(&model.values);
        let units: Vec<f64> =
            parameters.map(|(one, &value)| one.scale.slope(value)).chain([1.0]).collect();
        let unit = |k: usize| units[k];
        let at = |i: usize, j: usize| {
            let (k, l) = (which[i], which[j]);
            information[k + l * count] / (unit(k) * unit(l))
        };
        let covariance = scaled_inverse(n, at)?;
        let std_errors: Vec<f64> = (0..n).map(|i| covariance[i + i * n].sqrt()).collect();
        let places = || (0..n * n).map(|place| (place % n, place / n));
        let correlation =
            |(i, j): (usize, usize)| covariance[i + j * n] / (std_errors[i] * std_errors[j]);
        let correlations = places().map(correlation).collect();
        let information = places().map(|(i, j)| at(i, j)).collect();
        Some(Self { information, std_errors, correlations })
    }
}
