//! The empirical variogram with the model's semivariances.

use tegula_exageostat::variogram::{
    self as library, Options, Variogram, model_semivariance, subset,
};
use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::html::captioned;

use super::super::variogram::MOST_POINTS;
use super::Page;
use crate::output::number;

/// Points of the line of the model.
const STEPS: usize = 120;
const TITLE: &str = "Variogram";

/// The figure of `found`, which is of so many observations.
fn figure(page: &Page<'_>, found: &Variogram, used: usize) -> String {
    let points: Vec<(f64, f64)> =
        found.bins.iter().map(|bin| (bin.distance, bin.semivariance)).collect();
    let words: Vec<String> = found
        .bins
        .iter()
        .map(|bin| {
            let (distance, value) = (number(bin.distance, 4), number(bin.semivariance, 4));
            format!("{} pairs, distance {distance}, semivariance {value}", bin.pairs)
        })
        .collect();
    let model = &page.file.model;
    let semivariance = model_semivariance(model);
    let step = found.cutoff / STEPS as f64;
    // The first point is beside 0, where the nugget stands.
    let distances = || (0..=STEPS).map(|k| if k == 0 { 1e-6 * step } else { k as f64 * step });
    // Of a model with directions a line for each, the longest range, which is lowest, first.
    let mut directions = model.covariance.principal(&model.values);
    directions.sort_by(|one, other| one.1.total_cmp(&other.1));
    let lines: Vec<Vec<(f64, f64)>> = directions
        .iter()
        .map(|(_, times)| distances().map(|d| (d, semivariance(d * times))).collect())
        .collect();
    let sill = model.variance() + model.nugget;
    let highest = lines.iter().flatten().chain(&points).map(|point| point.1).fold(0.0, f64::max);
    let mut layers: Vec<Layer<'_>> = lines.iter().map(|line| Layer::Line(line)).collect();
    layers.push(Layer::Points(&points, &words));
    // A sill far above all that is seen would hide it.
    if sill <= 1.3 * highest {
        layers.insert(0, Layer::Level(sill, "sill"));
    }
    let unit = page.unit().trim();
    let x = if unit.is_empty() { "distance".to_owned() } else { format!("distance in {unit}") };
    let with_y = if sill <= 1.3 * highest { vec![0.0, sill] } else { vec![0.0] };
    let svg = chart(&Chart {
        x: &x,
        y: "semivariance",
        with_x: &[0.0],
        with_y: &with_y,
        layers: &layers,
    });
    let all = page.data.observations.len();
    let some = if used < all {
        format!(" Of {used} of the {all} observations, at random with seed {}.", page.seed)
    } else {
        String::new()
    };
    let names: Vec<&str> = directions.iter().map(|(name, _)| name.as_str()).collect();
    let (line, along) = match &names[..] {
        [_] => ("Line", String::new()),
        names => ("Lines", format!(" {}, from the lowest line to the highest", names.join(", "))),
    };
    let words = format!(
        "Points: what the fitted mean leaves, by Matheron's estimator, in all directions, up to {}{} in {} \
         bins. {line}: the model{along}, nugget {} included.{some}{}",
        number(found.cutoff, 4),
        page.unit(),
        found.bins.len(),
        number(model.nugget, 4),
        page.scale(),
    );
    captioned(TITLE, &svg, &words)
}

/// The variogram of what the fitted mean leaves, or why there is none.
fn empirical(page: &Page<'_>) -> Result<(Variogram, usize), String> {
    let observations = &page.data.observations;
    let numbers = page.file.value["mean"]["coefficients"].as_array();
    let coefficients: Vec<f64> =
        numbers.into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    let residuals = page.data.residuals(&coefficients).ok_or_else(|| {
        "the model's coefficients are not those of its mean on these data".to_owned()
    })?;
    let chosen = subset(observations.len(), MOST_POINTS, page.seed);
    let values: Vec<f64> = chosen.iter().map(|&i| residuals[i]).collect();
    let points = observations.points.select(&chosen);
    let found =
        library::variogram(&points, &values, &Options::default()).map_err(|e| e.to_string())?;
    Ok((found, chosen.len()))
}

/// The figure, or a line that says why there is none.
pub(super) fn variogram(page: &Page<'_>) -> String {
    match empirical(page) {
        Ok((found, used)) => figure(page, &found, used),
        Err(why) => captioned(TITLE, "", &format!("None: {why}.")),
    }
}
