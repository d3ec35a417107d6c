//! The length of the difference of two points.

use std::ops::Range;

use super::Points;
use super::panels::{PanelPairs, Rule};
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::Prepared;

/// Straight lines.
pub(in crate::distance) const EUCLIDEAN: Metric = Metric {
    name: "euclidean",
    summary: "length of the straight line",
    formula: "sqrt(sum_k (x_k - y_k)^2)",
    citation: "Euclid, Elements, book I, proposition 47; scipy.spatial.distance.euclidean",
    has_triangle_inequality: true,
    of: Of::Points(prepare),
};

/// The square root of a sum of squares of differences: nothing is lost between near points far from
/// the origin.
#[derive(Debug)]
pub(super) struct Euclidean;

impl Rule for Euclidean {
    #[inline(always)]
    fn add<const FUSED: bool>(sum: f64, x: f64, y: f64) -> f64 {
        let difference = x - y;
        if FUSED { difference.mul_add(difference, sum) } else { difference * difference + sum }
    }

    #[inline(always)]
    fn finish(&self, _: usize, _: Range<usize>, sums: &mut [f64]) {
        sums.iter_mut().for_each(|sum| *sum = sum.sqrt());
    }
}

fn prepare(points: Points) -> Prepared {
    Ok(PanelPairs::new(Euclidean, points.dimensions(), &points.coordinates))
}
