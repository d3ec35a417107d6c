//! Observations from a table: which columns, which rows, and what a person should know of them.

use anyhow::Result;
use tegula_exageostat::design::Design;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::program::Computation;
use tegula_files::expression::Expression;
use tegula_files::{NamedValues, Table, TableError};

use super::mean::Mean;
use super::obvious;
use super::places::{Coordinates, column_expression, evaluate, read_table};
use super::setup::Problem;
use crate::error::refused;
use crate::flags::DataFlags;
use crate::output::{Console, count, number};

/// Groups of observations at one place that are listed.
const GROUPS_SHOWN: usize = 5;

/// Observations with the table they come from.
#[derive(Debug)]
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
    /// What is observed.
    pub(crate) observations: Observations,
}

impl Data {
    /// That `computation` on them.
    pub(super) fn problem(&self, computation: Computation) -> Problem {
        let (n, columns) = (self.observations.len(), self.observations.design.columns() + 1);
        let geometry = self.coordinates.geometry();
        Problem { n, columns, places: 0, geometry, computation, vecchia: None }
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
        let regressors = mean.columns(&table)?;
        let names = mean.names();
        let rows = {
            let mut needed = coordinates.named(&places);
            needed.push(NamedValues { name: values.text(), values: &observed });
            needed.extend(
                names.iter().zip(&regressors).map(|(name, values)| NamedValues { name, values }),
            );
            complete_rows(&table, &needed, drop_missing)?
        };
        let points = coordinates.points(&table, &places, &rows)?;
        let kept = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect::<Vec<f64>>();
        let design = Design::new(names, regressors.iter().map(kept).collect(), rows.len())?;
        let observations = Observations::new(points, kept(&observed), design);
        Ok(Self { table, rows, coordinates, values, mean, observations })
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
        let values = &self.observations.values;
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
        console.field("mean", self.mean.describe());
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
