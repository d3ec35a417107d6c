//! How likelihoods are computed: `--method`.

use serde_json::{Value, json};
use tegula_exageostat::vecchia::{FORMS, Form, ORDERINGS, Ordering, Vecchia};
use tegula_kernels::geometry::Geometry;

use crate::output::{Console, number};

/// Neighbours where none are given.
pub(super) const NEIGHBOURS: usize = 30;

/// How likelihoods are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Method {
    /// By a dense factorisation.
    #[default]
    Exact,
    /// By Vecchia's approximation, in an order that the geometry decides on unless it is given.
    Vecchia(usize, Option<Ordering>, Form),
}

impl Method {
    /// Parses `exact`, or `vecchia`, after which may stand neighbours, an order and a form, as in
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
            _ => Err("write exact, or vecchia:M with M neighbours".to_owned()),
        }
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
            _ => None,
        }
    }

    /// What approximates likelihoods of places in this geometry, if anything does.
    pub(super) fn vecchia(self, geometry: Geometry) -> Option<Vecchia> {
        let Self::Vecchia(neighbours, ordering, form) = self else { return None };
        let usual = match geometry {
            Geometry::Line => Ordering::Coordinate,
            _ => Ordering::Maximin,
        };
        Some(Vecchia::new(neighbours, ordering.unwrap_or(usual)).with_form(form))
    }
}

/// Most neighbours: beyond, tiles do better.
const MOST: usize = 2000;

/// A method as JSON, with what a better approximation would add to the log-likelihood.
pub(super) fn method_json(vecchia: Option<Vecchia>, error: Option<f64>) -> Value {
    let Some(Vecchia { neighbours, ordering, form, .. }) = vecchia else {
        return json!({ "name": "exact" });
    };
    let mut value = json!({
        "name": "vecchia",
        "neighbours": neighbours,
        "ordering": ordering.name(),
        "form": form.name(),
    });
    if let Some(error) = error {
        value["error_estimate"] = error.into();
    }
    value
}

/// Prints what a better approximation would add to the log-likelihood.
pub(super) fn describe_error(console: &Console, vecchia: Option<Vecchia>, error: f64) {
    let Some(Vecchia { neighbours, .. }) = vecchia else { return };
    console.line(format_args!(
        "approximated: with {} neighbours instead of {neighbours} the log-likelihood is {} {}",
        2 * neighbours,
        number(error.abs(), 3),
        if error < 0.0 { "lower" } else { "higher" },
    ));
}

/// A method in a few words.
pub(super) fn method_text(vecchia: Option<Vecchia>) -> String {
    vecchia.map_or_else(
        || "exact".to_owned(),
        |Vecchia { neighbours, ordering, form, .. }| {
            let form = match form {
                Form::Response => String::new(),
                other => format!(", {}", other.name()),
            };
            format!("vecchia, {neighbours} neighbours, ordering {}{form}", ordering.name())
        },
    )
}

#[cfg(test)]
mod tests {
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
        for method in [Method::Exact, random, grouped] {
            let value = method_json(method.vecchia(Geometry::Plane), Some(0.5));
            assert_eq!(Method::read(Some(&value)), Some(method));
        }
        assert_eq!(Method::read(Some(&json!("exact"))), Some(Method::Exact));
        assert_eq!(Method::read(Some(&json!("other"))), None);
        let old = json!({ "name": "vecchia", "neighbours": 15, "ordering": "random" });
        assert_eq!(Method::read(Some(&old)), Some(random));
        let of = |geometry| Method::parse("vecchia:9").expect("a method").vecchia(geometry);
        assert_eq!(of(Geometry::Line), Some(Vecchia::new(9, Ordering::Coordinate)));
        assert_eq!(of(Geometry::Space), Some(Vecchia::new(9, Ordering::Maximin)));
    }
}
