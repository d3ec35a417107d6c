//! The Matern correlation `2^(1-nu)/Gamma(nu) x^nu K_nu(x)` (Matern 1960; Stein, Interpolation of
//! Spatial Data, 1999, section 2.10), without the factor `sqrt(2 nu)` in its argument.

use std::f64::consts::PI;

use super::bessel_k::BesselK;
use super::gamma::gamma;

/// Argument below which the ascending series is exact: the terms left out are below 1e-17.
pub const NEAR: f64 = 1.0 / 65536.0;

/// Argument from which every order up to 20 underflows.
const FAR: f64 = 1200.0;

/// The ascending series at small `x`, with `s = x^2`: `a(s) + s^power b(s)`, constant terms of
/// `a` and coefficients of `b` (DLMF 10.27.4 with 10.25.2, in closed form).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascending {
    /// Coefficients of `a`, from the constant term 1.
    pub a: [f64; 3],
    /// Coefficients of `b`, from its constant term.
    pub b: [f64; 3],
    /// The smoothness, moved off an integer by 1e-9 where `a` and `b` have poles that cancel.
    pub power: f64,
}

/// The correlation for one smoothness.
#[derive(Clone, Copy, Debug)]
pub struct Matern {
    bessel: BesselK,
    /// `2^(1-nu) / Gamma(nu)`.
    factor: f64,
    near: Ascending,
}

impl Matern {
    /// Prepares smoothness `nu`.
    ///
    /// # Panics
    /// If `nu` is not in (0, 20].
    #[must_use]
    pub fn new(nu: f64) -> Self {
        assert!(nu > 0.0 && nu <= 20.0, "smoothness {nu} is outside (0, 20]");
        let factor = 2.0 * nu * (-nu).exp2() / gamma(1.0 + nu);
        Self { bessel: BesselK::new(nu), factor, near: Ascending::new(nu) }
    }

    /// The smoothness.
    #[must_use]
    pub fn smoothness(&self) -> f64 {
        self.bessel.order()
    }

    /// The series that holds for `x < NEAR`.
    #[must_use]
    pub fn near(&self) -> Ascending {
        self.near
    }

    /// The correlation at `x >= 0`: 1 at 0, 0 at infinity and where it underflows.
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        if x < NEAR {
            return self.near.value(x);
        }
        if x >= FAR {
            return 0.0;
        }
        // In two factors, since `e^-x` is denormal before the correlation is.
        let half = (-0.5 * x).exp();
        self.scaled(x) * half * half
    }

    /// `e^x` times the correlation, for `x` in `[NEAR, FAR)`: a function without fast decay.
    ///
    /// With `P_nu = x^nu K_nu` the recurrence is `P_(nu+1) = 2 nu P_nu + x^2 P_(nu-1)`, of positive
    /// terms; at half-integers it ends in the closed form of DLMF 10.49.12.
    #[must_use]
    pub fn scaled(&self, x: f64) -> f64 {
        let mu = self.bessel.mu();
        let square = x * x;
        let (mut below, mut here) = if mu.abs() == 0.5 {
            half_integer_start(mu, x)
        } else {
            let (pair, power) = (self.bessel.pair(x), x.powf(mu));
            (power * pair.first, power * pair.second_x)
        };
        if self.bessel.steps() == 0 {
            return self.factor * below;
        }
        for k in 1..self.bessel.steps() {
            let next = 2.0 * (mu + f64::from(k)) * here + square * below;
            (below, here) = (here, next);
        }
        self.factor * here
    }
}

/// `x^mu e^x K_mu` and `x^(mu+1) e^x K_(mu+1)` for `mu = -1/2` or `1/2`.
fn half_integer_start(mu: f64, x: f64) -> (f64, f64) {
    let constant = (0.5 * PI).sqrt();
    if mu < 0.0 { (constant / x, constant) } else { (constant, constant * (1.0 + x)) }
}

impl Ascending {
    fn new(nu: f64) -> Self {
        let off = nu - nu.round();
        let power = if off.abs() < 1e-9 { nu.round() + 1e-9 } else { nu };
        let a1 = 1.0 / (4.0 * (1.0 - power));
        let a2 = a1 / (8.0 * (2.0 - power));
        if power > 2.5 {
            return Self { a: [1.0, a1, a2], b: [0.0; 3], power };
        }
        let b0 = -(-2.0 * power).exp2() * gamma(1.0 - power) / gamma(1.0 + power);
        let b1 = b0 / (4.0 * (1.0 + power));
        Self { a: [1.0, a1, a2], b: [b0, b1, b1 / (8.0 * (2.0 + power))], power }
    }

    /// The sum at `x`.
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        let (a, b, s) = (&self.a, &self.b, x * x);
        let singular = b[0] + s * (b[1] + s * b[2]);
        a[0] + (s * (a[1] + s * a[2]) + x.powf(2.0 * self.power) * singular)
    }
}
