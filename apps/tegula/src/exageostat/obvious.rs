//! Columns that are taken when nothing is said: the coordinates and the values of a table.

use anyhow::Result;
use tegula_exageostat::covariance::Covariance;
use tegula_files::expression::Expression;
use tegula_files::{ColumnIndex, Table};

use super::places::{Coordinates, column_list};
use crate::error::refused;

/// Columns that are taken for coordinates when nothing is said, case ignored.
const OBVIOUS: &[&[&str]] = &[
    &["longitude", "latitude"],
    &["lon", "lat"],
    &["long", "lat"],
    &["lng", "lat"],
    &["x", "y"],
    &["easting", "northing"],
    &["x_coord", "y_coord"],
    &["coord_x", "coord_y"],
    &["xcoord", "ycoord"],
];
/// Columns that are taken for the values when nothing is said, case ignored, the first first.
const VALUE_NAMES: &[&str] = &["value", "values"];
/// Columns that number the rows, case ignored.
const ROW_NAMES: &[&str] = &["id", "fid", "gid", "objectid", "index", "row", "no", "nr", "number"];

/// The columns of `table` that bear obvious names; `is_third` says whether the column `z` is a
/// coordinate.
pub(crate) fn coordinates(
    table: &Table,
    is_third: impl Fn(&str) -> Result<bool>,
) -> Result<Vec<String>> {
    let name = |wanted: &&str| table.find_any(&[wanted]).map(|column| table.name(column));
    let found: Vec<Vec<String>> =
        OBVIOUS.iter().filter_map(|set| set.iter().map(name).collect()).collect();
    let mut names = match found.as_slice() {
        [one] => one.clone(),
        [] => single(table).ok_or_else(|| {
            refused(format!(
                "{}: which columns are the coordinates? Name them, as --coords x,y; there are {}",
                table.path().display(),
                column_list(table)
            ))
        })?,
        [one, other, ..] => {
            return Err(refused(format!(
                "{}: the coordinates may be {} or {}; say --coords {} or --coords {}",
                table.path().display(),
                one.join(", "),
                other.join(", "),
                one.join(","),
                other.join(",")
            )));
        }
    };
    if names[0].eq_ignore_ascii_case("x")
        && names.len() == 2
        && let Some(z) = name(&"z")
        && is_third(&z)?
    {
        names.push(z);
    }
    Ok(names)
}

/// What the columns of a table without names hold, in the order of ExaGeoStat's files: coordinates,
/// the time, values.
#[derive(Default)]
pub(super) struct Plain {
    pub(super) coords: Option<String>,
    pub(super) time: Option<String>,
    pub(super) values: Option<String>,
}

/// The columns of `table`, of data for a `covariance` of several variables or of time, where they
/// have no names and their number tells what they hold: with two coordinates, or with three.
pub(super) fn plain(table: &Table, covariance: Option<&Covariance>) -> Plain {
    let (columns, Some(covariance)) = (table.names().len(), covariance) else {
        return Plain::default();
    };
    let (times, variables) = (usize::from(covariance.has_time()), covariance.variables());
    let coordinates = columns.saturating_sub(times + variables);
    if table.has_header() || times + variables == 1 || !(2..=3).contains(&coordinates) {
        return Plain::default();
    }
    let list = |first: usize, count: usize| {
        let numbers: Vec<String> =
            (first + 1..=first + count).map(|number| number.to_string()).collect();
        numbers.join(",")
    };
    Plain {
        coords: Some(list(0, coordinates)),
        time: (times > 0).then(|| list(coordinates, 1)),
        values: Some(list(coordinates + times, variables)),
    }
}

/// Coordinates of a table without a header, if its three columns leave no doubt, or of a table
/// with an `x` alone.
fn single(table: &Table) -> Option<Vec<String>> {
    if !table.has_header() {
        let is_plain = table.names().len() == 3;
        return is_plain.then(|| ["1", "2"].map(str::to_owned).to_vec());
    }
    table.find_any(&["x"]).map(|column| vec![table.name(column)])
}

/// Whether the column `z` beside `x` and `y` is a coordinate.
pub(super) fn is_third(table: &Table, z: &str, values: Option<&Expression>) -> Result<bool> {
    match values {
        Some(values) if values.columns().iter().any(|name| name.eq_ignore_ascii_case(z)) => {
            Ok(false)
        }
        Some(_) => Err(refused(format!(
            "{}: is the column '{z}' a coordinate? Say --coords x,y or --coords x,y,{z}",
            table.path().display()
        ))),
        None => Ok(table.find_any(VALUE_NAMES).is_some()),
    }
}

/// The column that holds the values if nothing else is said.
pub(super) fn values(table: &Table, coordinates: &Coordinates) -> Result<Expression> {
    let used = coordinates.columns();
    let is_used = |name: &str| used.iter().any(|other| other.eq_ignore_ascii_case(name));
    let named = |names: &[&str]| table.find_any(names).map(|column| table.name(column));
    let found = named(VALUE_NAMES).or_else(|| named(&["z"]));
    if let Some(name) = found.filter(|name| !is_used(name)) {
        return Ok(Expression::column(&name));
    }
    let numeric: Vec<String> = (0..table.names().len())
        .map(ColumnIndex)
        .filter(|&column| table.is_numeric(column))
        .map(|column| table.name(column))
        .filter(|name| !is_used(name))
        .collect();
    let is_number = |name: &String| ROW_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    let likely = numeric.iter().find(|name| !is_number(name));
    match numeric.as_slice() {
        [one] if is_number(one) => Err(refused(format!(
            "{}: no column is left for the values but '{one}', which may be a number of rows; say --values \
             {one} if it holds them",
            table.path().display()
        ))),
        [one] => Ok(Expression::column(one)),
        [] => Err(refused(format!(
            "{}: no numeric column is left for the values; its columns are {}",
            table.path().display(),
            column_list(table)
        ))),
        [first, ..] => Err(refused(format!(
            "{}: which column holds the values? {} could; say --values {likely}, or an expression \
             such as --values \"log({likely})\"",
            table.path().display(),
            numeric.iter().take(40).cloned().collect::<Vec<_>>().join(", "),
            likely = likely.unwrap_or(first)
        ))),
    }
}
