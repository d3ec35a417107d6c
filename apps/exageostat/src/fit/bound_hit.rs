//! A parameter that ended at one of its bounds, in words.

use crate::covariance::plain;

/// A parameter that ended at one of its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundHit {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// `lower` or `upper`.
    pub end: &'static str,
    /// The bound.
    pub bound: f64,
    /// Whether the bound is a share of the variance.
    pub is_share: bool,
}

impl BoundHit {
    /// A nugget that is none.
    pub(super) const ZERO_NUGGET: Self =
        Self { parameter: "nugget", end: "lower", bound: 0.0, is_share: false };
}

impl std::fmt::Display for BoundHit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { parameter, end, bound, is_share } = self;
        let unit = if *is_share { " times the variance" } else { "" };
        write!(f, "{parameter} ended at its {end} bound, {}{unit}", plain(short(*bound)))
    }
}

/// `x` in at most six digits, without zeros at the end.
pub(super) fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
