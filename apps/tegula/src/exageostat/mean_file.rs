//! The mean in the file of a model: its formula, and what the variables have learned.

use serde_json::{Map, Value, json};
use tegula_exageostat::coefficients::Coefficients;
use tegula_exageostat::design::Aliased;
use tegula_exageostat::mean::{Basis, Formula, Kind, Levels, Linear, Poly};

use super::mean::Mean;

/// The mean of a result as JSON.
pub(super) fn mean_json(mean: &Mean, coefficients: &Coefficients, aliased: &[Aliased]) -> Value {
    let Coefficients { each, covariance, .. } = coefficients;
    let matrix = covariance.chunks(covariance.len().isqrt().max(1));
    let mut value = json!({
        "formula": mean.text(),
        "names": each.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        "coefficients": each.iter().map(|one| one.estimate).collect::<Vec<_>>(),
        "standard_errors": each.iter().map(|one| one.std_error).collect::<Vec<_>>(),
        "covariance": matrix.collect::<Vec<_>>(),
        "aliased": aliased.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
    });
    if let Mean::Learned(linear) = mean {
        let variables = linear.formula().variables().iter().zip(linear.bases());
        let entry = |(variable, basis): (&_, &Basis)| {
            let variable: &tegula_exageostat::mean::Variable = variable;
            let mut entry = Map::new();
            entry.insert("name".to_owned(), variable.name().into());
            match basis {
                Basis::Number | Basis::Powers(_) => {}
                Basis::Factor(levels) => {
                    entry.insert("levels".to_owned(), levels.labels().into());
                    entry.insert("are_numbers".to_owned(), levels.are_numbers().into());
                }
                Basis::Orthogonal(poly) => {
                    entry.insert("alpha".to_owned(), poly.alpha().into());
                    entry.insert("norm2".to_owned(), poly.norm2().into());
                }
            }
            Value::Object(entry)
        };
        value["variables"] = variables.map(entry).collect();
    }
    value
}

/// The coefficients of a result as JSON, those of aliased columns without values, in the order of
/// the columns.
pub(super) fn coefficients_json(coefficients: &Coefficients, aliased: &[Aliased]) -> Value {
    let mut rows: Vec<Value> = coefficients
        .each
        .iter()
        .map(|one| {
            json!({
                "name": one.name, "estimate": one.estimate, "std_error": one.std_error,
                "t": one.t, "p": one.p,
            })
        })
        .collect();
    for one in aliased {
        let none = Value::Null;
        let row =
            json!({ "name": one.name, "estimate": none, "std_error": none, "t": none, "p": none });
        rows.insert(one.place, row);
    }
    Value::Array(rows)
}

/// The mean that the field `mean` of a file holds, or what is wrong with it.
pub(super) fn read_mean(value: &Value) -> Result<Mean, String> {
    let text = value["formula"].as_str().ok_or("mean.formula is not text")?;
    if matches!(text, "zero" | "constant") {
        return Mean::parse(text).map_err(|error| error.to_string());
    }
    let Some(variables) = value["variables"].as_array() else {
        // A file of an earlier version: numbers alone, and arithmetic in terms.
        let formula = Formula::parse_products(text).map_err(|error| error.to_string())?;
        return Ok(Mean::Formula(formula));
    };
    let formula = Formula::parse(text).map_err(|error| error.to_string())?;
    let wrong = || format!("mean.variables are not those of {text}");
    if formula.variables().len() != variables.len() {
        return Err(wrong());
    }
    let bases = formula.variables().iter().zip(variables);
    let bases = bases.map(|(variable, entry)| basis(variable.kind(), entry));
    let bases = bases.collect::<Option<Vec<Basis>>>().ok_or_else(wrong)?;
    Linear::new(formula, bases).map(Mean::Learned).ok_or_else(wrong)
}

/// The names of the columns of the mean and their coefficients, where the field `mean` of a file
/// tells them.
pub(super) fn read_coefficients(value: &Value) -> Option<Vec<(String, f64)>> {
    let names = value["names"].as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
    let names = names.collect::<Option<Vec<String>>>()?;
    let estimates = value["coefficients"].as_array()?.iter().map(Value::as_f64);
    let estimates = estimates.collect::<Option<Vec<f64>>>()?;
    (names.len() == estimates.len()).then(|| names.into_iter().zip(estimates).collect())
}

/// What a variable of this kind has learned, from its `entry`.
fn basis(kind: &Kind, entry: &Value) -> Option<Basis> {
    let numbers = |key: &str| -> Option<Vec<f64>> {
        entry[key].as_array()?.iter().map(Value::as_f64).collect()
    };
    if let Kind::Poly { degree, is_raw, .. } = kind {
        return match is_raw {
            true => Some(Basis::Powers(*degree)),
            false => Poly::new(numbers("alpha")?, numbers("norm2")?).map(Basis::Orthogonal),
        };
    }
    let Some(levels) = entry.get("levels") else { return Some(Basis::Number) };
    let labels = levels.as_array()?.iter().map(|label| label.as_str().map(str::to_owned));
    let labels = labels.collect::<Option<Vec<String>>>()?;
    Some(Basis::Factor(Levels::new(labels, entry["are_numbers"].as_bool()?)))
}
