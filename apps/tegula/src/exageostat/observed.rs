//! Predictions against what was observed at the places, if the table of places says it.

use serde_json::{Map, Value};

use tegula_files::expression::Expression;
use tegula_kernels::geometry::Points;

use super::data::Data;
use super::inputs::Places;
use crate::output::{Console, count, number};

/// Mean squares of observed values less predictions.
#[derive(Default)]
pub(super) struct Errors {
    /// At places where nothing was observed for the model: the error of prediction.
    elsewhere: Squares,
    /// At places of the data.
    at_data: Squares,
}

/// A sum of squares, and of how many.
#[derive(Clone, Copy, Default)]
struct Squares {
    sum: f64,
    count: usize,
}

impl Squares {
    fn add(&mut self, error: f64) {
        let square = error * error;
        if square.is_finite() {
            (self.sum, self.count) = (self.sum + square, self.count + 1);
        }
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl Errors {
    /// Adds those of what was `expected` at the places, as far as their table has the column of
    /// the `field`'s values.
    pub(super) fn add(
        &mut self,
        (data, field): (&Data, &Expression),
        (places, points): (&Places, &Points),
        expected: &[f64],
    ) {
        let Some(observed) = observed(data, field, places) else { return };
        let is_known = data.observations.are_observed(points);
        for ((&row, mean), is_known) in places.rows.iter().zip(expected).zip(is_known) {
            let squares = if is_known { &mut self.at_data } else { &mut self.elsewhere };
            squares.add(observed[row] - mean);
        }
    }

    /// Prints them; `targets` is what the places are called.
    pub(super) fn describe(&self, console: &Console, targets: &str) {
        if let Some(error) = self.elsewhere.mean() {
            console.line(format_args!(
                "mean squared error against the observed values in {targets}: {}",
                number(error, 6)
            ));
        }
        if let Some(residual) = self.at_data.mean() {
            console.line(format_args!(
                "mean squared residual at {} of the data: {} (the model knows these values: this is no error \
                 of prediction)",
                count(self.at_data.count, "place"),
                number(residual, 6)
            ));
        }
    }

    /// Adds them to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        for (key, squares) in
            [("mean_squared_error", self.elsewhere), ("mean_squared_residual", self.at_data)]
        {
            into.insert(key.to_owned(), squares.mean().map_or(Value::Null, Value::from));
        }
    }
}

/// The observed values by rows of the table of places. A number of a column says nothing of a table
/// that is laid out in another way, and a coordinate is no observation.
fn observed(data: &Data, values: &Expression, places: &Places) -> Option<Vec<f64>> {
    let (table, columns) = (&places.table, values.columns());
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
    values.evaluate(table).ok()
}
