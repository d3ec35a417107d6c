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
    let curves = names
        .chain([("nugget", Scale::Logarithm)])
        .zip(values)
        .filter_map(|(name, value)| curve(file, name, value));
    curves.chain(grid(&file.value["grid"])).collect()
}

/// The figure of fits with other values of a parameter, if there are some.
fn grid(grid: &Value) -> Option<String> {
    let name = grid["parameter"].as_str()?;
    let pair = |point: &Value| Some((point["value"].as_f64()?, point["loglik"].as_f64()?));
    let points: Vec<(f64, f64)> = grid["points"].as_array()?.iter().filter_map(pair).collect();
    let best = points.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let points: Vec<(f64, f64)> = points.iter().map(|(x, loglik)| (*x, loglik - best.1)).collect();
    let words =
        |(x, lost): &(f64, f64)| format!("{name} = {}: {}", number(*x, 5), number(*lost, 4));
    let labels: Vec<String> = points.iter().map(words).collect();
    let cut = -0.5 * NORMAL * NORMAL;
    let svg = chart(&Chart {
        x: name,
        y: "log-likelihood less its maximum",
        with_x: &[],
        with_y: &[0.0, cut],
        layers: &[
            Layer::Level(cut, "95 %"),
            Layer::Line(&points),
            Layer::Points(&points, &labels),
            Layer::Upright(best.0),
        ],
    });
    let about = format!(
        "Fits with each value of {name}, the other parameters at their best: the profile \
         likelihood. Values above the line at -1.92 are in its 95 % interval."
    );
    Some(captioned(&format!("{name}, by grid: best at {}", number(best.0, 5)), &svg, &about))
}

/// Where a curve passes: coordinates of a parameter, each with the root of twice what is lost there
/// and the sign of the side.
struct Profile {
    scale: Scale,
    known: Vec<(f64, f64)>,
}

impl Profile {
    /// That of `points`, values with what is lost there, about the `estimate`; none of fewer than
    /// three.
    fn of(scale: Scale, estimate: f64, points: &Value) -> Option<Self> {
        let number = |value: &Value, at: usize| value.get(at).and_then(Value::as_f64);
        let pairs = points.as_array()?.iter();
        let point = |pair: &Value| {
            let (value, lost) = (number(pair, 0)?, number(pair, 1)?);
            Some((
                scale.coordinate(value),
                (-2.0 * lost).max(0.0).sqrt().copysign(value - estimate),
            ))
        };
        let known: Vec<(f64, f64)> = pairs.map(point).collect::<Option<_>>()?;
        let is_in_order = known.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (known.len() > 2 && is_in_order).then_some(Self { scale, known })
    }

    /// The parabola by a standard error.
    fn parabola(scale: Scale, estimate: f64, error: f64) -> Self {
        let at = scale.coordinate(estimate);
        let error = if scale == Scale::Angle { error.to_radians() } else { error };
        Self { scale, known: vec![(at - error, -1.0), (at, 0.0), (at + error, 1.0)] }
    }

    /// The roots between which points are known, within reach.
    fn roots(&self) -> (f64, f64) {
        let root = |point: Option<&(f64, f64)>| point.map_or(0.0, |(_, root)| *root);
        let (first, last) = (root(self.known.first()), root(self.known.last()));
        (first.clamp(-REACH, 0.0), last.clamp(0.0, REACH))
    }

    /// The value where the root is `t`, between the points that are known and as they go on.
    fn value(&self, t: f64) -> f64 {
        let above = self.known.iter().position(|(_, root)| *root > t);
        let second = above.unwrap_or(self.known.len() - 1).max(1);
        let ((a, left), (b, right)) = (self.known[second - 1], self.known[second]);
        let share = if right > left { (t - left) / (right - left) } else { 0.0 };
        self.scale.value(a + share * (b - a))
    }
}

/// Where an interval by the profile likelihood may reach farther than was searched, in words.
fn beyond(profile: &Value) -> Option<&'static str> {
    let is_bound = |key: &str| profile[key] == Value::Bool(true);
    super::super::report::beyond(is_bound("low_is_bound"), is_bound("high_is_bound"))
}

/// The figure of a parameter: its profile where fits with it fixed were made, else a parabola in
/// its coordinate, by its standard error.
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
    let profile = &file.value["profile_intervals"][name];
    let exact = Profile::of(scale, estimate, &profile["points"]);
    let is_exact = exact.is_some();
    let shape = exact.unwrap_or_else(|| Profile::parabola(scale, estimate, error));
    // Very wide intervals go far to the right: there the curve ends a little beyond them.
    let ends = [&profile["low"], &profile["high"]].map(Value::as_f64);
    let far = 1.5 * ends[1].filter(|_| is_exact).unwrap_or(high);
    let is_near = |value: f64| is_linear || value <= far;
    let roots = if is_exact { shape.roots() } else { (-REACH, REACH) };
    let line: Vec<(f64, f64)> = (-STEPS..=STEPS)
        .map(|k| f64::from(k) / f64::from(STEPS))
        .map(|share| share * if share < 0.0 { -roots.0 } else { roots.1 })
        .map(|t| (shape.value(t), -0.5 * t * t))
        .take_while(|(value, _)| is_near(*value))
        .collect();
    let cut = -0.5 * NORMAL * NORMAL;
    let fits = |(at, root): &(f64, f64)| (scale.value(*at), -0.5 * root * root);
    let points: Vec<(f64, f64)> = match is_exact {
        true => {
            shape.known.iter().map(fits).filter(|point| point.1 > -0.5 * REACH * REACH).collect()
        }
        false => Vec::new(),
    };
    let words =
        |point: &(f64, f64)| format!("{name} = {}: {}", number(point.0, 5), number(point.1, 4));
    let labels: Vec<String> = points.iter().map(words).collect();
    let mut layers = vec![Layer::Level(cut, "95 %"), Layer::Line(&line), Layer::Upright(estimate)];
    layers.push(Layer::Points(&points, &labels));
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
    let coordinate = match scale {
        Scale::Angle => "angle",
        Scale::Logarithm => "logarithm",
        Scale::Identity => "parameter",
    };
    let by_error = format!("95 % interval by the standard error {low} to {high}");
    let words = match ends {
        [Some(low), Some(high)] => {
            let [low, high] = [low, high].map(|end| number(end, 4));
            let curve = match is_exact {
                true => format!(
                    "The profile likelihood: fits at the points, between them the root of what is \
                     lost is linear in the {coordinate}."
                ),
                false => format!("Quadratic in the {coordinate}, by the standard error."),
            };
            let farther = beyond(profile).map_or(String::new(), |words| format!(", {words}"));
            format!("{curve} 95 % interval {low} to {high} (dashed){farther}; {by_error}.")
        }
        _ => format!(
            "Quadratic in the {coordinate}, by the standard error; {by_error}, where the line is \
             1.92 below its top."
        ),
    };
    Some(captioned(&format!("{name} = {}", number(estimate, 5)), &svg, &words))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_profile_ends_where_fits_do() {
        // Nothing was computed below 1e-5, where little is lost yet.
        let points = json!([[1e-5, -0.8], [0.01, -0.5], [0.05, 0.0], [0.1, -2.0], [0.2, -14.0]]);
        let profile = Profile::of(Scale::Logarithm, 0.05, &points).expect("points in order");
        let (low, high) = profile.roots();
        assert!((low + 1.6f64.sqrt()).abs() < 1e-12, "{low}");
        assert_eq!(high, REACH);
        assert!((profile.value(low) / 1e-5 - 1.0).abs() < 1e-9, "{}", profile.value(low));
        let bounds = |low, high| beyond(&json!({ "low_is_bound": low, "high_is_bound": high }));
        assert!(bounds(true, false).is_some_and(|words| words.contains("may reach lower")));
        assert_eq!(bounds(false, false), None);
    }
}
