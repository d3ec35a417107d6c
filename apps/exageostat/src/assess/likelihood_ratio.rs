//! The likelihood-ratio test of a model against one that it is a special case of.

use std::f64::consts::PI;

/// The test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioTest {
    /// Twice the difference of the log-likelihoods.
    pub statistic: f64,
    /// Parameters that the special case fixes.
    pub degrees: usize,
    /// How many of these it fixes at an end of their domain, as a nugget at 0.
    pub at_boundary: usize,
    /// Probability of a statistic as large or larger where the special case holds; an upper bound
    /// of it where more than one parameter is at an end of its domain.
    pub p: f64,
}

impl RatioTest {
    /// Of the greatest log-likelihoods of the general model and of its special case.
    ///
    /// The statistic is chi-squared with `degrees` of freedom (S. S. Wilks, "The large-sample
    /// distribution of the likelihood ratio for testing composite hypotheses", Annals of
    /// Mathematical Statistics 9 (1938) 60-62). With one parameter at an end of its domain it is so
    /// in half of all cases, and with one degree less in the other half (S. G. Self, K.-Y. Liang,
    /// "Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under
    /// nonstandard conditions", J. American Statistical Association 82 (1987) 605-610, cases
    /// 5 and 6).
    ///
    /// # Panics
    /// If no parameter is fixed, or more are at an end than are fixed.
    #[must_use]
    pub fn new(general: f64, special: f64, degrees: usize, at_boundary: usize) -> Self {
        assert!(degrees > 0 && at_boundary <= degrees, "{at_boundary} of {degrees} degrees");
        let statistic = 2.0 * (general - special);
        let whole = chi_squared_tail(statistic, degrees);
        let p = match at_boundary {
            1 => 0.5 * (whole + chi_squared_tail(statistic, degrees - 1)),
            _ => whole,
        };
        Self { statistic, degrees, at_boundary, p }
    }
}

/// Probability that chi-squared with `degrees` of freedom is greater than `x`, and, for no degrees,
/// where it is always 0, that it is as great: `Q(1) = erfc(sqrt(x/2))`, `Q(2) = exp(-x/2)`,
/// `Q(k + 2) = Q(k) + (x/2)^(k/2) exp(-x/2) / Gamma(k/2 + 1)`. Source: M. Abramowitz, I. A. Stegun,
/// "Handbook of mathematical functions" (1964), 26.4.4, 26.4.5 and 26.4.8.
fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let half = 0.5 * x;
    // The tail, and what is added to it for two degrees more.
    let (mut tail, mut term, first) = match degrees % 2 {
        0 => (0.0, (-half).exp(), 0),
        _ => (libm::erfc(half.sqrt()), (-half).exp() * 2.0 * (half / PI).sqrt(), 1),
    };
    for k in (first..degrees).step_by(2) {
        tail += term;
        term *= half / (0.5 * k as f64 + 1.0);
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x`, `df` and `pchisq(x, df, lower.tail = FALSE)` of R 4.2.2.
    const REFERENCE: [(f64, usize, f64); 8] = [
        (3.841459, 1, 0.049_999_994_653_195_726),
        (0.1, 1, 0.751_829_634_045_849_3),
        (50.0, 1, 1.5374597944280343e-12),
        (5.99, 2, 0.050_036_627_086_586_28),
        (7.3, 3, 0.062_926_236_459_043_17),
        (0.5, 4, 0.973_500_978_839_256_1),
        (20.0, 7, 0.005_569_683_072_945_571),
        (300.0, 10, 1.5546747543803181e-58),
    ];

    #[test]
    fn tails_are_those_of_r() {
        for (x, degrees, expected) in REFERENCE {
            let found = chi_squared_tail(x, degrees);
            assert!((found / expected - 1.0).abs() < 1e-12, "{x} {degrees}: {found} {expected}");
        }
        assert_eq!((chi_squared_tail(0.0, 3), chi_squared_tail(2.0, 0)), (1.0, 0.0));
    }

    #[test]
    fn a_boundary_halves_the_tails() {
        let test = RatioTest::new(-10.0, -11.5, 1, 1);
        assert_eq!((test.statistic, test.p), (3.0, 0.5 * chi_squared_tail(3.0, 1)));
        let two = RatioTest::new(-10.0, -11.5, 2, 1);
        let expected = 0.5 * (chi_squared_tail(3.0, 1) + chi_squared_tail(3.0, 2));
        assert!((two.p - expected).abs() < 1e-15);
        // No better: nothing speaks against the special case.
        assert_eq!(RatioTest::new(-10.0, -10.0, 1, 1).p, 1.0);
    }
}
