//! Information criteria.

/// What a log-likelihood is worth that so many parameters have reached: less is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criteria {
    /// `2 k - 2 l`: H. Akaike, "A new look at the statistical model identification", IEEE Trans.
    /// Automatic Control 19 (1974) 716-723.
    pub aic: f64,
    /// `AIC + 2 k (k + 1) / (n - k - 1)`, if that divides by a positive number: C. M. Hurvich,
    /// C.-L. Tsai, "Regression and time series model selection in small samples", Biometrika 76
    /// (1989) 297-307.
    pub aicc: Option<f64>,
    /// `k ln n - 2 l`: G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6
    /// (1978) 461-464.
    pub bic: f64,
}

impl Criteria {
    /// Of the log-likelihood `loglik` of `n` observations with `parameters` estimated. Of a
    /// restricted one `n` is less by the coefficients of the mean, which are no parameters of it.
    #[must_use]
    pub fn new(loglik: f64, parameters: usize, n: usize) -> Self {
        let (k, size) = (parameters as f64, n as f64);
        let aic = 2.0 * (k - loglik);
        let aicc = (n > parameters + 1).then(|| aic + 2.0 * k * (k + 1.0) / (size - k - 1.0));
        Self { aic, aicc, bic: k * size.ln() - 2.0 * loglik }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_observations_have_no_correction() {
        let Criteria { aic, aicc, bic } = Criteria::new(-10.0, 3, 8);
        assert_eq!((aic, aicc), (26.0, Some(32.0)));
        assert!((bic - (20.0 + 9.0 * 2.0f64.ln())).abs() < 1e-12);
        assert_eq!(Criteria::new(-10.0, 3, 4).aicc, None);
    }
}
