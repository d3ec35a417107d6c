//! The sum of the differences of coordinates.

use std::ops::Range;

use super::Points;
use super::panels::{PanelPairs, Rule};
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::Prepared;

/// Ways along the axes.
pub(in crate::distance) const MANHATTAN: Metric = Metric {
    name: "manhattan",
    summary: "length of a way along the axes",
    formula: "sum_k |x_k - y_k|",
    citation: "scipy.spatial.distance.cityblock",
    has_triangle_inequality: true,
    of: Of::Points(prepare),
};

#[derive(Debug)]
struct Manhattan;

impl Rule for Manhattan {
    #[inline(always)]
    fn add<const FUSED: bool>(sum: f64, x: f64, y: f64) -> f64 {
        sum + (x - y).abs()
    }

    #[inline(always)]
    fn finish(&self, _: usize, _: Range<usize>, _: &mut [f64]) {}
}

fn prepare(points: Points) -> Prepared {
    Ok(PanelPairs::new(Manhattan, points.dimensions(), &points.coordinates))
}
