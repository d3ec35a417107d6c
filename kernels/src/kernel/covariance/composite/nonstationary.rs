//! A Matern covariance whose variance, range and smoothness differ from place to place.
//!
//! `C_ij = s_i s_j sqrt(l_i l_j) 2/(l_i + l_j) M(2 sqrt(v Q); v)` with `Q = 2 d^2/(l_i + l_j)` and
//! `v = (v_i + v_j)/2`, in the plane (C. J. Paciorek, M. J. Schervish, "Spatial modelling using a
//! new class of nonstationary covariance functions", Environmetrics 17 (2006) 483-506; with varying
//! smoothness M. L. Stein, "Nonstationary spatial covariance functions", 2005). The fields are
//! those of ExaGeoStat: `l = a exp(sin bx + sin by)`, `s = d exp(e(x + y)) + f`, `v = g exp(h(x +
//! y)) + i`. As the smoothness differs, entries are evaluated one by one.

use crate::special::{Matern, MaternDerivatives};

/// The numbers of the fields: `a, b, d, e, f, g, h, i`.
pub const FIELDS: usize = 8;

/// What is known of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    /// Squared range, standard deviation, smoothness.
    square: f64,
    deviation: f64,
    smoothness: f64,
    /// Derivatives of these by the numbers that each depends on.
    square_slopes: [f64; 2],
    deviation_slopes: [f64; 3],
    smoothness_slopes: [f64; 3],
}

impl Local {
    pub(super) fn new(&[a, b, d, e, f, g, h, i]: &[f64; FIELDS], x: f64, y: f64) -> Self {
        let square = a * ((b * x).sin() + (b * y).sin()).exp();
        let s = x + y;
        let (deviations, smoothnesses) = ((e * s).exp(), (h * s).exp());
        Self {
            square,
            deviation: d * deviations + f,
            smoothness: g * smoothnesses + i,
            square_slopes: [square / a, square * (x * (b * x).cos() + y * (b * y).cos())],
            deviation_slopes: [deviations, d * s * deviations, 1.0],
            smoothness_slopes: [smoothnesses, g * s * smoothnesses, 1.0],
        }
    }
}

/// The largest smoothness that is computed with.
const MAX_SMOOTHNESS: f64 = 20.0;

/// The covariance of two places that are `d` apart, and, if wanted, its derivatives; NaN where the
/// numbers make no smoothness or no standard deviation.
pub(super) fn entry(one: &Local, other: &Local, d: f64, slopes: Option<&mut [f64; FIELDS]>) -> f64 {
    let (sum, smoothness) =
        (one.square + other.square, f64::midpoint(one.smoothness, other.smoothness));
    if !(smoothness > 0.0 && smoothness <= MAX_SMOOTHNESS && one.deviation * other.deviation > 0.0)
    {
        slopes.into_iter().for_each(|slopes| slopes.fill(f64::NAN));
        return f64::NAN;
    }
    let u = 2.0 * d * (2.0 * smoothness / sum).sqrt();
    let factor = one.deviation * other.deviation * 2.0 * (one.square * other.square).sqrt() / sum;
    let value = if d == 0.0 { factor } else { factor * Matern::new(smoothness).value(u) };
    let Some(slopes) = slopes else { return value };
    let (by_range, by_smoothness) = if d == 0.0 || value == 0.0 {
        (0.0, 0.0)
    } else {
        let matern = MaternDerivatives::new(smoothness);
        (matern.by_range(u), matern.by_smoothness(u))
    };
    let (squares, rest) = slopes.split_at_mut(2);
    let (deviations, smoothnesses) = rest.split_at_mut(3);
    let pairs = one.square_slopes.iter().zip(&other.square_slopes);
    for (slope, (a, b)) in squares.iter_mut().zip(pairs) {
        let (both, each) = (a + b, a / one.square + b / other.square);
        *slope = value * (0.5 * each - both / sum + 0.5 * by_range * both / sum);
    }
    let pairs = one.deviation_slopes.iter().zip(&other.deviation_slopes);
    for (slope, (a, b)) in deviations.iter_mut().zip(pairs) {
        *slope = value * (a / one.deviation + b / other.deviation);
    }
    let pairs = one.smoothness_slopes.iter().zip(&other.smoothness_slopes);
    for (slope, (a, b)) in smoothnesses.iter_mut().zip(pairs) {
        let mean = f64::midpoint(*a, *b);
        *slope = value * mean * (by_smoothness - 0.5 * by_range / smoothness);
    }
    value
}
