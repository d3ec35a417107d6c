//! How figures of traces look: sizes that they share.

pub(super) use tegula_figures::style::{Rule, fills, rules, style};

/// Width of the time axis in pixels.
pub(super) const CHART: f64 = 1000.0;
/// Where the time axis starts.
pub(super) const LEFT: f64 = 150.0;
/// Where what stands to its right starts.
pub(super) const RIGHT: f64 = LEFT + CHART + 12.0;
/// Width of a figure.
pub(super) const WIDTH: f64 = RIGHT + 114.0;
