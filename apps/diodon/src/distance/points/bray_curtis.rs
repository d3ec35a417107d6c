//! The share of two communities that they do not have in common.

use std::ops::Range;

use super::Points;
use super::panels::{PanelPairs, Rule};
use crate::distance::error::DistanceError;
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::Prepared;

/// Dissimilarity of abundances.
pub(in crate::distance) const BRAY_CURTIS: Metric = Metric {
    name: "bray-curtis",
    summary: "share of the abundances that is not common",
    formula: "sum_k |x_k - y_k| / sum_k (x_k + y_k)",
    citation: "Bray and Curtis (1957), Ecological Monographs 27:325; scipy.spatial.distance.braycurtis, vegan::vegdist",
    has_triangle_inequality: false,
    of: Of::Points(prepare),
};

/// Sums of differences over the sums of both points.
#[derive(Debug)]
struct BrayCurtis {
    totals: Vec<f64>,
}

impl Rule for BrayCurtis {
    #[inline(always)]
    fn add<const FUSED: bool>(sum: f64, x: f64, y: f64) -> f64 {
        sum + (x - y).abs()
    }

    #[inline(always)]
    fn finish(&self, row: usize, columns: Range<usize>, sums: &mut [f64]) {
        let total = self.totals[row];
        sums.iter_mut().zip(&self.totals[columns]).for_each(|(sum, other)| *sum /= total + other);
    }
}

/// Abundances are not negative, and at most one point has none at all: two of them have no
/// distance.
fn prepare(points: Points) -> Prepared {
    points.require(|x| x >= 0.0, "and abundances are not negative")?;
    let mut empty = points.empty();
    if let (Some(a), Some(b)) = (empty.next(), empty.next()) {
        let text = format!("points {a} and {b} are all zeros, which have no Bray-Curtis distance");
        return Err(DistanceError::Points(text));
    }
    let totals = points.rows().map(|row| row.iter().sum()).collect();
    Ok(PanelPairs::new(BrayCurtis { totals }, points.dimensions(), &points.coordinates))
}
