//! Coefficients of a mean with their standard errors and tests, as R's `gls` prints them.

use tegula_kernels::special::ln_gamma;

use crate::design::Design;
use crate::likelihood::Evaluation;

/// A coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// Name of the column.
    pub name: String,
    /// The estimate, by generalised least squares.
    pub estimate: f64,
    /// Its standard error, the covariance taken as known.
    pub std_error: f64,
    /// The estimate in standard errors.
    pub t: f64,
    /// Probability that one without effect is as far from 0, or farther: of Student's `t` with
    /// [`Coefficients::degrees_of_freedom`], as in `summary.gls` of R's nlme.
    pub p: f64,
}

/// The coefficients of a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// One for each column.
    pub each: Vec<Coefficient>,
    /// Observations less coefficients.
    pub degrees_of_freedom: usize,
    /// Covariance matrix of the estimates, the covariance of the field taken as known, by columns;
    /// of replicates, that of each.
    pub covariance: Vec<f64>,
}

impl Coefficients {
    /// From the coefficients `c` of the orthonormal columns of `design` and their covariance `A`:
    /// `b = R^-1 c` has covariance `R^-1 A R^-T`. Those of one replicate after those of another.
    #[must_use]
    pub fn new(design: &Design, evaluation: &Evaluation) -> Self {
        let (a, p) = (&evaluation.coefficient_covariance, evaluation.columns());
        let degrees_of_freedom = evaluation.n.saturating_sub(evaluation.coefficients.len());
        // Columns of R^-1 A, then rows of it again.
        let half: Vec<Vec<f64>> =
            a.chunks_exact(p.max(1)).map(|column| design.coefficients(column)).collect();
        let row = |i: usize| half.iter().map(|column| column[i]).collect::<Vec<_>>();
        let covariance: Vec<f64> = (0..p).flat_map(|i| design.coefficients(&row(i))).collect();
        let error = |i: usize| covariance[i * (p + 1)].max(0.0).sqrt();
        let errors: Vec<f64> = (0..p).map(error).collect();
        let each = (0..evaluation.replicates).flat_map(|replicate| {
            let estimates = design.coefficients(evaluation.coefficients_of(replicate));
            estimates.into_iter().zip(&errors).zip(design.names()).map(
                |((estimate, &std_error), name)| {
                    let t = estimate / std_error;
                    let p = two_sided(t, degrees_of_freedom as f64);
                    Coefficient { name: name.clone(), estimate, std_error, t, p }
                },
            )
        });
        Self { each: each.collect(), degrees_of_freedom, covariance }
    }
}

/// Probability that `|T| >= |t|` for Student's `T` with `degrees` of freedom: `I_x(degrees/2, 1/2)`
/// at `x = degrees / (degrees + t^2)`. Source: M. Abramowitz, I. A. Stegun, "Handbook of
/// mathematical functions" (1964), 26.7.1 and 26.5.1.
fn two_sided(t: f64, degrees: f64) -> f64 {
    if degrees == 0.0 || t.is_nan() {
        return f64::NAN;
    }
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    let (x, rest) = (degrees / (degrees + square), square / (degrees + square));
    // The fraction converges fast below the mean of the beta distribution.
    if x < (0.5 * degrees + 1.0) / (0.5 * degrees + 2.5) {
        beta(0.5 * degrees, 0.5, (x, rest))
    } else {
        1.0 - beta(0.5, 0.5 * degrees, (rest, x))
    }
}

/// The incomplete beta function `I_x(a, b)`, where `rest = 1 - x`, by its continued fraction
/// (26.5.8), evaluated as W. J. Lentz, "Generating Bessel functions in Mie scattering calculations
/// using continued fractions", Applied Optics 15 (1976) 668-671.
fn beta(a: f64, b: f64, (x, rest): (f64, f64)) -> f64 {
    const MOST_STEPS: usize = 10_000;
    if x == 0.0 {
        return 0.0;
    }
    let ln_front = a * x.ln() + b * rest.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    let away = |x: f64| if x.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..MOST_STEPS {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change *= c * d;
        }
        fraction *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    ln_front.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `t`, degrees of freedom and `2 * pt(-t, df)` of R 4.2.2.
    const REFERENCE: [(f64, f64, f64); 10] = [
        (1.0, 1.0, 0.49999999999999956),
        (0.01, 3.0, 0.992649111412852),
        (2.5, 10.0, 0.031446844236608776),
        (1.96, 152.0, 0.05182454355231281),
        (12.0, 152.0, 9.242364792884374e-24),
        (40.0, 30.0, 1.3726045194406362e-27),
        (1e-5, 7.0, 0.9999923001709835),
        (3.0, 1e6, 0.0026998625414217923),
        (0.7, 2.0, 0.5563930246328654),
        (100.0, 5.0, 1.8960014224623655e-09),
    ];

    #[test]
    fn probabilities_are_those_of_students_distribution() {
        for (t, degrees, p) in REFERENCE {
            let found = two_sided(t, degrees);
            // Logarithms of gamma functions cancel.
            let tolerance = 1e-11 + 4.0 * f64::EPSILON * ln_gamma(0.5 * degrees + 0.5).abs();
            assert!((found / p - 1.0).abs() < tolerance, "{t}, {degrees}: {found} against {p}");
            assert_eq!(found.to_bits(), two_sided(-t, degrees).to_bits());
        }
        assert_eq!(two_sided(0.0, 5.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 5.0), 0.0);
        assert!(two_sided(f64::NAN, 5.0).is_nan() && two_sided(1.0, 0.0).is_nan());
    }
}
