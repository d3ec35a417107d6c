//! The matrix that a command reads: its file, its names, and what is read beside it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use tegula_diodon::distance::DistanceSource;
use tegula_files::matrix::{ReadSettings, find_matrix};
use tegula_files::source::{Coverage, Source};

use crate::error::refused;
use crate::files::check_side_files;
use crate::guest;
use crate::machine::peak_resident;
use crate::output::{Console, bytes, count};

/// A matrix of distances with names of its items.
#[derive(Debug)]
pub(super) struct Distances {
    pub(super) source: Arc<dyn Source>,
    /// Names, or numbers from 1 where the file has none.
    pub(super) ids: Vec<String>,
    /// Bytes that names, and what was read already, hold.
    pub(super) resident_bytes: u64,
}

/// How the matrix is read.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ReadFlags {
    /// What entries of HDF5 are that were never written [default: a matrix with such is refused]
    #[arg(long, value_name = "VALUE", help_heading = "Data", allow_negative_numbers = true, value_parser = finite)]
    pub(super) fill: Option<f64>,
}

/// A flag about rounding.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ToleranceFlags {
    /// Share of the greatest distance up to which asymmetry, a diagonal that is not 0 and negative
    /// entries are rounding [default: 8 times the root of the precision of the numbers]
    #[arg(long, value_name = "T", help_heading = "Data", value_parser = share)]
    pub(super) symmetry_tolerance: Option<f64>,
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("'{text}' is no number"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| format!("'{text}' is no share: from 0, below 1, as 1e-6"))
}

/// Opens the matrix that `spec` names, in a format by this name if there is one; texts that do not
/// fit `memory` go to `scratch`. Entries that were never written are `fill`, or refused.
pub(super) fn open(
    spec: &OsStr,
    format: Option<&str>,
    (memory_bytes, scratch): (u64, PathBuf),
    fill: Option<f64>,
) -> Result<Arc<dyn Source>> {
    if let Some(source) = guest::source(spec) {
        return Ok(source);
    }
    let found = find_matrix(spec, format)?;
    let source = found.open(&ReadSettings { memory_bytes, scratch, format, fill })?;
    check_side_files(&*source, &found.path)?;
    Ok(Arc::from(source))
}

/// Bytes that a name takes at least, or a number in its place, and how often it is held.
const NAME: u64 = size_of::<String>() as u64 + 16;
const TIMES: u64 = 3;

/// Refuses so many rows or columns that their names alone do not fit `memory`.
pub(super) fn check_names_fit(source: &dyn Source, lines: usize, memory: u64) -> Result<()> {
    let wanted = (lines as u64).saturating_mul(TIMES * NAME);
    if wanted <= memory {
        return Ok(());
    }
    Err(refused(format!(
        "{}: names, or numbers, of {lines} items take {}, more than the {} of memory: allow more --memory",
        source.name(),
        bytes(wanted as f64),
        bytes(memory as f64)
    )))
}

impl Distances {
    /// Opens the matrix that `spec` names.
    ///
    /// # Errors
    /// If there is no such file, it is damaged, not square, or its names contradict each other.
    pub(super) fn open(
        spec: &OsStr,
        (memory, scratch): (u64, PathBuf),
        fill: Option<f64>,
    ) -> Result<Self> {
        let source = open(spec, None, (memory / 4, scratch), fill)?;
        let [rows, columns] = source.shape();
        if rows != columns {
            return Err(refused(format!(
                "{}: a matrix of distances has as many rows as columns, not {rows} and {columns}; of points, \"tegula diodon \
                 distances\" makes distances, and \"tegula diodon pca\" takes them as they are",
                source.name()
            )));
        }
        check_names_fit(&*source, rows, memory)?;
        check_names(&*source)?;
        let is_read = source.stored_bytes_per_entry() == 0.0;
        let entries = if is_read { (rows * columns * source.element().bytes()) as u64 } else { 0 };
        Self::of(source, entries)
    }

    /// Distances that are computed.
    ///
    /// # Errors
    /// If two items have the same name.
    pub(super) fn computed(source: DistanceSource) -> Result<Self> {
        check_names(&source)?;
        // What reading took at most: the items, in the form in which the metric wants them.
        let held = peak_resident().unwrap_or(0);
        Self::of(Arc::new(source), held)
    }

    /// With entries, or what they are computed from, that hold so many bytes.
    fn of(source: Arc<dyn Source>, held: u64) -> Result<Self> {
        let [n, _] = source.shape();
        if n == 0 {
            return Err(refused(format!("{}: the matrix is empty", source.name())));
        }
        let ids = names_or_numbers(source.row_names().or(source.column_names()), n);
        let letters: usize = ids.iter().map(|id| id.len() + size_of::<String>()).sum();
        // The names of the source, those that are kept, and the order in which repetitions are
        // looked for.
        let resident_bytes = 3 * letters as u64 + held;
        Ok(Self { source, ids, resident_bytes })
    }

    /// Number of items.
    pub(super) fn n(&self) -> usize {
        self.ids.len()
    }

    /// Prints what is read.
    pub(super) fn describe(&self, console: &Console) {
        let (n, element) = (self.n(), self.source.element());
        let whole = match self.source.coverage() {
            Coverage::Full => "",
            Coverage::Triangle => ", one triangle",
        };
        let stored = self.source.stored_bytes_per_entry() * (n as f64).powi(2);
        let stored = if stored > 0.0 { format!(", {}", bytes(stored)) } else { String::new() };
        console.field(
            "distances",
            format_args!(
                "{}: {}, {}{whole}{stored}",
                self.source.name(),
                count(n, "item"),
                element.name()
            ),
        );
    }
}

/// The names, or numbers from 1.
pub(super) fn names_or_numbers(names: Option<&[String]>, count: usize) -> Vec<String> {
    names.map_or_else(|| (1..=count).map(|number| number.to_string()).collect(), <[_]>::to_vec)
}

/// Refuses names of rows that come twice, or that are not those of the columns.
fn check_names(source: &dyn Source) -> Result<()> {
    let (rows, columns) = (source.row_names(), source.column_names());
    if let (None, Some(columns)) = (rows, columns) {
        check_unique(source.name(), "column", columns)?;
    }
    if let Some(rows) = rows {
        check_unique(source.name(), "row", rows)?;
        if let Some(columns) = columns
            && let Some(place) = (0..rows.len()).find(|&place| rows[place] != columns[place])
        {
            let is_order = {
                let (mut one, mut other) = (rows.to_vec(), columns.to_vec());
                one.sort_unstable();
                other.sort_unstable();
                one == other
            };
            let what = if is_order {
                "the columns have the same names in another order: bring rows and columns into one order"
            } else {
                "rows and columns have different names: this is no matrix of distances between the items of one set"
            };
            return Err(refused(format!(
                "{}: row {} is {} but column {} is {}; {what}",
                source.name(),
                place + 1,
                rows[place],
                place + 1,
                columns[place]
            )));
        }
    }
    Ok(())
}

/// Refuses names that come twice.
pub(super) fn check_unique(name: &str, what: &str, names: &[String]) -> Result<()> {
    let mut first = BTreeMap::new();
    for (place, id) in names.iter().enumerate() {
        if let Some(other) = first.insert(id, place) {
            return Err(refused(format!(
                "{name}: {what}s {} and {} are both called {id}: give each item a name of its own",
                other + 1,
                place + 1
            )));
        }
    }
    Ok(())
}
