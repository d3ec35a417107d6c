//! Observations from a table: which columns, which rows, and what a person should know of them.

use anyhow::Result;
use tegula_exageostat::design::{Aliased, Design};
use tegula_exageostat::mean::Formula;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::program::Computation;
use tegula_exageostat::transform::Transform;
use tegula_files::expression::Expression;
use tegula_files::{ColumnIndex, NamedValues, Table, TableError};

use super::mean::{Mean, RowValues};
use super::method::Approximation;
use super::obvious;
use super::places::{Coordinates, column_expression, evaluate, read_table};
use super::setup::Problem;
use super::transform::describe as describe_transform;
use crate::error::refused;
use crate::flags::DataFlags;
use crate::output::{Console, count, number};

/// Groups of observations at one place that are listed.
const GROUPS_SHOWN: usize = 5;

/// Observations with the table they come from.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// The table.
    pub(crate) table: Table,
    /// Rows of it that are used.
    pub(crate) rows: Vec<usize>,
    /// Which columns are the places.
    pub(crate) coordinates: Coordinates,
    /// Which are the values.
    pub(crate) values: Expression,
    /// The mean.
    pub(crate) mean: Mean,
    /// Its columns that depend on others, and have no coefficients.
    pub(crate) aliased: Vec<Aliased>,
    /// The transformation of the values.
    pub(crate) transform: Transform,
    /// The values as they were, without it.
    pub(crate) measured: Vec<f64>,
    /// What is observed, the values transformed.
    pub(crate) observations: Observations,
}

impl Data {
    /// That `computation` on them.
    pub(super) fn problem(&self, computation: Computation) -> Problem {
        let (n, columns) = (self.observations.len(), self.observations.design.columns() + 1);
        let geometry = self.coordinates.geometry();
        Problem { n, columns, places: 0, geometry, computation, method: Approximation::None }
    }

    /// Reads what `flags` ask for, with the mean `mean`, in a part of the `memory`.
    ///
    /// # Errors
    /// If the file cannot be read, a column is not there or not numeric, or a value is missing.
    pub(crate) fn load(flags: &DataFlags, mean: Mean, memory: u64) -> Result<Self> {
        let table = read_table(&flags.data, memory)?;
        let values = flags.values.as_deref();
        let values = values.map(|text| column_expression("--values", text, &table)).transpose()?;
        let is_third = |z: &str| obvious::is_third(&table, z, values.as_ref());
        let (coords, distance) = (flags.places.coords.as_deref(), flags.places.distance);
        let coordinates = Coordinates::choose(&table, coords, distance, is_third)?;
        let values = match values {
            Some(values) => values,
            None => obvious::values(&table, &coordinates)?,
        };
        let mean = mean.with_rest(&rest(&table, &coordinates, &values))?;
        check_names(&table, &mean)?;
        Self::from_table(table, coordinates, values, mean, flags.drop_missing)
    }

    /// Takes the observations from `table`; rows that lack a value are refused, or left out.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn from_table(
        table: Table,
        coordinates: Coordinates,
        values: Expression,
        mean: Mean,
        drop_missing: bool,
    ) -> Result<Self> {
        let places = coordinates.evaluate(&table)?;
        let observed = evaluate(&values, &table)?;
        let variables = mean.values(&table)?;
        let rows = {
            let names = variable_names(&mean);
            let present: Vec<Vec<f64>> = variables.iter().map(RowValues::presence).collect();
            let mut needed = coordinates.named(&places);
            needed.push(NamedValues { name: values.text(), values: &observed });
            needed.extend(
                names.iter().zip(&present).map(|(name, values)| NamedValues { name, values }),
            );
            complete_rows(&table, &needed, drop_missing)?
        };
        let points = coordinates.points(&table, &places, &rows)?;
        let variables: Vec<_> = variables.iter().map(|values| values.of_rows(&rows)).collect();
        let mean = mean.learn(&variables)?;
        let (names, columns) = mean.columns(&variables, (&table, &rows))?;
        let (design, aliased) = Design::reduced(names, columns, rows.len());
        let measured: Vec<f64> = rows.iter().map(|&row| observed[row]).collect();
        let observations = Observations::new(points, measured.clone(), design);
        let transform = Transform::None;
        Ok(Self {
            table,
            rows,
            coordinates,
            values,
            mean,
            aliased,
            transform,
            measured,
            observations,
        })
    }

    /// Transforms the values.
    ///
    /// # Errors
    /// With the line of a value that `transform` does not take.
    pub(crate) fn take(&mut self, transform: Transform) -> Result<()> {
        if let Some(place) = self.measured.iter().position(|&y| !transform.takes(y)) {
            let (file, line) = (self.table.path().display(), self.table.line(self.rows[place]));
            let (name, value) = (self.values.text(), self.measured[place]);
            return Err(refused(format!(
                "{file}, line {line}, '{name}': {value} is not positive, and --transform {} takes \
                 positive values alone",
                transform.name()
            )));
        }
        self.transform = transform;
        self.observations.values = self.measured.iter().map(|&y| transform.apply(y)).collect();
        Ok(())
    }

    /// What to add to the log-likelihood of the transformed values for that of the values.
    pub(crate) fn log_jacobian(&self) -> f64 {
        self.transform.log_jacobian(&self.measured)
    }

    /// About how many times as large the transformed values are with an exponent of Box and Cox
    /// that is `more` than another: their geometric mean to that power.
    pub(crate) fn scale(&self, more: f64) -> f64 {
        let logs = self.measured.iter().map(|y| y.ln()).sum::<f64>();
        (more * logs / self.measured.len() as f64).exp()
    }

    /// Number of rows that were left out.
    pub(crate) fn dropped(&self) -> usize {
        self.table.rows() - self.rows.len()
    }

    /// Prints what was read.
    pub(crate) fn describe(&self, console: &Console) {
        let table = &self.table;
        let header = if table.has_header() { "header" } else { "no header" };
        console.field(
            "data",
            format_args!(
                "{}: {}, {header}, {}",
                table.path().display(),
                count(table.rows(), "row"),
                table.dialect()
            ),
        );
        console.field("coordinates", self.coordinates.describe());
        let values = &self.measured;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        console.field(
            "values",
            format_args!(
                "{}: {} from {} to {}, mean {}",
                self.values.text(),
                values.len(),
                number(low, 4),
                number(high, 4),
                number(mean, 4),
            ),
        );
        if self.dropped() > 0 {
            console.field(
                "left out",
                format_args!("{} with missing values", count(self.dropped(), "row")),
            );
        }
        if self.transform != Transform::None {
            console.field("transform", describe_transform(self.transform));
        }
        console.field("mean", self.mean.describe());
        for (name, levels) in self.mean.factors() {
            let (reference, others) = levels.split_first().expect("a factor has levels");
            let others = shortened(others);
            console.field("factor", format_args!("{name}: {reference} (the reference), {others}"));
        }
        if !self.aliased.is_empty() {
            let names: Vec<String> = self.aliased.iter().map(|one| one.name.clone()).collect();
            console.note(format_args!(
                "{} of the mean depend on those before: they have no coefficient ({})",
                count(names.len(), "column"),
                shortened(&names)
            ));
        }
    }

    /// Refuses observations at the same place unless a nugget tells them apart.
    ///
    /// # Errors
    /// If there are some and `has_nugget` is false.
    pub(crate) fn check_places(
        &self,
        has_nugget: bool,
        remedy: &str,
        console: &Console,
    ) -> Result<()> {
        let groups = self.observations.coincident();
        if groups.is_empty() {
            return Ok(());
        }
        let lines = |group: &Vec<usize>| {
            let lines: Vec<String> =
                group.iter().take(6).map(|&i| self.table.line(self.rows[i]).to_string()).collect();
            format!("lines {}{}", lines.join(", "), if group.len() > 6 { " ..." } else { "" })
        };
        let listed: Vec<String> = groups.iter().take(GROUPS_SHOWN).map(lines).collect();
        let more = groups.len().saturating_sub(GROUPS_SHOWN);
        let more = if more > 0 { format!("; and {more} more places") } else { String::new() };
        let (file, places) = (self.table.path().display(), count(groups.len(), "place"));
        let found = format!(
            "{file}: {places} with more than one observation ({}{more})",
            listed.join("; ")
        );
        if has_nugget {
            console.note(format_args!("{found}; the nugget accounts for their differences"));
            return Ok(());
        }
        Err(refused(format!(
            "{found}. Without a nugget their covariance matrix is singular: {remedy}, or keep one \
             observation per place"
        )))
    }
}

/// The names of what a mean is computed from, in the order of its variables.
pub(crate) fn variable_names(mean: &Mean) -> Vec<String> {
    let variables = mean.formula().map(Formula::variables).unwrap_or_default();
    variables.iter().map(|variable| variable.name().to_owned()).collect()
}

/// Names in a line, not too many.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The columns that are neither coordinates nor values.
fn rest(table: &Table, coordinates: &Coordinates, values: &Expression) -> Vec<String> {
    let used: Vec<ColumnIndex> = coordinates
        .columns()
        .into_iter()
        .chain(values.columns())
        .filter_map(|name| table.find(name).ok())
        .collect();
    let others = (0..table.names().len()).map(ColumnIndex).filter(|one| !used.contains(one));
    others.map(|column| table.name(column)).collect()
}

/// Rows that lack nothing, or an error that says which does.
///
/// # Errors
/// If a row lacks a value and rows may not be left out, or every row lacks one.
pub(crate) fn complete_rows(
    table: &Table,
    needed: &[NamedValues<'_>],
    drop_missing: bool,
) -> Result<Vec<usize>> {
    if !drop_missing {
        return match table.require_complete(needed) {
            Ok(()) => Ok((0..table.rows()).collect()),
            Err(error @ TableError::MissingValue { .. }) => {
                Err(refused(format!("{error} (--drop-missing)")))
            }
            Err(error) => Err(error.into()),
        };
    }
    let rows = table.complete_rows(needed);
    if rows.is_empty() {
        let names: Vec<&str> = needed.iter().map(|column| column.name).collect();
        let file = table.path().display();
        return Err(refused(format!("{file}: no row has values in all of {}", names.join(", "))));
    }
    Ok(rows)
}

/// Refuses a mean that takes columns by number where they have names: in other tables the numbers
/// may be of others.
fn check_names(table: &Table, mean: &Mean) -> Result<()> {
    let number = mean.inputs().into_iter().find(|name| table.is_found_by_number(name));
    let Some(number) = number else { return Ok(()) };
    let name = table.name(table.find(number)?);
    let file = table.path().display();
    Err(refused(format!("--mean: column {number} of {file} is called '{name}'; write that")))
}
