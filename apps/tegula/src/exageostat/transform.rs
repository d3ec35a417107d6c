//! `--transform`: values that are made Gaussian, and predictions on their own scale.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::predict::Predictions;
use tegula_exageostat::transform::{Back, Prediction, Transform};

use crate::output::number;

/// What `--transform` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// This transformation.
    Known(Transform),
    /// That of Box and Cox, with the likeliest exponent.
    BoxCox,
}

impl Choice {
    /// Reads the value of the flag.
    ///
    /// # Errors
    /// If it is no transformation.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let known = match text.split_once(':') {
            None => match text {
                "none" => Transform::None,
                "log" => Transform::Log,
                "sqrt" => Transform::Sqrt,
                "box-cox" => return Ok(Self::BoxCox),
                _ => return Err("write log, sqrt, box-cox, box-cox:LAMBDA or none".to_owned()),
            },
            Some(("box-cox", lambda)) => match lambda.parse::<f64>() {
                Ok(lambda) if lambda.abs() <= 10.0 => Transform::BoxCox(lambda),
                _ => return Err(format!("{lambda} is no exponent, a number from -10 to 10")),
            },
            Some((name, _)) => return Err(format!("{name} takes no number")),
        };
        Ok(Self::Known(known))
    }

    /// The transformation, or one to begin with.
    pub(crate) fn first(self) -> Transform {
        match self {
            Self::Known(transform) => transform,
            Self::BoxCox => Transform::BoxCox(0.0),
        }
    }

    /// What [`parse`](Self::parse) reads back.
    pub(crate) fn text(self) -> String {
        match self {
            Self::BoxCox => "box-cox".to_owned(),
            Self::Known(Transform::BoxCox(lambda)) => format!("box-cox:{lambda:?}"),
            Self::Known(transform) => transform.name().to_owned(),
        }
    }
}

/// `transform` as people read it.
pub(super) fn describe(transform: Transform) -> String {
    match transform {
        Transform::None => "none".to_owned(),
        Transform::Log => "log(z)".to_owned(),
        Transform::Sqrt => "sqrt(z)".to_owned(),
        Transform::BoxCox(lambda) => {
            format!("Box-Cox, (z^lambda - 1)/lambda with lambda {}", number(lambda, 4))
        }
    }
}

/// `transform` in a file.
pub(super) fn to_json(transform: Transform) -> Value {
    match transform.lambda() {
        Some(lambda) => json!({ "name": transform.name(), "lambda": lambda }),
        None => json!({ "name": transform.name() }),
    }
}

/// The transformation that a file says; none where it says nothing.
pub(super) fn from_json(value: Option<&Value>) -> Option<Transform> {
    let Some(value) = value else { return Some(Transform::None) };
    let name = value["name"].as_str()?;
    if name == "box-cox" {
        return value["lambda"].as_f64().map(Transform::BoxCox);
    }
    let known = [Transform::None, Transform::Log, Transform::Sqrt];
    known.into_iter().find(|transform| transform.name() == name)
}

/// A column of predictions.
pub(super) type Column = (&'static str, Vec<f64>);

/// The columns of `predictions` on the scale of the data: of the field and, with a `nugget`, of new
/// observations.
pub(super) fn columns(transform: Transform, nugget: f64, predictions: &Predictions) -> Vec<Column> {
    let Predictions { mean, variance, lagrange } = predictions;
    let with_nugget = || variance.iter().map(|v| v + nugget).collect::<Vec<f64>>();
    if transform == Transform::None {
        let mut columns = vec![("mean", mean.clone()), ("variance", variance.clone())];
        columns.extend((nugget > 0.0).then(|| ("variance_obs", with_nugget())));
        return columns;
    }
    let back = Back::new(transform);
    let through = |variances: &[f64]| -> Vec<Prediction> {
        let each = mean.iter().zip(variances).zip(lagrange);
        each.map(|((&m, &v), &lagrange)| back.prediction(m, v, lagrange)).collect()
    };
    let of = |all: &[Prediction], part: fn(&Prediction) -> f64| all.iter().map(part).collect();
    let field = through(variance);
    let mut columns: Vec<Column> = vec![
        ("mean", of(&field, |p| p.mean)),
        ("variance", of(&field, |p| p.variance)),
        ("median", of(&field, |p| p.median)),
        ("lower95", of(&field, |p| p.lower)),
        ("upper95", of(&field, |p| p.upper)),
    ];
    if nugget > 0.0 {
        let new = through(&with_nugget());
        columns.extend([
            ("mean_obs", of(&new, |p| p.mean)),
            ("variance_obs", of(&new, |p| p.variance)),
            ("lower95_obs", of(&new, |p| p.lower)),
            ("upper95_obs", of(&new, |p| p.upper)),
        ]);
    }
    columns.push(("transformed_mean", mean.clone()));
    columns.push(("transformed_variance", variance.clone()));
    columns
}
