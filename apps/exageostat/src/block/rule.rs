//! Gauss's rule on blocks, with as many nodes as their covariance asks for.
//!
//! Source of the rule: M. Abramowitz, I. A. Stegun, "Handbook of mathematical functions" (1964),
//! table 25.4, halved.

use tegula_kernels::kernel::covariance::RadialTable;

use super::{BlockError, length};

/// Where a node lies from the centre, and its weight.
pub(super) type Node = ([f64; 3], f64);

/// Nodes and weights on an interval of length 1 about 0.
const RULE: [(f64, f64); 4] = [
    (-0.430_568_155_797_026_3, 0.173_927_422_568_726_93),
    (-0.169_990_521_792_428_13, 0.326_072_577_431_273_07),
    (0.169_990_521_792_428_13, 0.326_072_577_431_273_07),
    (0.430_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Most nodes of a block.
const MOST_NODES: usize = 1 << 14;
/// Most panels of a side for covariances of blocks with each other.
const MOST_PANELS: f64 = 16.0;
/// How often the panels of a variance are halved towards the covariance's tip at distance 0.
const HALVINGS: i32 = 12;

/// A place alone.
pub(super) fn point() -> Vec<Node> {
    vec![([0.0; 3], 1.0)]
}

/// The distance over which the covariance of `table` falls to a half.
pub(super) fn half(table: &RadialTable) -> f64 {
    let is_above = |d: f64| table.value(d) > 0.5 * table.variance;
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    // By exponents, then to nearly all digits, so that nodes do not depend on units.
    while high / low > 1.0 + 1e-14 {
        let middle = low.sqrt() * high.sqrt();
        if is_above(middle) { low = middle } else { high = middle }
    }
    high
}

/// Panels of each of the sides of these `lengths`, two at least, none longer than `half`.
pub(super) fn panels(lengths: &[f64], half: f64) -> Result<Vec<usize>, BlockError> {
    let each: Vec<f64> = lengths.iter().map(|length| (length / half).ceil().max(2.0)).collect();
    let nodes: f64 = each.iter().map(|panels| RULE.len() as f64 * panels).product();
    if nodes > MOST_NODES as f64 {
        let ratio = lengths.iter().fold(0.0, |most: f64, length| most.max(length / half));
        return Err(BlockError::Large { ratio, nodes, most: MOST_NODES });
    }
    Ok(each.into_iter().map(|panels| panels as usize).collect())
}

/// The centre, of no weight, and the nodes of a block with `sides` in so many `panels`.
pub(super) fn nodes(sides: &[[f64; 3]], panels: &[usize]) -> Vec<Node> {
    if sides.is_empty() {
        return point();
    }
    let centre = ([0.0; 3], 0.0);
    std::iter::once(centre).chain(crossed(sides, panels)).collect()
}

/// The nodes of a block whose mean with a smooth function is taken.
pub(super) fn fine(sides: &[[f64; 3]], half: f64) -> Vec<Node> {
    let panels = |side| (length(side) / half).ceil().clamp(1.0, MOST_PANELS) as usize;
    crossed(sides, &sides.iter().map(panels).collect::<Vec<_>>())
}

fn crossed(sides: &[[f64; 3]], panels: &[usize]) -> Vec<Node> {
    sides.iter().zip(panels).fold(point(), |nodes, (side, &panels)| {
        let places = (0..panels).flat_map(|panel| {
            let middle = (panel as f64 + 0.5) / panels as f64 - 0.5;
            RULE.map(|(x, share)| (middle + x / panels as f64, share / panels as f64))
        });
        let along = |(x, share): (f64, f64), (at, weight): Node| {
            (std::array::from_fn(|k| at[k] + x * side[k]), weight * share)
        };
        places.flat_map(|place| nodes.iter().map(move |&node| along(place, node))).collect()
    })
}

/// The variance of the mean over a block with these `sides`: with `u` the shares of the sides by
/// which two points differ, the integral of `prod (1 - |u|)` times the covariance at `sum u side`
/// over all `u` from -1 to 1. Panels are halved towards 0, where the covariance may have a tip.
pub(super) fn variance(sides: &[[f64; 3]], half: f64, table: &RadialTable) -> f64 {
    let mut sum = 0.0;
    let Some((first, others)) = sides.split_first() else { return table.variance };
    // A difference and its opposite count the same.
    let mut nodes: Vec<Node> = differences(first, half)
        .into_iter()
        .map(|(u, weight)| (first.map(|x| u * x), 2.0 * weight))
        .collect();
    for side in others {
        let both = differences(side, half).into_iter().flat_map(|(u, w)| [(u, w), (-u, w)]);
        let along = |(u, weight): (f64, f64), (at, own): &Node| {
            (std::array::from_fn(|k| at[k] + u * side[k]), own * weight)
        };
        nodes = both.flat_map(|one| nodes.iter().map(move |node| along(one, node))).collect();
    }
    for (at, weight) in &nodes {
        sum += weight * table.value(length(at));
    }
    sum
}

/// Nodes from 0 to 1 with their weights, which have the factor `1 - u`.
fn differences(side: &[f64; 3], half: f64) -> Vec<(f64, f64)> {
    let panels = (length(side) / half).ceil().clamp(1.0, 4.0 * MOST_PANELS);
    let mut ends = vec![0.0];
    ends.extend((1..=HALVINGS).rev().map(|k| 0.5f64.powi(k) / panels));
    ends.extend((1..=panels as usize).map(|k| k as f64 / panels));
    let panel = |pair: &[f64]| {
        let (middle, width) = (0.5 * (pair[0] + pair[1]), pair[1] - pair[0]);
        RULE.map(|(x, share)| {
            let u = middle + x * width;
            (u, share * width * (1.0 - u))
        })
    };
    ends.windows(2).flat_map(panel).collect()
}
