//! Predictions against what was observed at the places, if the table of places says it.

use serde_json::{Map, Value, json};

use tegula_files::expression::Expression;
use tegula_kernels::geometry::Points;

use super::data::Data;
use super::inputs::Places;
use crate::output::{Console, count, number};

/// Mean squares of observed values less predictions.
#[derive(Default)]
pub(super) struct Errors {
    /// Those of each field that the table of places has, with its name.
    fields: Vec<(String, OfField)>,
}

/// Those of a field.
#[derive(Clone, Copy, Default)]
struct OfField {
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

    fn with(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, count: self.count + other.count }
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
        let name = field.text();
        let place = self.fields.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.fields.push((name.to_owned(), OfField::default()));
            self.fields.len() - 1
        });
        let of = &mut self.fields[place].1;
        let is_known = data.observations.are_observed(points);
        for ((&row, mean), is_known) in places.rows.iter().zip(expected).zip(is_known) {
            let squares = if is_known { &mut of.at_data } else { &mut of.elsewhere };
            squares.add(observed[row] - mean);
        }
    }

    /// Prints them, those of each field by themselves, since their units may differ; `targets` is
    /// what the places are called.
    pub(super) fn describe(&self, console: &Console, targets: &str) {
        for (name, of) in &self.fields {
            let name = if self.fields.len() > 1 { format!("{name}: ") } else { String::new() };
            if let Some(error) = of.elsewhere.mean() {
                console.line(format_args!(
                    "{name}mean squared error against the observed values in {targets}: {}",
                    number(error, 6)
                ));
            }
            if let Some(residual) = of.at_data.mean() {
                console.line(format_args!(
                    "{name}mean squared residual at {} of the data: {} (the model knows these values: \
                     this is no error of prediction)",
                    count(of.at_data.count, "place"),
                    number(residual, 6)
                ));
            }
        }
    }

    /// Adds them to a result: of all fields together, and of each of several.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        let all = self.fields.iter().fold(OfField::default(), |sum, (_, of)| OfField {
            elsewhere: sum.elsewhere.with(of.elsewhere),
            at_data: sum.at_data.with(of.at_data),
        });
        for (key, squares) in
            [("mean_squared_error", all.elsewhere), ("mean_squared_residual", all.at_data)]
        {
            into.insert(key.to_owned(), squares.mean().into());
        }
        if self.fields.len() > 1 {
            let each = self.fields.iter().map(|(name, of)| {
                json!({
                    "name": name,
                    "mean_squared_error": of.elsewhere.mean(),
                    "mean_squared_residual": of.at_data.mean(),
                })
            });
            into.insert("variables".to_owned(), each.collect());
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
