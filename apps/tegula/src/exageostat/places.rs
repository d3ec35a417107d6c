//! Which columns of a table are places, and what distance between them means.

use std::path::Path;

use anyhow::Result;
use tegula_files::expression::{EvaluateError, Expression, split_list};
use tegula_files::{NamedValues, ReadOptions, Table, TableError};
use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry, GeometryError, Points};

use super::obvious;
use crate::error::refused;
use crate::flags::Distance;
use crate::guest;

/// Largest coordinate: the squares of larger ones may overflow.
const LARGEST: f64 = 1e150;
const LATITUDE: &[&str] = &["latitude", "lat"];
const LONGITUDE: &[&str] = &["longitude", "lon", "long", "lng"];

/// Coordinates as expressions over a table.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// In the order in which the user names them.
    expressions: Vec<Expression>,
    /// What distance means.
    pub(crate) distance: Distance,
    geometry: Geometry,
    /// Which expression is the latitude, on the sphere.
    latitude: usize,
    /// Whether a name tells which it is.
    is_named: bool,
    /// Whether the names were not given but found.
    pub(crate) is_found: bool,
    /// The time, if there is one.
    time: Option<Expression>,
}

impl Coordinates {
    /// The coordinates that `coords` and `distance` ask for in `table`, or the obvious ones.
    ///
    /// # Errors
    /// If nothing is obvious, or what is asked for is not there.
    pub(crate) fn choose(
        table: &Table,
        coords: Option<&str>,
        distance: Option<Distance>,
        is_third: impl Fn(&str) -> Result<bool>,
    ) -> Result<Self> {
        let texts: Vec<String> = match coords {
            Some(list) => split_list(list).into_iter().map(str::to_owned).collect(),
            None => obvious::coordinates(table, is_third)?,
        };
        let given: Vec<&str> = texts.iter().map(String::as_str).collect();
        Self::new(table, &given, distance, coords.is_none())
    }

    /// The coordinates `texts` in `table`.
    ///
    /// # Errors
    /// If there are too many, or one is no expression.
    pub(crate) fn new(
        table: &Table,
        texts: &[&str],
        distance: Option<Distance>,
        is_found: bool,
    ) -> Result<Self> {
        let expression = |text: &&str| column_expression("--coords", text, table);
        let expressions = texts.iter().map(expression).collect::<Result<Vec<_>, _>>()?;
        let (latitude, longitude) =
            (position(&expressions, LATITUDE), position(&expressions, LONGITUDE));
        let is_sphere = expressions.len() == 2 && latitude.is_some() && longitude.is_some();
        let default = if is_sphere { Distance::GreatCircle } else { Distance::Euclidean };
        let distance = distance.unwrap_or(default);
        let geometry = match (distance, expressions.len()) {
            (Distance::GreatCircle, 2) => Geometry::GreatCircle,
            (Distance::Chordal, 2) => Geometry::Space,
            (Distance::Euclidean, 1) => Geometry::Line,
            (Distance::Euclidean, 2) => Geometry::Plane,
            (Distance::Euclidean, 3) => Geometry::Space,
            (Distance::GreatCircle | Distance::Chordal, count) => {
                let name = distance.name();
                let message = "distance takes a longitude and a latitude, not";
                return Err(refused(format!("{name} {message} {count} coordinates")));
            }
            (Distance::Euclidean, count) => {
                return Err(refused(format!("places have 1, 2 or 3 coordinates, not {count}")));
            }
        };
        if let Some(place) = (1..texts.len()).find(|&place| texts[..place].contains(&texts[place]))
        {
            return Err(refused(format!(
                "--coords: {} stands there twice: name a column for each coordinate",
                texts[place]
            )));
        }
        let is_named = latitude.is_some() || longitude.is_some();
        // Without names to go by, x is the longitude and y the latitude.
        let latitude = latitude.or(longitude.map(|longitude| 1 - longitude.min(1))).unwrap_or(1);
        Ok(Self { expressions, distance, geometry, latitude, is_named, is_found, time: None })
    }

    /// These coordinates with the time `text`, if there is one.
    ///
    /// # Errors
    /// If it is no expression over `table`.
    pub(crate) fn with_time(self, table: &Table, text: Option<&str>) -> Result<Self> {
        let time = text.map(|text| column_expression("--time", text, table)).transpose()?;
        Ok(Self { time, ..self })
    }

    /// The text of the time, if there is one.
    pub(crate) fn time(&self) -> Option<&str> {
        self.time.as_ref().map(Expression::text)
    }

    /// Where no name tells which coordinate is the latitude, it is the one that is in `other`.
    pub(crate) fn take_order_of(&mut self, other: &Self) {
        if !self.is_named {
            self.latitude = other.latitude;
        }
    }

    /// The geometry of the points.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Which of the texts goes to the right on a map: the longitude on the sphere.
    pub(crate) fn right(&self) -> usize {
        if self.distance.is_on_sphere() { 1 - self.latitude } else { 0 }
    }

    /// Number of coordinates.
    pub(crate) fn count(&self) -> usize {
        self.expressions.len()
    }

    /// The texts that [`new`](Self::new) reads back.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.expressions.iter().map(Expression::text).collect()
    }

    /// Names of the columns that are used.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let all = self.expressions.iter().chain(&self.time);
        all.flat_map(|expression| expression.columns()).collect()
    }

    /// What a person reads at a terminal.
    pub(crate) fn describe(&self) -> String {
        self.in_words(self.is_found)
    }

    /// What a person reads elsewhere.
    pub(crate) fn about(&self) -> String {
        self.in_words(false)
    }

    /// What they are, with a word about flags where these were not given.
    fn in_words(&self, has_hint: bool) -> String {
        let distance = match self.distance {
            Distance::GreatCircle | Distance::Chordal => {
                let names = self.texts();
                let (latitude, longitude) = (names[self.latitude], names[1 - self.latitude]);
                let is_plain = LATITUDE.iter().any(|name| name.eq_ignore_ascii_case(latitude));
                let which = if is_plain {
                    String::new()
                } else {
                    format!("; latitude {latitude}, longitude {longitude}")
                };
                format!("{} distance in km{which}", self.distance.name())
            }
            Distance::Euclidean => "euclidean distance".to_owned(),
        };
        let found = if has_hint { "; --coords names others" } else { "" };
        let time = self.time().map_or(String::new(), |time| format!(", time {time}"));
        format!("{} ({distance}{found}){time}", self.texts().join(", "))
    }

    /// The coordinates in the order of the texts, then the time, a value for each row; NaN where
    /// one is missing.
    ///
    /// # Errors
    /// If an expression has no value.
    pub(crate) fn evaluate(&self, table: &Table) -> Result<Vec<Vec<f64>>> {
        let all = self.expressions.iter().chain(&self.time);
        all.map(|expression| evaluate(expression, table)).collect()
    }

    /// The points of the given rows of `table`, from coordinates as evaluated, marked with the time
    /// if there is one.
    ///
    /// # Errors
    /// With the line of a coordinate that is no position.
    pub(crate) fn points(
        &self,
        table: &Table,
        coordinates: &[Vec<f64>],
        rows: &[usize],
    ) -> Result<Points> {
        let mut order: Vec<usize> = (0..self.count()).collect();
        let is_on_sphere = self.distance.is_on_sphere();
        if is_on_sphere {
            order = vec![self.latitude, 1 - self.latitude];
        }
        let column = |&axis: &usize| rows.iter().map(|&row| coordinates[axis][row]).collect();
        let columns: Vec<Vec<f64>> = order.iter().map(column).collect();
        self.check_size(table, &columns, &order, rows)?;
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let held = if is_on_sphere { Geometry::GreatCircle } else { self.geometry };
        let points = Points::new(held, &slices).map_err(|error| match error {
            GeometryError::Value { point, axis, value } => {
                let name = self.texts()[order[axis]];
                let limits = if is_on_sphere && axis == 0 {
                    "no latitude, which lies between -90 and 90 degrees; say --distance euclidean \
                     if these are not degrees"
                } else {
                    "no position"
                };
                let row = table.row_name(rows[point]);
                refused(format!("{row}, column '{name}': {value} is {limits}"))
            }
            error => error.into(),
        })?;
        let points = if self.distance == Distance::Chordal { in_space(&points)? } else { points };
        if self.time.is_none() {
            return Ok(points);
        }
        let times: Vec<f64> = rows.iter().map(|&row| coordinates[self.count()][row]).collect();
        Ok(points.marked(&times))
    }

    /// Refuses coordinates whose distances have no squares.
    fn check_size(
        &self,
        table: &Table,
        columns: &[Vec<f64>],
        order: &[usize],
        rows: &[usize],
    ) -> Result<()> {
        for (column, &axis) in columns.iter().zip(order) {
            if let Some(index) = column.iter().position(|x| x.abs() > LARGEST) {
                let row = table.row_name(rows[index]);
                let (name, x) = (self.texts()[axis], column[index]);
                return Err(refused(format!(
                    "{row}, column '{name}': {x:e} is too large for a coordinate; \
                     change its unit (--coords {name}/1e6,...)"
                )));
            }
        }
        Ok(())
    }

    /// The coordinates with their names, to look for missing ones.
    pub(crate) fn named<'a>(&'a self, values: &'a [Vec<f64>]) -> Vec<NamedValues<'a>> {
        let pairs = self.texts().into_iter().chain(self.time()).zip(values);
        pairs.map(|(name, values)| NamedValues { name, values }).collect()
    }
}

/// The column or the expression that `text`, a value of `flag`, means over `table`.
///
/// # Errors
/// If it is neither, the table lacks the column, or no column stands in it.
pub(super) fn column_expression(flag: &str, text: &str, table: &Table) -> Result<Expression> {
    let expression = Expression::column_or_parse(text, table)?;
    if let Some(name) = expression.as_column() {
        table.find(name)?;
    }
    if expression.columns().is_empty() {
        return Err(refused(format!(
            "{flag}: no column stands in '{text}', which is the same in every row"
        )));
    }
    Ok(expression)
}

/// Points on the sphere as points in space, in km: their distance is the chord.
///
/// # Errors
/// Never for points on the sphere; the type is that of [`Points::new`].
pub(super) fn in_space(points: &Points) -> Result<Points, GeometryError> {
    let scaled: Vec<f64> = points.held().iter().map(|x| x * EARTH_RADIUS_KM).collect();
    let axes: Vec<&[f64]> = scaled.chunks_exact(points.len().max(1)).collect();
    Points::new(Geometry::Space, &axes)
}

/// The values of `expression`; what the table says of a plain column needs no mark in it.
///
/// # Errors
/// If a column is not there or not numeric, or an operation has no finite result.
pub(crate) fn evaluate(expression: &Expression, table: &Table) -> Result<Vec<f64>> {
    expression.evaluate(table).map_err(|error| match error {
        EvaluateError::Column { cause, .. } if expression.as_column().is_some() => (*cause).into(),
        error => error.into(),
    })
}

/// The path of standard input.
pub(super) const STANDARD_INPUT: &str = "/dev/stdin";

/// Parts of the memory of which a table may take one: a run needs the others.
const TABLE_PARTS: u64 = 4;

/// Reads the table at `path`, of any kind, which may take a part of the `memory`; `-` is standard
/// input.
///
/// # Errors
/// If it is no table, or too large.
pub(crate) fn read_table(path: &Path, memory: u64) -> Result<Table, TableError> {
    let lent = guest::table(path).map(Ok);
    lent.unwrap_or_else(|| Table::open(table_path(path), &options_for(memory)))
}

/// The file that `path` means: `-` is standard input.
pub(super) fn table_path(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new(STANDARD_INPUT) } else { path }
}

/// How a table is read by a run that may take so much memory.
pub(super) fn options_for(memory: u64) -> ReadOptions {
    ReadOptions { memory_bytes: memory / TABLE_PARTS, ..ReadOptions::default() }
}

/// Position of the expression that is a column with one of `names`.
fn position(expressions: &[Expression], names: &[&str]) -> Option<usize> {
    let is_named = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    expressions.iter().position(|expression| expression.as_column().is_some_and(is_named))
}

/// The columns of `table`, for messages.
pub(crate) fn column_list(table: &Table) -> String {
    const SHOWN: usize = 40;
    let mut names: Vec<String> = table.names().iter().take(SHOWN).cloned().collect();
    if table.names().len() > SHOWN {
        names.push(format!("and {} more", table.names().len() - SHOWN));
    }
    names.join(", ")
}
