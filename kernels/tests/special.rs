//! Special functions against answers of mpmath, an independent library, closed forms and limits.

use complex_bessel::besselk_scaled;
use num_complex::Complex;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::special::{
    BesselK, Matern, MaternDerivatives, MaternProfile, bessel_k, bessel_k_scaled, digamma, gamma,
    ln_gamma,
};

const EPS: f64 = f64::EPSILON;

/// Values of smoothness with nothing special about them, near special ones, and special ones.
const ORDERS: [f64; 17] = [
    0.01,
    0.05,
    0.3,
    0.499_999_9,
    0.5,
    0.500_000_1,
    0.999_999_9,
    1.0,
    1.000_000_1,
    1.27,
    2.0,
    2.5,
    3.7,
    7.25,
    10.0,
    10.3,
    12.0,
];

/// `nu`, `x`, `K_nu(x)`, Matern correlation.
fn answers() -> Vec<[f64; 4]> {
    let text = include_str!("bessel_k.csv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let number = |field: &str| field.parse().unwrap();
    rows.map(|row| row.split(',').map(number).collect::<Vec<f64>>().try_into().unwrap()).collect()
}

/// Relative difference, or 0 if both are infinite or below the normal numbers.
fn difference(found: f64, exact: f64) -> f64 {
    let both_vanish = found.abs() < 2.0 * f64::MIN_POSITIVE && exact < 2.0 * f64::MIN_POSITIVE;
    if found == exact || both_vanish { 0.0 } else { (found / exact - 1.0).abs() }
}

/// A number between `low` and `high`, uniform in its logarithm.
fn log_uniform(random: &mut RandomInputs, low: f64, high: f64) -> f64 {
    (low.ln() + (high / low).ln() * 0.5 * (random.number::<f64>() + 1.0)).exp()
}

#[test]
fn bessel_k_agrees_with_mpmath() {
    for [nu, x, exact, _] in answers() {
        let found = bessel_k(nu, x);
        // Each step upwards in the order rounds three times; the start is good to about 10 eps.
        let bound = (16.0 + 3.0 * nu) * EPS;
        assert!(difference(found, exact) <= bound, "K_{nu}({x}) = {found:e}, not {exact:e}");
    }
}

#[test]
fn matern_agrees_with_mpmath() {
    for [nu, x, _, exact] in answers() {
        let found = Matern::new(nu).value(x);
        let bound = (16.0 + 3.0 * nu) * EPS;
        assert!(difference(found, exact) <= bound, "M_{nu}({x}) = {found:e}, not {exact:e}");
    }
}

#[test]
fn the_derivative_by_smoothness_agrees_with_mpmath() {
    let text = include_str!("matern_derivative.csv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for row in rows {
        let numbers: Vec<f64> = row.split(',').map(|field| field.parse().unwrap()).collect();
        let [nu, x, matern, exact] = numbers[..] else { panic!("{row}") };
        if matern < f64::MIN_POSITIVE {
            continue;
        }
        let found = MaternDerivatives::new(nu).by_smoothness(x);
        // Relative to the correlation, which is what it multiplies: three terms are summed, and
        // decimals are rounded to numbers.
        let bound = 20.0 * EPS * (1.0 + digamma(nu).abs());
        let exact = exact / matern;
        assert!(
            (found - exact).abs() <= bound * (1.0 + exact.abs()),
            "nu {nu} x {x}: {found}, not {exact}"
        );
        count += 1;
    }
    assert!(count > 200, "{count} rows");
}

#[test]
fn the_derivative_by_range_is_that_of_a_difference() {
    for nu in ORDERS {
        let (matern, derivatives) = (Matern::new(nu), MaternDerivatives::new(nu));
        for x in [0.01, 0.3, 1.0, 1.7, 4.0, 25.0, 300.0] {
            // By the logarithm of the range, of the logarithm of the correlation.
            let at = |change: f64| {
                let x = x * (-change).exp();
                matern.scaled(x).ln() - x
            };
            let h = 1e-3;
            let difference = |k: f64| at(k * h) - at(-k * h);
            let expected =
                (45.0 * difference(1.0) - 9.0 * difference(2.0) + difference(3.0)) / (60.0 * h);
            let found = derivatives.by_range(x);
            assert!(
                (found - expected).abs() < 1e-10 * (1.0 + x),
                "nu {nu} x {x}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn digamma_has_its_known_values() {
    const EULER: f64 = 0.577_215_664_901_532_9;
    assert!((digamma(1.0) + EULER).abs() < 4.0 * EPS);
    assert!((digamma(0.5) + EULER + 2.0 * std::f64::consts::LN_2).abs() < 8.0 * EPS);
    for x in [0.01, 0.3, 2.7, 11.9, 12.1, 40.0] {
        let (next, here) = (digamma(x + 1.0), digamma(x));
        assert!((next - here - 1.0 / x).abs() < 8.0 * EPS * (1.0 + 1.0 / x), "{x}");
    }
}

#[test]
fn bessel_k_agrees_with_amos_at_random_points() {
    let mut random = RandomInputs::new(7);
    for _ in 0..20_000 {
        let nu = 5.5 * (random.number::<f64>() + 1.0);
        let x = log_uniform(&mut random, 1e-6, 700.0);
        let exact = besselk_scaled(nu, Complex::new(x, 0.0)).unwrap().re;
        // That library errs by up to 1.1e-13 near x = 2 for small orders (checked with mpmath).
        let found = bessel_k_scaled(nu, x);
        assert!(difference(found, exact) <= 2e-13, "e^x K_{nu}({x}) = {found:e}, not {exact:e}");
    }
}

#[test]
fn regimes_join() {
    for nu in ORDERS {
        let (bessel, matern) = (BesselK::new(nu), Matern::new(nu));
        for x in [1.5, 1.0 / 65536.0] {
            let (below, at): (f64, f64) = (f64::from_bits(f64::to_bits(x) - 1), x);
            let above = f64::from_bits(f64::to_bits(x) + 1);
            // Neighbours differ by eps times the exponent of growth, at most nu, and rounding.
            let bound = (32.0 + 4.0 * nu) * EPS;
            for pair in [(below, at), (at, above)] {
                assert!(difference(bessel.value(pair.0), bessel.value(pair.1)) <= bound);
                assert!(difference(matern.value(pair.0), matern.value(pair.1)) <= bound);
            }
        }
    }
}

#[test]
fn matern_falls_from_1_to_0() {
    for nu in ORDERS {
        let matern = Matern::new(nu);
        let (mut x, mut last) = (1e-320, 1.0);
        while x < 1e300 {
            let value = matern.value(x);
            assert!((0.0..=1.0 + 8.0 * EPS).contains(&value), "M_{nu}({x:e}) = {value:e}");
            assert!(value <= last * (1.0 + 32.0 * EPS), "M_{nu} rises to {value:e} at {x:e}");
            (x, last) = (x * 1.01, value);
        }
        assert_eq!(last, 0.0);
    }
}

#[test]
fn limits_are_exact() {
    for nu in ORDERS {
        let matern = Matern::new(nu);
        assert_eq!(matern.value(0.0), 1.0);
        assert_eq!(matern.value(f64::INFINITY), 0.0);
        assert_eq!(matern.value(1e5), 0.0);
        assert!(matern.value(f64::NAN).is_nan());
        assert_eq!(bessel_k(nu, 0.0), f64::INFINITY);
        assert_eq!(bessel_k(nu, f64::INFINITY), 0.0);
        assert!(bessel_k(nu, f64::NAN).is_nan() && bessel_k(nu, -1.0).is_nan());
    }
}

#[test]
fn half_integers_have_closed_forms() {
    let mut random = RandomInputs::new(8);
    for _ in 0..2000 {
        let x = log_uniform(&mut random, 1e-12, 600.0);
        let e = (-x).exp();
        let close = |nu: f64, exact: f64| {
            assert!(difference(Matern::new(nu).value(x), exact) <= 16.0 * EPS, "{nu} {x}");
        };
        close(0.5, e);
        close(1.5, e * (1.0 + x));
        close(2.5, e * (1.0 + x + x * x / 3.0));
        close(3.5, e * (1.0 + x + 0.4 * x * x + x * x * x / 15.0));
    }
}

#[test]
fn the_profile_follows_the_correlation() {
    let mut random = RandomInputs::new(9);
    for nu in ORDERS {
        let matern = Matern::new(nu);
        let profile = MaternProfile::new(matern);
        for _ in 0..3000 {
            let x = log_uniform(&mut random, 2f64.powi(-16), 1023.0);
            let [found] = profile.scaled(&[x]);
            // Sixteen terms of Clenshaw's recurrence on values that are good to 16 eps, and larger
            // by up to 2^(nu/2) elsewhere in the octave.
            let bound = (48.0 + 2.0 * (0.5 * nu).exp2()) * EPS;
            assert!(difference(found, matern.scaled(x)) <= bound, "{nu} {x}");
        }
    }
}

#[test]
fn gamma_has_its_known_values() {
    let mut factorial = 1.0;
    for n in 1..20 {
        assert_eq!(gamma(f64::from(n)), factorial);
        factorial *= f64::from(n);
    }
    let root = std::f64::consts::PI.sqrt();
    assert!(difference(gamma(0.5), root) <= 2.0 * EPS);
    for x in [0.01, 0.3, 0.77] {
        let reflected = std::f64::consts::PI / (std::f64::consts::PI * x).sin();
        assert!(difference(gamma(x) * gamma(1.0 - x), reflected) <= 8.0 * EPS);
        assert!((ln_gamma(x) - gamma(x).ln()).abs() <= 8.0 * EPS * (1.0 + ln_gamma(x).abs()));
    }
}

#[test]
#[should_panic(expected = "smoothness -1 is outside")]
fn a_negative_smoothness_is_refused() {
    let _ = Matern::new(-1.0);
}
