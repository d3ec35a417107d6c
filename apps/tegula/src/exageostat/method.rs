//! How likelihoods are computed: `--method`.

use serde_json::{Value, json};
use tegula_exageostat::dst::{Dst, Envelope};
use tegula_exageostat::mixed::{self, Mixed};
use tegula_exageostat::tlr::{FINER, Tlr};
use tegula_exageostat::vecchia::{FORMS, Form, ORDERINGS, Ordering, REFERENCE_NEIGHBOURS, Vecchia};
use tegula_kernels::geometry::{Geometry, Points};

use crate::output::{Console, number};

/// Neighbours where none are given.
pub(super) const NEIGHBOURS: usize = 30;

/// Accuracy of tiles of low rank where none is given.
const ACCURACY: f64 = 1e-6;

/// Accuracy of tiles in 32 bits where none is given.
const MIXED_ACCURACY: f64 = 1e-4;

/// Error of a log-likelihood that is to be the exact one from which on is warned of it.
const BIASED: f64 = 1.0;

/// Share of the number of values from which on an error of Vecchia's approximation is warned of.
const ROUGH: f64 = 0.01;

/// How likelihoods are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Method {
    /// By a dense factorisation.
    #[default]
    Exact,
    /// By Vecchia's approximation, in an order that the geometry decides on unless it is given.
    Vecchia(usize, Option<Ordering>, Form),
    /// By tiles of low rank, to this accuracy.
    Tlr(f64),
    /// In 64 and 32 bits, to this accuracy.
    Mixed(f64),
    /// With a taper of this range.
    Dst(f64),
}

/// How likelihoods of given places are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Approximation {
    /// As they are.
    None,
    /// By Vecchia's approximation.
    Vecchia(Vecchia),
    /// By tiles of low rank.
    Tlr(Tlr),
    /// In 64 and 32 bits.
    Mixed(Mixed),
    /// With a taper, and what its factor takes.
    Dst(Dst, Envelope),
}

impl Approximation {
    /// The name of the method, unless it is the exact one.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Vecchia(_) => Some("vecchia"),
            Self::Tlr(_) => Some("tlr"),
            Self::Mixed(_) => Some("mixed"),
            Self::Dst(..) => Some("dst"),
        }
    }
}

impl Method {
    /// Parses `exact`, `tlr` or `mixed`, after which may stand an accuracy, `dst` and a range, or
    /// `vecchia`, after which may stand neighbours, an order and a form, as in
    /// `vecchia:30:maximin:grouped`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        match parts.next() {
            Some("exact") if text == "exact" => Ok(Self::Exact),
            Some("vecchia") => {
                let neighbours = parts.next().map_or(Ok(NEIGHBOURS), Self::neighbours)?;
                let (mut ordering, mut form) = (None, None);
                for part in parts {
                    let (order, kind) = (Self::ordering(part), Self::form(part));
                    if (order.is_some() && ordering.is_some()) || (kind.is_some() && form.is_some())
                    {
                        return Err(format!("':{part}' is too much: write vecchia:M:ORDER:FORM"));
                    }
                    if order.is_none() && kind.is_none() {
                        return Err(Self::unknown(part));
                    }
                    (ordering, form) = (ordering.or(order), form.or(kind));
                }
                Ok(Self::Vecchia(neighbours, ordering, form.unwrap_or_default()))
            }
            Some("tlr") => {
                let accuracy = parts.next().map_or(Ok(ACCURACY), Self::accuracy)?;
                Self::last(parts.next(), "tlr:EPS").map(|()| Self::Tlr(accuracy))
            }
            Some("mixed") => {
                let accuracy = parts.next().map_or(Ok(MIXED_ACCURACY), Self::accuracy)?;
                Self::last(parts.next(), "mixed:EPS").map(|()| Self::Mixed(accuracy))
            }
            Some("dst") => {
                let range = parts.next().map_or_else(|| Err(Self::no_range("")), Self::range)?;
                Self::last(parts.next(), "dst:RANGE").map(|()| Self::Dst(range))
            }
            _ => Err("write exact, vecchia:M with M neighbours, tlr:EPS or mixed:EPS with an \
                      accuracy, as tlr:1e-6, or dst:RANGE with a distance"
                .to_owned()),
        }
    }

    /// Refuses a `part` behind the last one of what is written as `form`.
    fn last(part: Option<&str>, form: &str) -> Result<(), String> {
        part.map_or(Ok(()), |part| Err(format!("':{part}' is too much: write {form}")))
    }

    fn range(text: &str) -> Result<f64, String> {
        let range = text.parse().ok().filter(|range: &f64| *range > 0.0 && range.is_finite());
        range.ok_or_else(|| Self::no_range(text))
    }

    fn no_range(text: &str) -> String {
        format!(
            "'{text}' is no distance above 0: write dst:RANGE with the one from which covariances \
             are to be 0, as dst:0.2"
        )
    }

    fn accuracy(text: &str) -> Result<f64, String> {
        let accuracy = text.parse().ok().filter(|accuracy| (FINEST..=COARSEST).contains(accuracy));
        accuracy.ok_or_else(|| {
            format!("'{text}' is no accuracy of tiles from {FINEST:e} to {COARSEST:e}")
        })
    }

    fn neighbours(text: &str) -> Result<usize, String> {
        let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
        count.ok_or_else(|| format!("'{text}' is no number of neighbours from 1 to {MOST}"))
    }

    fn ordering(text: &str) -> Option<Ordering> {
        ORDERINGS.iter().find(|(_, name, _)| *name == text).map(|(ordering, ..)| *ordering)
    }

    fn form(text: &str) -> Option<Form> {
        FORMS.iter().find(|(_, name, _)| *name == text).map(|(form, ..)| *form)
    }

    fn unknown(text: &str) -> String {
        let orders: Vec<&str> = ORDERINGS.iter().map(|(_, name, _)| *name).collect();
        let forms: Vec<&str> = FORMS.iter().map(|(_, name, _)| *name).collect();
        let (orders, forms) = (orders.join(", "), forms.join(", "));
        format!("there is no order or form '{text}'; orders are {orders}; forms are {forms}")
    }

    /// The method that a result describes; before there was more than one it was a name.
    pub(super) fn read(value: Option<&Value>) -> Option<Self> {
        let Some(value) = value else { return Some(Self::Exact) };
        match value.get("name").unwrap_or(value).as_str()? {
            "exact" => Some(Self::Exact),
            "vecchia" => {
                let neighbours = usize::try_from(value.get("neighbours")?.as_u64()?).ok()?;
                let ordering = Self::ordering(value.get("ordering")?.as_str()?)?;
                // There was one form before there were more.
                let form = value
                    .get("form")
                    .map_or(Some(Form::Response), |form| form.as_str().and_then(Self::form))?;
                Some(Self::Vecchia(neighbours, Some(ordering), form))
            }
            "tlr" => Some(Self::Tlr(value.get("accuracy")?.as_f64()?)),
            "mixed" => Some(Self::Mixed(value.get("accuracy")?.as_f64()?)),
            "dst" => Some(Self::Dst(value.get("range")?.as_f64()?)),
            _ => None,
        }
    }

    /// Its name, if predictions are from neighbours with it.
    pub(super) fn local(self) -> Option<&'static str> {
        matches!(self, Self::Vecchia(..)).then_some("vecchia")
    }

    /// How likelihoods of these places are computed.
    pub(super) fn settle(self, points: &Points) -> Approximation {
        let n = points.len();
        let (neighbours, ordering, form) = match self {
            Self::Exact => return Approximation::None,
            Self::Tlr(accuracy) => return Approximation::Tlr(Tlr::new(accuracy, n)),
            Self::Mixed(accuracy) => return Approximation::Mixed(Mixed::new(accuracy, n)),
            Self::Dst(range) => {
                return Approximation::Dst(Dst::new(range, n), Envelope::of(points, range));
            }
            Self::Vecchia(neighbours, ordering, form) => (neighbours, ordering, form),
        };
        let usual = match points.geometry() {
            Geometry::Line => Ordering::Coordinate,
            _ => Ordering::Maximin,
        };
        let vecchia = Vecchia::new(neighbours, ordering.unwrap_or(usual)).with_form(form);
        Approximation::Vecchia(vecchia)
    }

    /// How it works, where it is one of likelihoods alone: without derivatives or predictions.
    pub(super) fn of_likelihoods(self) -> Option<&'static str> {
        match self {
            Self::Exact | Self::Vecchia(..) => None,
            Self::Tlr(_) => Some("by tiles of low rank"),
            Self::Mixed(_) => Some("in 64 and 32 bits"),
            Self::Dst(_) => Some("with a taper"),
        }
    }

    /// The method of what is more than likelihoods, of a model that was fitted with this one: from
    /// so many neighbours, if a number is given.
    pub(super) fn beyond_likelihoods(self, neighbours: Option<usize>) -> Self {
        match (self.of_likelihoods(), neighbours) {
            (None, _) => self,
            (Some(_), None) => Self::Exact,
            (Some(_), Some(count)) => Self::Vecchia(count.min(MOST), None, Form::default()),
        }
    }
}

/// The accuracies that tiles may have: from rounding to a tenth of the variance.
const FINEST: f64 = 1e-14;
const COARSEST: f64 = 0.1;

/// Most neighbours: beyond, tiles do better.
const MOST: usize = 2000;

/// A method as JSON, with what a better approximation would add to the log-likelihood.
pub(super) fn method_json(method: Approximation, error: Option<f64>) -> Value {
    let mut value = match method {
        Approximation::None => return json!({ "name": "exact" }),
        Approximation::Tlr(Tlr { accuracy, .. }) => json!({ "name": "tlr", "accuracy": accuracy }),
        Approximation::Mixed(Mixed { accuracy, .. }) => {
            json!({ "name": "mixed", "accuracy": accuracy })
        }
        Approximation::Dst(Dst { range, .. }, _) => json!({ "name": "dst", "range": range }),
        Approximation::Vecchia(Vecchia { neighbours, ordering, form, .. }) => json!({
            "name": "vecchia",
            "neighbours": neighbours,
            "ordering": ordering.name(),
            "form": form.name(),
        }),
    };
    if let Some(error) = error {
        value["error_estimate"] = error.into();
    }
    value
}

/// Prints what a better approximation would add to the log-likelihood.
pub(super) fn describe_error(console: &Console, method: Approximation, error: f64) {
    if let Some(words) = error_words(method, error) {
        console.line(format_args!("approximated: {words}"));
    }
}

/// What a better approximation would add to the log-likelihood, in words.
pub(super) fn error_words(method: Approximation, error: f64) -> Option<String> {
    let better = match method {
        Approximation::None => return None,
        Approximation::Vecchia(Vecchia { neighbours, .. }) => {
            format!("{} neighbours instead of {neighbours}", 2 * neighbours)
        }
        Approximation::Tlr(Tlr { accuracy, .. }) => {
            format!("tlr:{:e} instead of {accuracy:e}", rounded(FINER * accuracy))
        }
        Approximation::Mixed(Mixed { accuracy, .. }) => {
            // The order of what rounding adds up to, at random: its sign is not known.
            return Some(format!(
                "rounded otherwise, and to mixed:{:e} instead of {accuracy:e}, the log-likelihood \
                 differs by about {}",
                rounded(mixed::FINER * accuracy),
                number(error.abs(), 3),
            ));
        }
        Approximation::Dst(..) => format!("{REFERENCE_NEIGHBOURS} neighbours instead of a taper"),
    };
    Some(format!(
        "with {better} the log-likelihood is {} {}",
        number(error.abs(), 3),
        if error < 0.0 { "lower" } else { "higher" },
    ))
}

/// A warning where the log-likelihood of `n` values is wrong by so much that what is greatest under
/// it, or how it compares with others, cannot be relied on.
pub(super) fn doubt(method: Approximation, error: Option<f64>, n: usize) -> Option<String> {
    let error = error?.abs();
    let shown = number(error, 3);
    match method {
        Approximation::Dst(Dst { range, .. }, _) if error > BIASED => Some(format!(
            "a taper of range {range} changes the log-likelihood by about {shown}: what it is greatest \
             at is biased; give a longer one, or --method tlr:EPS, mixed:EPS or vecchia:M:grouped"
        )),
        Approximation::Tlr(Tlr { accuracy, .. }) if error > BIASED => Some(format!(
            "tiles of low rank to {accuracy:e} change the log-likelihood by about {shown}: what it is \
             greatest at is biased; give --method tlr:{:e}",
            rounded(0.01 * accuracy)
        )),
        Approximation::Mixed(Mixed { accuracy, .. }) if error > BIASED => Some(format!(
            "tiles in 32 bits to {accuracy:e} change the log-likelihood by about {shown}: give \
             --method mixed:{:e}",
            rounded(0.01 * accuracy)
        )),
        Approximation::Vecchia(Vecchia { neighbours, .. }) if error > ROUGH * n as f64 => {
            Some(format!(
                "{neighbours} neighbours are few for these values: with twice as many the \
                 log-likelihood changes by {shown}, of {n} values. Estimates are far from those of the \
                 exact one, and AIC and likelihood ratios say nothing; give --method vecchia:{}:grouped",
                2 * neighbours
            ))
        }
        _ => None,
    }
}

/// `x` in few digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// A method in a few words.
pub(super) fn method_text(method: Approximation) -> String {
    match method {
        Approximation::None => "exact".to_owned(),
        Approximation::Tlr(Tlr { accuracy, .. }) => {
            format!("tlr, tiles of low rank to {accuracy:e}")
        }
        Approximation::Mixed(Mixed { accuracy, .. }) => {
            format!("mixed, tiles in 64 and 32 bits to {accuracy:e}")
        }
        Approximation::Dst(Dst { range, .. }, _) => {
            format!("dst, with a taper of range {range}")
        }
        Approximation::Vecchia(Vecchia { neighbours, ordering, form, .. }) => {
            let form = match form {
                Form::Response => String::new(),
                other => format!(", {}", other.name()),
            };
            format!("vecchia, {neighbours} neighbours, ordering {}{form}", ordering.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use tegula_kernels::kernel::covariance::rate::random_points;

    use super::*;

    #[test]
    fn methods_are_read_as_they_are_written() {
        assert_eq!(Method::parse("exact"), Ok(Method::Exact));
        let vecchia = Method::Vecchia(30, None, Form::Response);
        assert_eq!(Method::parse("vecchia"), Ok(vecchia));
        let random = Method::Vecchia(15, Some(Ordering::Random), Form::Response);
        assert_eq!(Method::parse("vecchia:15:random"), Ok(random));
        let grouped = Method::Vecchia(15, Some(Ordering::Random), Form::Grouped);
        for text in ["vecchia:15:random:grouped", "vecchia:15:grouped:random"] {
            assert_eq!(Method::parse(text), Ok(grouped), "{text}");
        }
        let refused = ["", "exact:3", "vecchia:", "vecchia:0", "vecchia:5:best"];
        let twice = ["vecchia:5:random:1", "vecchia:5:random:maximin", "vecchia:5:grouped:grouped"];
        for text in refused.into_iter().chain(twice) {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        let latent = Method::Vecchia(15, Some(Ordering::Random), Form::Latent);
        assert_eq!(Method::parse("vecchia:15:latent:random"), Ok(latent));
        assert_eq!(Method::parse("tlr"), Ok(Method::Tlr(1e-6)));
        let tlr = Method::Tlr(2.5e-9);
        assert_eq!(Method::parse("tlr:2.5e-9"), Ok(tlr));
        for text in ["tlr:", "tlr:0", "tlr:1", "tlr:-1e-6", "tlr:nan", "tlr:1e-6:3", "tlr:1e-15"] {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        assert_eq!(Method::parse("mixed"), Ok(Method::Mixed(1e-4)));
        let mixed = Method::Mixed(2.5e-5);
        assert_eq!(Method::parse("mixed:2.5e-5"), Ok(mixed));
        let dst = Method::Dst(0.25);
        assert_eq!(Method::parse("dst:0.25"), Ok(dst));
        for text in ["mixed:", "mixed:1", "mixed:1e-6:3", "dst", "dst:", "dst:0", "dst:-1"] {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        for text in ["dst:inf", "dst:nan", "dst:0.1:2"] {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        let points = |geometry| random_points(geometry, 100, 1.0, 1);
        for method in [Method::Exact, random, grouped, latent, tlr, mixed, dst] {
            let value = method_json(method.settle(&points(Geometry::Plane)), Some(0.5));
            assert_eq!(Method::read(Some(&value)), Some(method));
        }
        assert_eq!(Method::read(Some(&json!("exact"))), Some(Method::Exact));
        assert_eq!(Method::read(Some(&json!("other"))), None);
        let old = json!({ "name": "vecchia", "neighbours": 15, "ordering": "random" });
        assert_eq!(Method::read(Some(&old)), Some(random));
        let of = |geometry| Method::parse("vecchia:9").expect("a method").settle(&points(geometry));
        let vecchia = |ordering| Approximation::Vecchia(Vecchia::new(9, ordering));
        assert_eq!(of(Geometry::Line), vecchia(Ordering::Coordinate));
        assert_eq!(of(Geometry::Space), vecchia(Ordering::Maximin));
    }
}
