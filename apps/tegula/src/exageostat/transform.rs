//! `--transform`: values that are made Gaussian, and predictions on their own scale.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_exageostat::predict::Predictions;
use tegula_exageostat::transform::{Back, Prediction, Transform, TukeyGh};

use crate::error::refused;
use crate::output::{count, number};

/// Greatest exponent of Box and Cox, skewness and heaviness of tails.
const MOST: f64 = 10.0;
/// What an exponent is.
const EXPONENTS: &str = "a number from -10 to 10";

/// What `--transform` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// This transformation.
    Known(Transform),
    /// That of Box and Cox, with the likeliest exponent.
    BoxCox,
    /// Tukey's g-and-h function, with the likeliest `g` and `h`.
    TukeyGh,
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
                "tukey-gh" => return Ok(Self::TukeyGh),
                _ => {
                    return Err(
                        "write log, sqrt, box-cox, box-cox:LAMBDA, tukey-gh, tukey-gh:G:H \
                                or none"
                            .to_owned(),
                    );
                }
            },
            Some(("tukey-gh", numbers)) => tukey(numbers)?,
            Some(("box-cox", lambda)) => box_cox(lambda.parse().unwrap_or(f64::NAN))
                .ok_or_else(|| format!("{lambda} is no exponent, {EXPONENTS}"))?,
            Some((name, _)) => return Err(format!("{name} takes no number")),
        };
        Ok(Self::Known(known))
    }

    /// The transformation, or one to begin with.
    pub(crate) fn first(self) -> Transform {
        match self {
            // Its scale and the mean are still to be estimated.
            Self::Known(Transform::TukeyGh { .. }) | Self::TukeyGh => Transform::None,
            Self::Known(transform) => transform,
            Self::BoxCox => Transform::BoxCox(0.0),
        }
    }

    /// Whether it is Tukey's function, and which, if that is known.
    pub(crate) fn tukey(self) -> Option<Option<TukeyGh>> {
        match self {
            Self::TukeyGh => Some(None),
            Self::Known(transform) => transform.tukey().map(Some),
            Self::BoxCox => None,
        }
    }

    /// The transformation, if it is one of the values alone.
    ///
    /// # Errors
    /// If it is to be estimated, or is one of what the mean leaves.
    pub(crate) fn without_mean(self) -> Result<Transform> {
        match self {
            Self::Known(Transform::TukeyGh { .. }) | Self::TukeyGh => Err(refused(
                "--transform tukey-gh is about a mean and a scale that a fit finds: write log, \
                 sqrt or box-cox:LAMBDA",
            )),
            choice => choice.settled(1.0),
        }
    }

    /// The transformation, that of Tukey with the scale of the field's `variance`.
    ///
    /// # Errors
    /// If it is to be estimated.
    pub(crate) fn settled(self, variance: f64) -> Result<Transform> {
        match self {
            Self::Known(Transform::TukeyGh { function, .. }) => {
                Ok(Transform::TukeyGh { scale: variance.sqrt(), function })
            }
            Self::Known(transform) => Ok(transform),
            Self::BoxCox => Err(refused("--transform: write box-cox:LAMBDA; fit finds lambda")),
            Self::TukeyGh => Err(refused("--transform: write tukey-gh:G:H; fit finds g and h")),
        }
    }

    /// What [`parse`](Self::parse) reads back.
    pub(crate) fn text(self) -> String {
        match self {
            Self::BoxCox => "box-cox".to_owned(),
            Self::TukeyGh => "tukey-gh".to_owned(),
            Self::Known(Transform::TukeyGh { function: TukeyGh { g, h }, .. }) => {
                format!("tukey-gh:{g:?}:{h:?}")
            }
            Self::Known(Transform::BoxCox(lambda)) => format!("box-cox:{lambda:?}"),
            Self::Known(transform) => transform.name().to_owned(),
        }
    }
}

/// The transformation of Box and Cox with this exponent, if it is one.
fn box_cox(lambda: f64) -> Option<Transform> {
    (lambda.abs() <= MOST).then_some(Transform::BoxCox(lambda))
}

/// Tukey's function from `g:h`; its scale is that of the field, which is not known here.
fn tukey(numbers: &str) -> Result<Transform, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.abs() <= MOST);
    let pair = numbers.split_once(':').and_then(|(g, h)| Some((number(g)?, number(h)?)));
    match pair {
        Some((g, h)) if h >= 0.0 => {
            Ok(Transform::TukeyGh { scale: 1.0, function: TukeyGh { g, h } })
        }
        _ => Err(format!(
            "'{numbers}' is not G:H, the skewness, from -10 to 10, and the heaviness of the tails, \
             from 0 to 10"
        )),
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
        Transform::TukeyGh { scale, function: TukeyGh { g, h } } => format!(
            "Tukey g-and-h about the mean, with g {}, h {} and scale {}",
            number(g, 4),
            number(h, 4),
            number(scale, 4)
        ),
    }
}

/// The transformation that was chosen as people read it, before any is estimated.
pub(super) fn describe_choice(choice: Choice, first: Transform) -> String {
    match choice {
        Choice::BoxCox => "Box-Cox, (z^lambda - 1)/lambda, lambda estimated".to_owned(),
        Choice::Known(_) | Choice::TukeyGh => describe(first),
    }
}

/// `transform` in a file.
pub(super) fn to_json(transform: Transform) -> Value {
    match transform {
        Transform::BoxCox(lambda) => json!({ "name": transform.name(), "lambda": lambda }),
        Transform::TukeyGh { scale, function: TukeyGh { g, h } } => {
            json!({ "name": transform.name(), "g": g, "h": h, "omega": scale })
        }
        _ => json!({ "name": transform.name() }),
    }
}

/// The transformation that a file says; none where it says nothing.
///
/// # Errors
/// If it is none, or one that no flag takes.
pub(super) fn from_json(value: Option<&Value>) -> Result<Transform, String> {
    let Some(value) = value else { return Ok(Transform::None) };
    let number = |key: &str| {
        let found = value[key].as_f64().filter(|x| x.is_finite());
        found.ok_or_else(|| format!("{key} is not a number"))
    };
    match value["name"].as_str() {
        Some("box-cox") => {
            let lambda = number("lambda")?;
            box_cox(lambda).ok_or_else(|| format!("lambda is {lambda:?}, not {EXPONENTS}"))
        }
        Some("tukey-gh") => {
            let (g, h, scale) = (number("g")?, number("h")?, number("omega")?);
            if h < 0.0 || scale <= 0.0 {
                return Err(format!(
                    "h is {h:?} and omega {scale:?}: h is at least 0, omega above"
                ));
            }
            Ok(Transform::TukeyGh { scale, function: TukeyGh { g, h } })
        }
        name => {
            let known = [Transform::None, Transform::Log, Transform::Sqrt].into_iter();
            let mut named = known.filter(|transform| Some(transform.name()) == name);
            named.next().ok_or_else(|| {
                "its name is none of none, log, sqrt, box-cox and tukey-gh".to_owned()
            })
        }
    }
}

/// A column of predictions.
pub(super) type Column = (&'static str, Vec<f64>);

/// The columns of `predictions` on the scale of the data: of the field and, with a `nugget`, of new
/// observations; `trend` is the mean at the places where it is not in the predictions.
pub(super) fn columns(
    transform: Transform,
    nugget: f64,
    predictions: &Predictions,
    trend: Option<&[f64]>,
) -> Vec<Column> {
    let Predictions { mean, variance, lagrange, .. } = predictions;
    let with_nugget = || variance.iter().map(|v| v + nugget).collect::<Vec<f64>>();
    if transform == Transform::None {
        let mut columns = vec![("mean", mean.clone()), ("variance", variance.clone())];
        columns.extend((nugget > 0.0).then(|| ("variance_obs", with_nugget())));
        return columns;
    }
    let back = Back::new(transform);
    let through = |variances: &[f64]| -> Vec<Prediction> {
        let each = mean.iter().zip(variances).zip(lagrange);
        let made = each.map(|((&m, &v), &lagrange)| back.prediction(m, v, lagrange));
        let about = |(place, made): (usize, Prediction)| {
            made.about(trend.map_or(0.0, |trend| trend[place]))
        };
        made.enumerate().map(about).collect()
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

/// How many numbers of each column do not exist.
#[derive(Default)]
pub(super) struct Lost(Vec<(&'static str, usize)>);

impl Lost {
    /// Counts those of `columns`.
    pub(super) fn add(&mut self, columns: &[Column]) {
        for (name, values) in columns {
            let some = values.iter().filter(|value| value.is_nan()).count();
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, lost)) => *lost += some,
                None => self.0.push((name, some)),
            }
        }
    }

    /// What a person should know of them, if there are some.
    pub(super) fn remark(&self, transform: Transform) -> Option<String> {
        let some = self.0.iter().filter(|(_, lost)| *lost > 0);
        let all: Vec<String> =
            some.map(|(name, lost)| format!("{name} at {}", count(*lost, "place"))).collect();
        let why = match transform {
            Transform::BoxCox(lambda) if lambda < 0.0 => format!(
                "with lambda {} values grow without bound where the transformed one comes to {}, \
                 and too much of its distribution lies there",
                number(lambda, 4),
                number(-1.0 / lambda, 4)
            ),
            _ => "the tails of the distribution are too heavy".to_owned(),
        };
        let all = all.join(", ");
        (!all.is_empty()).then(|| format!("NA, since it does not exist: {all}: {why}"))
    }
}
