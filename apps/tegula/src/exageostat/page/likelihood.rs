//! How the likelihood falls around the estimate of each parameter.

use serde_json::Value;
use tegula_exageostat::covariance::Scale;
use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::html::captioned;

use super::super::model_file::ModelFile;
use crate::output::number;

/// Root of the 95 % point of chi-squared with one degree of freedom.
const NORMAL: f64 = 1.959_963_984_540_054;
/// Half the points of a curve.
const STEPS: i32 = 40;
/// How far a curve goes, in standard errors.
const REACH: f64 = 2.6;

/// A figure for each parameter that has an interval; nothing where none has.
pub(super) fn curves(file: &ModelFile) -> String {
    let covariance = file.model.covariance;
    let names = covariance.parameters.iter().map(|parameter| (parameter.name, parameter.scale));
    let values = file.model.values.iter().copied().chain([file.model.nugget]);
    names
        .chain([("nugget", Scale::Logarithm)])
        .zip(values)
        .filter_map(|(name, value)| curve(file, name, value))
        .collect()
}

/// The figure of a parameter: a parabola in its coordinate, by its standard error.
fn curve(file: &ModelFile, (name, scale): (&str, Scale), estimate: f64) -> Option<String> {
    let number_at = |value: &Value, at: usize| value.get(at).and_then(Value::as_f64);
    let interval = &file.value["intervals"][name];
    let (low, high) = (number_at(interval, 0)?, number_at(interval, 1)?);
    let is_linear = scale != Scale::Logarithm;
    let is_number = is_linear || (low > 0.0 && estimate > 0.0);
    if !(is_number && high > low && high.is_finite()) {
        return None;
    }
    let error = match scale {
        Scale::Logarithm => (high / low).ln() / (2.0 * NORMAL),
        Scale::Angle | Scale::Identity => (high - low) / (2.0 * NORMAL),
    };
    // Very wide intervals go far to the right: there the curve ends a little beyond them.
    let point = |k: i32| {
        let t = f64::from(k) / f64::from(STEPS) * REACH;
        let value = match scale {
            Scale::Logarithm => estimate * (t * error).exp(),
            Scale::Angle | Scale::Identity => estimate + t * error,
        };
        (value, -0.5 * t * t)
    };
    let is_near = |value: f64| is_linear || value <= 1.5 * high;
    let line: Vec<(f64, f64)> =
        (-STEPS..=STEPS).map(point).take_while(|(value, _)| is_near(*value)).collect();
    let cut = -0.5 * NORMAL * NORMAL;
    let profile = &file.value["profile_intervals"][name];
    let ends = [&profile["low"], &profile["high"]].map(Value::as_f64);
    let mut layers = vec![Layer::Level(cut, "95 %"), Layer::Line(&line), Layer::Upright(estimate)];
    let mut reach = Vec::new();
    for end in ends.into_iter().flatten().filter(|end| is_linear || *end <= 4.0 * high) {
        layers.push(Layer::Upright(end));
        reach.push(end);
    }
    let svg = chart(&Chart {
        x: name,
        y: "log-likelihood less its maximum",
        with_x: &reach,
        with_y: &[0.0],
        layers: &layers,
    });
    let [low, high] = [low, high].map(|end| number(end, 4));
    let mut words = format!(
        "Quadratic in the {}, by the standard error; 95 % interval {low} to {high}, where the \
         line is 1.92 below its top.",
        match scale {
            Scale::Angle => "angle",
            Scale::Logarithm => "logarithm",
            Scale::Identity => "parameter",
        },
    );
    if let [Some(low), Some(high)] = ends {
        let [low, high] = [low, high].map(|end| number(end, 4));
        words += &format!(" By the profile likelihood: {low} to {high} (dashed).");
    }
    Some(captioned(&format!("{name} = {}", number(estimate, 5)), &svg, &words))
}
