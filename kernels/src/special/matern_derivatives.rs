//! How the Matern correlation changes with its range and with its smoothness.
//!
//! Of `M = 2^(1-nu)/Gamma(nu) x^nu K_nu(x)` with `x = d/range`, relative to `M` itself, so that
//! nothing underflows:
//!
//! - `d ln M / d ln range = x K_(nu-1)(x) / K_nu(x)` (DLMF 10.29.4);
//! - `d ln M / d nu = ln(x/2) - digamma(nu) + (dK_nu/dnu) / K_nu`. With `2 K_nu(x)` the integral of
//!   `e^(nu w - x cosh w)` over all `w` (DLMF 10.32.9), the last term is the mean of `w` under that
//!   density. From its peak at `asinh(nu/x)` on, with `r = sqrt(nu^2 + x^2)`, the density is that
//!   of `e^(nu d - (nu + r)/2 (e^d - 1) - x^2 / (2 (nu + r)) (e^-d - 1))`, and `d ln M / d nu =
//!   ln((nu + r) / 2) - digamma(nu) + mean of d`, where nothing large cancels. Both integrals are
//!   sums over equidistant points: the integrand is analytic in a strip and falls doubly
//!   exponentially, so the error of the trapezoidal rule falls exponentially with their number (L.
//!   N. Trefethen, J. A. C. Weideman, "The exponentially convergent trapezoidal rule", SIAM Review
//!   56 (2014) 385-458).

use super::bessel_k::BesselK;
use super::gamma::digamma;

/// Logarithm of the smallest part of the largest term that is still added.
const NEGLIGIBLE: f64 = -42.0;

/// Logarithmic derivatives of the correlation of one smoothness.
#[derive(Clone, Copy, Debug)]
pub struct MaternDerivatives {
    bessel: BesselK,
    /// Of the order below.
    below: BesselK,
    digamma: f64,
}

impl MaternDerivatives {
    /// Prepares smoothness `nu`.
    ///
    /// # Panics
    /// If `nu` is not in (0, 20].
    #[must_use]
    pub fn new(nu: f64) -> Self {
        assert!(nu > 0.0 && nu <= 20.0, "smoothness {nu} is outside (0, 20]");
        let (bessel, below) = (BesselK::new(nu), BesselK::new((nu - 1.0).abs()));
        Self { bessel, below, digamma: digamma(nu) }
    }

    /// `d ln M / d ln range` at finite `x > 0`.
    #[must_use]
    pub fn by_range(&self, x: f64) -> f64 {
        x * self.below.scaled(x) / self.bessel.scaled(x)
    }

    /// `d ln M / d nu` at finite `x > 0`; its error is that of rounding relative to 1, not to the
    /// derivative, which falls to 0 with `x`.
    #[must_use]
    pub fn by_smoothness(&self, x: f64) -> f64 {
        let nu = self.bessel.order();
        let r = nu.hypot(x);
        let (up, down) = (0.5 * (nu + r), 0.5 * x * x / (nu + r));
        let exponent = |d: f64| nu * d - up * d.exp_m1() - down * (-d).exp_m1();
        let step = (0.5 / r.sqrt()).min(0.2);
        let (mut sum, mut weights) = (0.0, 1.0);
        for side in [-step, step] {
            for k in 1.. {
                let d = side * f64::from(k);
                let exponent = exponent(d);
                if exponent < NEGLIGIBLE {
                    break;
                }
                weights += exponent.exp();
                sum += d * exponent.exp();
            }
        }
        up.ln() - self.digamma + sum / weights
    }
}
