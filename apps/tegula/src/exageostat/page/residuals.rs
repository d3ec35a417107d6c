//! Leave-one-out residuals: their histogram, their quantiles, and where they are.

use std::f64::consts::TAU;

use tegula_exageostat::assess::{LeftOut, Scores, normal_quantile};
use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::colour::Colours;
use tegula_figures::html::captioned;

use super::fields::{Field, fields, others};
use super::{Page, maps};
use crate::output::{count, number};

/// Most points of the plot of quantiles; of more, those at either end and some between.
const MOST_QUANTILES: usize = 400;
/// Points at either end that are always shown.
const ENDS: usize = 30;
/// Points of the density.
const STEPS: i32 = 80;

/// The three figures.
pub(super) fn figures(page: &Page<'_>, found: &[LeftOut]) -> String {
    let standardised: Vec<f64> = found.iter().map(LeftOut::standardised).collect();
    let mut sorted: Vec<f64> = standardised.iter().copied().filter(|x| x.is_finite()).collect();
    if sorted.is_empty() {
        return "<p>No observation is determined by the others.</p>\n".to_owned();
    }
    sorted.sort_by(f64::total_cmp);
    let scores = Scores::new(found);
    // The last of the levels.
    let [.., within_95] = scores.coverage;
    let words = format!(
        "Observed less predicted from all others, in standard errors, of {}; mean square {} (1 if the \
         variances are right), {} % within the 95 % intervals.{}",
        count(sorted.len(), "observation"),
        number(scores.msse, 4),
        number(100.0 * within_95, 3),
        page.scale(),
    );
    let title = "Standardised residuals";
    captioned(title, &histogram(&sorted), &words)
        + &quantiles(&sorted)
        + &where_they_are(page, &standardised)
}

/// A map of the residuals of each field.
fn where_they_are(page: &Page<'_>, standardised: &[f64]) -> String {
    // Of replicates those of one come after those of another.
    let (n, are_replicates) = (page.data.measured.len(), page.data.values.replicates() > 1);
    let others = others(page.data);
    let figure = |(number, field): (usize, &Field<'_>)| {
        let start = if are_replicates { number * n } else { 0 };
        let values: Vec<f64> = field.of.iter().map(|&i| standardised[start + i]).collect();
        let title = maps::title(page, "Where they are", field.name);
        maps::ground(page, field).figure(
            (&title, "standardised residual"),
            &values,
            Colours::Signed,
            &format!("Blue: predicted too high; red: too low.{others}"),
        )
    };
    fields(page.data).iter().enumerate().map(figure).collect()
}

/// The histogram over the density of the standard normal distribution.
fn histogram(sorted: &[f64]) -> String {
    let n = sorted.len() as f64;
    let (low, high) = (sorted[0].clamp(-8.0, -3.0), sorted[sorted.len() - 1].clamp(3.0, 8.0));
    let bins = (2.0 * n.cbrt()).clamp(8.0, 40.0);
    let width = (high - low) / bins;
    let mut counts = vec![0usize; bins as usize];
    let width = width * bins / counts.len() as f64;
    let last = counts.len() - 1;
    for x in sorted {
        counts[(((x - low) / width).max(0.0) as usize).min(last)] += 1;
    }
    let bar = |(bin, count): (usize, &usize)| {
        let start = low + bin as f64 * width;
        (start, start + width, *count as f64 / (n * width))
    };
    let bars: Vec<(f64, f64, f64)> = counts.iter().enumerate().map(bar).collect();
    let density = |k: i32| {
        let x = low + f64::from(k) / f64::from(STEPS) * (high - low);
        (x, (-0.5 * x * x).exp() / TAU.sqrt())
    };
    let line: Vec<(f64, f64)> = (0..=STEPS).map(density).collect();
    chart(&Chart {
        x: "standardised residual",
        y: "density",
        with_x: &[],
        with_y: &[0.0],
        layers: &[Layer::Bars(&bars), Layer::Line(&line)],
    })
}

/// Quantiles against those of the standard normal distribution.
fn quantiles(sorted: &[f64]) -> String {
    let n = sorted.len();
    let every = n.div_ceil(MOST_QUANTILES);
    let is_shown = |i: &usize| i.is_multiple_of(every) || *i < ENDS || *i + ENDS >= n;
    let point = |i: usize| (normal_quantile((i as f64 + 0.5) / n as f64), sorted[i]);
    let points: Vec<(f64, f64)> = (0..n).filter(is_shown).map(point).collect();
    let end = points[points.len() - 1].0.max(1.0);
    let diagonal = [(-end, -end), (end, end)];
    let svg = chart(&Chart {
        x: "normal quantile",
        y: "standardised residual",
        with_x: &[],
        with_y: &[],
        layers: &[Layer::Line(&diagonal), Layer::Dots(&points)],
    });
    let words = "On the line if errors are normal and their variances right.";
    captioned("Quantiles of the residuals", &svg, words)
}
