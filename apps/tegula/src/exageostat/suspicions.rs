//! What in a table may not mean what it is taken for: columns passed over, codes, degrees, places
//! far away.

use tegula_exageostat::plausibility::{far_off, sentinel};
use tegula_files::{ColumnIndex, Table};
use tegula_kernels::geometry::Geometry;

use super::data::Data;
use super::inputs::Places;
use super::mean::Mean;
use crate::flags::DataFlags;
use crate::output::{count, number};

/// Columns that hold times, case ignored.
const TIMES: &[&str] = &[
    "t",
    "time",
    "times",
    "date",
    "datetime",
    "timestamp",
    "year",
    "month",
    "week",
    "day",
    "hour",
];
/// Columns whose name does not say whether they are degrees.
const PLAIN: &[&str] = &["x", "y"];
/// Columns named in a remark.
const SHOWN: usize = 8;
/// Most values of a column that may be codes of classes; two are an indicator, which is no mistake.
const MOST_CODES: usize = 12;

impl Data {
    /// What a person should know of the columns that `flags` chose or left to the program.
    pub(super) fn suspicions(&self, flags: &DataFlags) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(flags.values.is_none().then(|| self.choice()).flatten());
        found.extend(self.time());
        let code = |column| missing_code(&self.table, &self.rows, column);
        found.extend(self.used().into_iter().filter_map(code));
        found.extend(self.mean.plain_columns().into_iter().filter_map(|name| self.classes(name)));
        found.extend(flags.places.distance.is_none().then(|| self.degrees()).flatten());
        found
    }

    /// The columns that are used, each once.
    fn used(&self) -> Vec<ColumnIndex> {
        let names = self.coordinates.columns().into_iter();
        let names = names.chain(self.values.columns()).chain(self.mean.inputs());
        let mut used: Vec<ColumnIndex> = names.filter_map(|n| self.table.find(n).ok()).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The columns that are not used.
    fn unused(&self) -> impl Iterator<Item = ColumnIndex> {
        let used = self.used();
        (0..self.table.names().len()).map(ColumnIndex).filter(move |column| !used.contains(column))
    }

    /// The values of `column` in the rows that are used; none if it holds text.
    fn numbers(&self, column: ColumnIndex) -> Vec<f64> {
        let numbers = self.table.numbers(column).unwrap_or_default();
        self.rows.iter().filter_map(|&row| numbers.get(row)).copied().collect()
    }

    /// Which column was taken for the values, where others might have been.
    fn choice(&self) -> Option<String> {
        let others = self.unused().filter(|&column| self.table.is_numeric(column));
        let others: Vec<String> = others.map(|column| self.table.name(column)).collect();
        let others: Vec<String> = others.into_iter().filter(|name| !is_any(name, TIMES)).collect();
        let more = others.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let listed = others.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        (!others.is_empty()).then(|| {
            format!(
                "the values are those of column '{}'; left out: {listed}{more} (--values names another)",
                self.values.text()
            )
        })
    }

    /// Columns of times that are not used.
    fn time(&self) -> Option<String> {
        let varies = |column: ColumnIndex| {
            let values = self.numbers(column);
            values.is_empty() || values.iter().any(|&value| value != values[0])
        };
        let named = self.unused().filter(|&column| is_any(&self.table.name(column), TIMES));
        let names = named.filter(|&column| varies(column)).map(|column| self.table.name(column));
        let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
        let (word, verb) = if names.len() > 1 { ("columns", "are") } else { ("column", "is") };
        (!names.is_empty()).then(|| {
            format!(
                "{word} {} {verb} not used: all observations count as of one moment; keep those of one, or take \
                 time into the mean",
                names.join(", ")
            )
        })
    }

    /// A column of the mean that may hold codes of classes.
    fn classes(&self, name: &str) -> Option<String> {
        let values = self.numbers(self.table.find(name).ok()?);
        if values.iter().any(|value| value.fract() != 0.0) {
            return None;
        }
        let mut levels = values.clone();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let is_few = (3..=MOST_CODES).contains(&levels.len()) && values.len() >= 5 * levels.len();
        is_few.then(|| {
            format!(
                "column '{name}' of the mean has {} values, all whole numbers: it counts as a number with one \
                 slope; if they are codes of classes, write factor({name})",
                levels.len()
            )
        })
    }

    /// Coordinates called x and y that look like degrees.
    fn degrees(&self) -> Option<String> {
        let points = &self.observations.points;
        let texts = self.coordinates.texts();
        let is_plain =
            texts.iter().all(|name| is_any(name, PLAIN) || name.parse::<usize>().is_ok());
        if points.geometry() != Geometry::Plane || !is_plain {
            return None;
        }
        let (x, y) = points.held().split_at(points.len());
        let (x, y) = (Problem::of(x), Problem::of(y));
        let may_be = x.low >= -180.0 && x.high <= 360.0 && y.low >= -90.0 && y.high <= 90.0;
        let is_globe = x.width() > 180.0 && y.width() > 45.0 && y.low < 0.0;
        // The axes of a site begin near 0; meridians and parallels of a region seldom do.
        let is_region = !x.is_whole && !y.is_whole && (x.is_remote() || y.is_remote());
        (may_be && (is_globe || is_region)).then(|| {
            format!(
                "the coordinates {} ({} to {}) and {} ({} to {}) look like degrees, and distances are euclidean: \
                 say --distance great-circle if the first is the longitude, or --distance euclidean if they \
                 are none",
                texts[0],
                number(x.low, 4),
                number(x.high, 4),
                texts[1],
                number(y.low, 4),
                number(y.high, 4),
            )
        })
    }
}

/// Where the values of a coordinate lie.
struct Problem {
    low: f64,
    high: f64,
    is_whole: bool,
}

impl Problem {
    fn of(values: &[f64]) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { low, high, is_whole: values.iter().all(|value| value.fract() == 0.0) }
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Whether 0 lies farther away than the values extend, and some degrees.
    fn is_remote(&self) -> bool {
        let offset = self.low.max(-self.high);
        offset > self.width().max(5.0)
    }
}

/// What a person should know of places, of which some are seen at a time.
#[derive(Default)]
pub(super) struct Suspicions {
    /// Columns with codes of missing values, and what is said of each.
    codes: Vec<(ColumnIndex, String)>,
    /// Places far from the data.
    far: usize,
    /// Where the first of them stands, and the names of its coordinates.
    first: Option<(String, String)>,
}

impl Suspicions {
    /// Looks at `places` for a model of `data` with the mean `mean`.
    pub(super) fn add(&mut self, places: &Places, mean: &Mean, data: &Data) {
        let Places { table, rows, coordinates, .. } = places;
        let names = coordinates.columns().into_iter().chain(mean.inputs());
        for column in names.filter_map(|name| table.find(name).ok()) {
            let is_new = self.codes.iter().all(|(known, _)| *known != column);
            if is_new && let Some(remark) = missing_code(table, rows, column) {
                self.codes.push((column, remark));
            }
        }
        let far = far_off(&data.observations.points, &places.points);
        self.far += far.len();
        if let (None, Some(&first)) = (&self.first, far.first()) {
            self.first = Some((table.row_name(rows[first]), coordinates.texts().join(", ")));
        }
    }

    /// What is to be said of `all` places.
    pub(super) fn remarks(self, all: usize) -> Vec<String> {
        let far = self.first.map(|(first, coordinates)| {
            format!(
                "{} of {} lie farther from the data than these extend (the first is {first}): what is predicted \
                 there is hardly more than the mean; are {coordinates} in the same units, and in the same order, as \
                 in the data?",
                self.far,
                count(all, "place"),
            )
        });
        self.codes.into_iter().map(|(_, remark)| remark).chain(far).collect()
    }
}

/// A value in `rows` of `column` that seems to stand for a missing one.
fn missing_code(table: &Table, rows: &[usize], column: ColumnIndex) -> Option<String> {
    let values = table.numbers(column).ok()?;
    let (value, times) = sentinel(&rows.iter().map(|&row| values[row]).collect::<Vec<_>>())?;
    let first = rows.iter().find(|&&row| values[row] == value)?;
    Some(format!(
        "{}, column '{}': {value} stands in {} (the first is {} {}), far from all other values; if it means a \
         missing one, write NA there and say --drop-missing",
        table.path().display(),
        table.name(column),
        count(times, "row"),
        table.word(),
        table.line(*first)
    ))
}

fn is_any(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
