//! The distance of two profiles of counts, in which rare columns weigh more.

use super::Points;
use super::euclidean::Euclidean;
use super::panels::PanelPairs;
use crate::distance::error::DistanceError;
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::Prepared;

/// What correspondence analysis preserves.
pub(in crate::distance) const CHI_SQUARE: Metric = Metric {
    name: "chi-square",
    summary: "distance of profiles, as correspondence analysis has it",
    formula: "sqrt(sum_k n / c_k (x_k / sum x - y_k / sum y)^2)",
    citation: "Legendre and Gallagher (2001), Oecologia 129:271, eq. 4; \
         vegan::vegdist(method = \"chisq\"), ade4::dudi.coa",
    has_triangle_inequality: true,
    of: Of::Points(prepare),
};

/// With `c_k` the total of column `k` and `n` that of the table. A column of zeros adds nothing; a
/// point of zeros has no profile.
fn prepare(mut points: Points) -> Prepared {
    points.require(|x| x >= 0.0, "and counts are not negative")?;
    if let Some(name) = points.empty().next() {
        let text = format!("point {name} is all zeros, which has no profile");
        return Err(DistanceError::Points(text));
    }
    let dimensions = points.dimensions();
    let mut totals = vec![0.0; dimensions];
    for row in points.rows() {
        totals.iter_mut().zip(row).for_each(|(total, x)| *total += x);
    }
    let all: f64 = totals.iter().sum();
    let weight = |&total: &f64| if total > 0.0 { (all / total).sqrt() } else { 0.0 };
    let weights: Vec<f64> = totals.iter().map(weight).collect();
    for row in points.coordinates.chunks_exact_mut(dimensions) {
        let total: f64 = row.iter().sum();
        row.iter_mut().zip(&weights).for_each(|(x, weight)| *x = *x / total * weight);
    }
    Ok(PanelPairs::new(Euclidean, dimensions, &points.coordinates))
}
