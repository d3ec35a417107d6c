//! The gamma function and the combinations of its reciprocal that Temme's method needs.

/// Gamma function (DLMF 5.2.1), to about one unit in the last place.
#[must_use]
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// Natural logarithm of the absolute value of the gamma function.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Coefficients `B_2k / (2k)` of the asymptotic series of the digamma function.
const DIGAMMA: [f64; 7] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
];

/// Digamma function, the derivative of [`ln_gamma`], of `x > 0`: by recurrence up to 12 (DLMF
/// 5.5.2), from there by the asymptotic series (DLMF 5.11.2), whose first term left out is below
/// 1e-17.
///
/// # Panics
/// If `x` is not positive.
#[must_use]
pub fn digamma(x: f64) -> f64 {
    assert!(x > 0.0, "digamma of {x}");
    let (mut x, mut below) = (x, 0.0);
    while x < 12.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = DIGAMMA.iter().rev().fold(0.0, |sum, c| (sum + c) * inverse);
    x.ln() - 0.5 / x - series - below
}

/// Coefficients of `1/Gamma(1 + z) = sum c_k z^k` (DLMF 5.7.1, shifted by one), computed with
/// mpmath at 60 digits. With `|z| <= 1/2` the terms left out are below 1e-22.
const RECIPROCAL: [f64; 24] = [
    1.0,
    0.577_215_664_901_532_9,
    -0.655_878_071_520_253_9,
    -0.042_002_635_034_095_24,
    0.166_538_611_382_291_5,
    -0.042_197_734_555_544_33,
    -0.009_621_971_527_876_973,
    0.007_218_943_246_663_1,
    -0.001_165_167_591_859_065_2,
    -0.000_215_241_674_114_950_98,
    0.000_128_050_282_388_116_2,
    -2.013_485_478_078_824e-5,
    -1.250_493_482_142_670_6e-6,
    1.133_027_231_981_696e-6,
    -2.056_338_416_977_607e-7,
    6.116_095_104_481_416e-9,
    5.002_007_644_469_223e-9,
    -1.181_274_570_487_02e-9,
    1.043_426_711_691_100_5e-10,
    7.782_263_439_905_071e-12,
    -3.696_805_618_642_206e-12,
    5.100_370_287_454_476e-13,
    -2.058_326_053_566_507e-14,
    -5.348_122_539_423_018e-15,
];

/// Temme's `Gamma_1` and `Gamma_2` at one `mu` (Temme 1975), with the
/// reciprocals that follow from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TemmeGamma {
    /// `(1/Gamma(1 - mu) - 1/Gamma(1 + mu)) / (2 mu)`.
    pub(crate) one: f64,
    /// `(1/Gamma(1 - mu) + 1/Gamma(1 + mu)) / 2`.
    pub(crate) two: f64,
    /// `Gamma(1 + mu)`.
    pub(crate) plus: f64,
    /// `Gamma(1 - mu)`.
    pub(crate) minus: f64,
}

impl TemmeGamma {
    /// Sums the odd and the even terms of the series, so that nothing cancels near `mu = 0`.
    ///
    /// # Panics
    /// If `|mu|` exceeds 1/2.
    pub(crate) fn new(mu: f64) -> Self {
        assert!(mu.abs() <= 0.5, "mu = {mu} is outside [-1/2, 1/2]");
        let square = mu * mu;
        let horner = |first: usize| {
            let terms = RECIPROCAL[first..].iter().step_by(2);
            terms.rev().fold(0.0, |sum: f64, c| sum * square + c)
        };
        let (one, two) = (-horner(1), horner(0));
        Self { one, two, plus: 1.0 / (two - mu * one), minus: 1.0 / (two + mu * one) }
    }
}
