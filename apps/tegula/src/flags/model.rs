//! Flags about the covariance: which, and with which parameters.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_exageostat::covariance::{COMPOSITES, COVARIANCES, Covariance, DIRECTIONAL, find};
use tegula_files::nearest_name;

use crate::error::refused;

/// Which covariance.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct CovarianceFlags {
    /// Covariance, a form or a sum of some ("tegula exageostat covariances" lists all)
    #[arg(long, value_name = "NAME", default_value = "matern", value_parser = covariance())]
    pub(crate) covariance: &'static Covariance,
}

/// The mean of the field.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct MeanFlags {
    /// Mean: zero, constant, or a formula as in R ("x + sqrt(dist)", "landuse*x", "poly(x, 2) +
    /// factor(code)"; columns of text are factors) [default: constant]
    #[arg(long, value_name = "MEAN", allow_hyphen_values = true)]
    pub(crate) mean: Option<String>,
}

impl MeanFlags {
    /// What was given, or what it is without.
    pub(crate) fn text(&self) -> &str {
        self.mean.as_deref().unwrap_or("constant")
    }
}

/// What stands for a covariance of ExaGeoStat's that has no name of its own here.
fn elsewhere(name: &str) -> Option<String> {
    if let Some(field) = name.strip_prefix("tukey-gh-") {
        let inner = if field == "matern" { "matern-scaled" } else { field };
        return Some(format!("Tukey g-and-h fields are --covariance {inner} --transform tukey-gh"));
    }
    let plain = name.strip_suffix("-aniso").or_else(|| name.strip_suffix("-anisotropic"))?;
    Some(format!("with geometric anisotropy it is {plain}:anisotropic"))
}

/// Parses the name of a covariance; forms that depend on direction and sums are many, and not
/// listed.
pub(crate) fn covariance() -> impl TypedValueParser<Value = &'static Covariance> {
    #[derive(Clone)]
    struct Names;
    impl TypedValueParser for Names {
        type Value = &'static Covariance;

        fn parse_ref(
            &self,
            command: &clap::Command,
            argument: Option<&clap::Arg>,
            value: &std::ffi::OsStr,
        ) -> Result<Self::Value, clap::Error> {
            if let Some(sum) = value.to_str().filter(|name| name.contains('+')) {
                let made = find(sum).map_err(|error| {
                    clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{error}\n"))
                });
                return made;
            }
            if let Some(advice) = value.to_str().and_then(elsewhere) {
                let name = value.display();
                return Err(clap::Error::raw(
                    clap::error::ErrorKind::ValueValidation,
                    format!("there is no covariance {name}: {advice}\n"),
                ));
            }
            let listed = COVARIANCES.iter().chain(COMPOSITES);
            let listed = listed.map(|one| PossibleValue::new(one.name).help(one.formula));
            let forms = DIRECTIONAL.iter().map(|one| PossibleValue::new(one.name).hide(true));
            let names = PossibleValuesParser::new(listed.chain(forms));
            let name = names.parse_ref(command, argument, value)?;
            Ok(find(&name).expect("a listed name"))
        }

        fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
            Some(Box::new(
                COVARIANCES.iter().map(|one| PossibleValue::new(one.name).help(one.formula)),
            ))
        }
    }
    Names
}

/// Parses a nugget: 0 or more.
pub(crate) fn nugget(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("a nugget is a variance: a number that is 0 or more".to_owned()),
    }
}

/// The `name=value` pairs of the value `text` of `flag`; each name one of `names`, and used once.
///
/// # Errors
/// If an item is no such pair, its name is unknown, or appears twice.
pub(crate) fn assignments<'a>(
    flag: &str,
    text: &'a str,
    names: &[&'static str],
) -> Result<Vec<(&'static str, &'a str)>> {
    let mut pairs: Vec<(&'static str, &str)> = Vec::new();
    for item in text.split(',') {
        let Some((name, value)) = item.split_once('=') else {
            return Err(refused(format!("{flag}: '{item}' is not of the form name=value")));
        };
        let (wanted, value) = (name.trim(), value.trim());
        let Some(&name) = names.iter().find(|name| **name == wanted) else {
            let near = nearest_name(wanted, names.iter().copied());
            let hint = near.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let list = names.join(", ");
            return Err(refused(format!(
                "{flag}: there is no parameter '{wanted}'{hint}; there are {list}"
            )));
        };
        if pairs.iter().any(|(other, _)| *other == name) {
            return Err(refused(format!("{flag}: {name} is given twice")));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// The number `text` for `name` in `flag`.
///
/// # Errors
/// If it is none.
pub(crate) fn parse_number(flag: &str, name: &str, text: &str) -> Result<f64> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| refused(format!("{flag}: '{text}' for {name} is not a number")))
}

/// The values of `--params` in the order of the covariance's parameters: pairs, or once bare
/// numbers in that order.
///
/// # Errors
/// If a parameter is missing, unknown, given twice, or out of its bounds.
pub(crate) fn parameters(covariance: &'static Covariance, given: &[String]) -> Result<Vec<f64>> {
    let flag = "--params";
    let text = &given.join(",");
    let names: Vec<&'static str> = covariance.parameters.iter().map(|p| p.name).collect();
    let order = format!("{} takes {}", covariance.name, names.join(","));
    if given.len() > 1 && given.iter().any(|text| !text.contains('=')) {
        return Err(refused(format!(
            "{flag} is given {} times: give all numbers once",
            given.len()
        )));
    }
    let values = if text.contains('=') {
        if text.split(',').any(|item| item.trim_start().starts_with("nugget")) {
            return Err(refused("--params: the nugget has a flag of its own, --nugget VALUE"));
        }
        let pairs = assignments(flag, text, &names)?;
        let value = |name: &str| match pairs.iter().find(|(given, _)| *given == name) {
            Some((_, text)) => parse_number(flag, name, text),
            None => Err(refused(format!("{flag} leaves out {name}; {order}"))),
        };
        names.iter().map(|name| value(name)).collect::<Result<Vec<f64>>>()?
    } else {
        let items: Vec<&str> = text.split(',').collect();
        if items.len() != names.len() {
            let given = crate::output::count(items.len(), "number");
            return Err(refused(format!("{flag} {text}: {given} given; {order}")));
        }
        let number = |(text, name): (&&str, &&str)| parse_number(flag, name, text);
        items.iter().zip(&names).map(number).collect::<Result<Vec<f64>>>()?
    };
    covariance.check(&values)?;
    Ok(values)
}
