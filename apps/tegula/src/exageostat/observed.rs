//! Predictions against what was observed at the places, if the table of places says it.

use serde_json::{Map, Value};

use super::data::Data;
use super::inputs::Places;
use crate::output::{Console, count, number};

/// Mean squares of observed values less predictions.
pub(super) struct Errors {
    /// At places where nothing was observed for the model: the error of prediction.
    elsewhere: Option<f64>,
    /// At places of the data, and how many these are.
    at_data: Option<(f64, usize)>,
}

impl Errors {
    /// Those of what was `expected` at the places, as far as their table has the column of the
    /// values.
    pub(super) fn new(data: &Data, places: &Places, expected: &[f64]) -> Self {
        let observed = observed(data, places).unwrap_or_default();
        let is_known = data.observations.are_observed(&places.points);
        let squares = |known: bool| -> Vec<f64> {
            let pairs = places.rows.iter().zip(expected).zip(&is_known);
            let pairs = pairs.filter(|(_, is_known)| **is_known == known);
            let errors = pairs.filter_map(|((&row, mean), _)| Some(observed.get(row)? - mean));
            errors.map(|error| error * error).filter(|square| square.is_finite()).collect()
        };
        let mean = |squares: &[f64]| squares.iter().sum::<f64>() / squares.len() as f64;
        let (elsewhere, at_data) = (squares(false), squares(true));
        Self {
            elsewhere: (!elsewhere.is_empty()).then(|| mean(&elsewhere)),
            at_data: (!at_data.is_empty()).then(|| (mean(&at_data), at_data.len())),
        }
    }

    /// Prints them.
    pub(super) fn describe(&self, console: &Console, places: &Places) {
        if let Some(error) = self.elsewhere {
            let path = places.table.path().display();
            console.line(format_args!(
                "mean squared error against the observed values in {path}: {}",
                number(error, 6)
            ));
        }
        if let Some((residual, places)) = self.at_data {
            console.line(format_args!(
                "mean squared residual at {} of the data: {} (the model knows these values: this is no error \
                 of prediction)",
                count(places, "place"),
                number(residual, 6)
            ));
        }
    }

    /// Adds them to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        let at_data = self.at_data.map(|(residual, _)| residual);
        for (key, value) in
            [("mean_squared_error", self.elsewhere), ("mean_squared_residual", at_data)]
        {
            into.insert(key.to_owned(), value.map_or(Value::Null, Value::from));
        }
    }
}

/// The observed values by rows of the table of places. A number of a column says nothing of a table
/// that is laid out in another way, and a coordinate is no observation.
fn observed(data: &Data, places: &Places) -> Option<Vec<f64>> {
    let (table, columns) = (&places.table, data.values.columns());
    let taken: Vec<_> =
        places.coordinates.columns().iter().filter_map(|name| table.find(name).ok()).collect();
    let is_same_layout = !table.has_header()
        && table.names().len() == data.table.names().len()
        && places.coordinates.texts() == data.coordinates.texts();
    for name in columns {
        let is_number = !table.has_header() || table.is_found_by_number(name);
        if taken.contains(&table.find(name).ok()?) || is_number && !is_same_layout {
            return None;
        }
    }
    data.values.evaluate(table).ok()
}
