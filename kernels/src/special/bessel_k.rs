//! The modified Bessel function of the second kind `K_nu(x)` for real order and argument.
//!
//! Small arguments use the power series of N. M. Temme, "On the numerical evaluation of the
//! modified Bessel function of the third kind", J. Comput. Phys. 19 (1975) 324-337; larger ones
//! his continued fraction summed by Steed's algorithm (I. J. Thompson and A. R. Barnett, J.
//! Comput. Phys. 64 (1986) 490-509). Both give the pair `K_mu, K_(mu+1)` with `|mu| <= 1/2`, from
//! which the recurrence upwards in the order (DLMF 10.29.1) is stable.

use std::f64::consts::{LN_2, PI};

use super::gamma::TemmeGamma;

/// Argument up to which the power series is used: beyond, it loses digits to cancellation (20 eps
/// at 2), while the fraction still converges well.
const SERIES_LIMIT: f64 = 1.5;

/// Terms after which series and fraction have long converged (about 15 and 80 are needed).
const MAX_TERMS: usize = 500;

/// `K_nu` of one order, with everything that depends on the order alone.
#[derive(Clone, Copy, Debug)]
pub struct BesselK {
    order: f64,
    steps: u32,
    mu: f64,
    gamma: TemmeGamma,
    /// `pi mu / sin(pi mu)`.
    reflection: f64,
}

/// `e^x K_mu(x)` and `x e^x K_(mu+1)(x)`: the second carries a factor `x` lest it overflow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: f64,
    pub(crate) second_x: f64,
}

impl BesselK {
    /// Prepares order `nu`.
    ///
    /// # Panics
    /// If `nu` is negative, not finite or above 1000.
    #[must_use]
    pub fn new(nu: f64) -> Self {
        assert!((0.0..=1000.0).contains(&nu), "order {nu} is outside [0, 1000]");
        let steps = nu.round();
        let mu = nu - steps;
        let angle = PI * mu;
        let reflection = if angle.abs() < 1e-9 { 1.0 } else { angle / angle.sin() };
        Self { order: nu, steps: steps as u32, mu, gamma: TemmeGamma::new(mu), reflection }
    }

    /// The order.
    #[must_use]
    pub fn order(&self) -> f64 {
        self.order
    }

    /// `K_nu(x)`: infinite at 0 and where it overflows, 0 where it underflows, NaN for `x < 0`.
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        self.scaled(x) * (-x).exp()
    }

    /// `e^x K_nu(x)`, which does not underflow.
    #[must_use]
    pub fn scaled(&self, x: f64) -> f64 {
        if x.is_nan() || x < 0.0 {
            return f64::NAN;
        }
        if x == 0.0 {
            return f64::INFINITY;
        }
        if x.is_infinite() {
            return 0.0;
        }
        let pair = self.pair(x);
        let (mut below, mut here) = (pair.first, pair.second_x / x);
        if self.steps == 0 {
            return below;
        }
        for k in 1..self.steps {
            let next = 2.0 * (self.mu + f64::from(k)) / x * here + below;
            (below, here) = (here, next);
        }
        here
    }

    /// Number of unit steps from `mu` to the order.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// The order reduced to `[-1/2, 1/2]`.
    pub(crate) fn mu(&self) -> f64 {
        self.mu
    }

    /// The pair at finite `x > 0`.
    pub(crate) fn pair(&self, x: f64) -> Pair {
        if x <= SERIES_LIMIT { self.series(x) } else { self.fraction(x) }
    }

    /// Temme's series (1975).
    fn series(&self, x: f64) -> Pair {
        let (mu, gamma) = (self.mu, &self.gamma);
        let log = LN_2 - x.ln();
        let power = (0.5 * x).powf(-mu);
        let exponent = mu * log;
        let cosh = 0.5 * (power + 1.0 / power);
        let sinh_ratio = if exponent.abs() < 1e-8 {
            1.0
        } else if exponent.abs() < 1.0 {
            exponent.sinh() / exponent
        } else {
            0.5 * (power - 1.0 / power) / exponent
        };
        let mut f = self.reflection * (gamma.one * cosh + gamma.two * sinh_ratio * log);
        let mut p = 0.5 * power * gamma.plus;
        let mut q = 0.5 / power * gamma.minus;
        let (quarter, mut c) = (0.25 * x * x, 1.0);
        let (mut sum, mut sum_next) = (f, p);
        for i in 1..MAX_TERMS {
            let k = i as f64;
            f = (k * f + p + q) / (k * k - mu * mu);
            c *= quarter / k;
            p /= k - mu;
            q /= k + mu;
            let term = c * f;
            sum += term;
            sum_next += c * (p - k * f);
            if term.abs() < 0.25 * f64::EPSILON * sum.abs() {
                break;
            }
        }
        let scale = x.exp();
        Pair { first: sum * scale, second_x: 2.0 * sum_next * scale }
    }

    /// Temme's continued fraction by Steed's algorithm (Thompson and Barnett 1986).
    fn fraction(&self, x: f64) -> Pair {
        let mu = self.mu;
        let lead = 0.25 - mu * mu;
        let mut b = 2.0 * (1.0 + x);
        let mut d = 1.0 / b;
        let (mut h, mut step) = (d, d);
        let (mut q_old, mut q_new) = (0.0, 1.0);
        let (mut a, mut c, mut q) = (-lead, lead, lead);
        let mut sum = 1.0 + q * step;
        for i in 2..MAX_TERMS {
            let k = i as f64;
            a -= 2.0 * (k - 1.0);
            c *= -a / k;
            let next = (q_old - b * q_new) / a;
            (q_old, q_new) = (q_new, next);
            q += c * q_new;
            b += 2.0;
            d = 1.0 / (b + a * d);
            step *= b * d - 1.0;
            h += step;
            let term = q * step;
            sum += term;
            if term.abs() < 0.25 * f64::EPSILON * sum.abs() {
                break;
            }
        }
        let first = (PI / (2.0 * x)).sqrt() / sum;
        Pair { first, second_x: first * (mu + x + 0.5 - lead * h) }
    }
}

/// `K_nu(x)`; prepare a [`BesselK`] to evaluate one order at many points.
///
/// # Panics
/// As [`BesselK::new`].
#[must_use]
pub fn bessel_k(nu: f64, x: f64) -> f64 {
    BesselK::new(nu).value(x)
}

/// `e^x K_nu(x)`.
///
/// # Panics
/// As [`BesselK::new`].
#[must_use]
pub fn bessel_k_scaled(nu: f64, x: f64) -> f64 {
    BesselK::new(nu).scaled(x)
}
