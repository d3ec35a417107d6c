//! Labels of items from a file: read, and matched with the ids of an ordination.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use tegula_files::text::read_bytes;

use super::error::LabelsError;

/// First cells that only a header has, in lower case.
const ID_NAMES: [&str; 14] = [
    "",
    "id",
    "ids",
    "#id",
    "item",
    "name",
    "sample",
    "sampleid",
    "#sampleid",
    "sample-id",
    "sample_id",
    "sequence",
    "seq_id",
    "read",
];
/// Ids that a message names.
const NAMED: usize = 3;
/// Columns of labels that are used.
const MOST_COLUMNS: usize = 24;

/// Bytes of memory for each byte of a file with short rows.
const SHARE: u64 = 32;
/// Bytes that a file may have in any case.
const LEAST: u64 = 1 << 20;

/// The rows of a file of labels.
#[derive(Clone, Debug)]
pub struct Labels {
    path: PathBuf,
    rows: Vec<LabelRow>,
}

#[derive(Clone, Debug)]
struct LabelRow {
    line: u64,
    id: String,
    /// One at least.
    labels: Vec<String>,
}

/// Labels of some items: one column at least.
#[derive(Clone, Debug)]
pub struct LabelsOfItems {
    /// The columns that are used, in the order of the file.
    pub columns: Vec<LabelColumn>,
    /// Names of columns beyond those.
    pub unused: Vec<String>,
    /// Items without a label.
    pub unlabelled: UnmatchedIds,
    /// Ids of the file that no item has.
    pub unknown: UnmatchedIds,
    path: PathBuf,
}

/// A label, or none, for each of some items.
#[derive(Clone, Debug)]
pub struct LabelColumn {
    /// What the labels are called: by the header, else `label`.
    pub name: String,
    /// The different labels: in the order of their values if all are numbers, else the frequent
    /// ones first.
    pub classes: Vec<String>,
    /// For each item the position of its label in `classes`.
    pub codes: Vec<Option<u32>>,
}

/// Ids that found no match: how many, and the first few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnmatchedIds {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: Vec<String>,
}

impl Labels {
    /// Reads `path`: rows `id,label,...`, with a header or without; the delimiter is a tab where
    /// the first line has one, else a semicolon where it has no comma, else a comma. Blanks around
    /// a label are dropped; an empty label is none.
    ///
    /// # Errors
    /// [`LabelsError`] when the file cannot be read or is no such table, or an id has two rows.
    pub fn read(path: &Path) -> Result<Self, LabelsError> {
        Self::read_within(path, u64::MAX)
    }

    /// Reads `path` as [`Labels::read`] does, in `memory_bytes` at most.
    ///
    /// # Errors
    /// As [`Labels::read`]; if the file is too long for the memory.
    pub fn read_within(path: &Path, memory_bytes: u64) -> Result<Self, LabelsError> {
        let bytes = read_bytes(path, (memory_bytes / SHARE).max(LEAST))
            .map_err(|cause| LabelsError::Read { path: path.to_owned(), cause })?;
        let rows = read_rows(path, &bytes)?;
        if rows.is_empty() {
            return Err(LabelsError::Empty { path: path.to_owned() });
        }
        let mut lines: HashMap<&str, u64> = HashMap::with_capacity(rows.len());
        for row in &rows {
            if let Some(first) = lines.insert(&row.id, row.line) {
                let (path, line, id) = (path.to_owned(), row.line, row.id.clone());
                return Err(LabelsError::Duplicate { path, line, first, id });
            }
        }
        Ok(Self { path: path.to_owned(), rows })
    }

    /// The labels of the items that have these ids.
    ///
    /// The first row is a header if no item has its id, and it has a name that headers have or a
    /// label, not a number, that no other row has.
    ///
    /// # Errors
    /// [`LabelsError::NoMatch`] if no item has an id of the file.
    pub fn of_items(&self, ids: &[String]) -> Result<LabelsOfItems, LabelsError> {
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let header = self.header(|id| known.contains(id));
        let rows = &self.rows[usize::from(header.is_some())..];
        let by_id: HashMap<&str, &LabelRow> =
            rows.iter().map(|row| (row.id.as_str(), row)).collect();
        let found: Vec<Option<&LabelRow>> =
            ids.iter().map(|id| by_id.get(id.as_str()).copied()).collect();
        let mut unknown = UnmatchedIds::default();
        let strange = rows.iter().filter(|row| !known.contains(row.id.as_str()));
        strange.for_each(|row| unknown.add(&row.id));
        if !ids.is_empty() && found.iter().all(Option::is_none) {
            let (path, mut items) = (self.path.clone(), UnmatchedIds::default());
            ids.iter().for_each(|id| items.add(id));
            return Err(LabelsError::NoMatch { path, unknown, items });
        }
        let mut unlabelled = UnmatchedIds::default();
        let is_labelled = |row: &Option<&LabelRow>| {
            row.is_some_and(|row| row.labels.iter().any(|label| !label.is_empty()))
        };
        let without = ids.iter().zip(&found).filter(|(_, row)| !is_labelled(row));
        without.for_each(|(id, _)| unlabelled.add(id));
        let width = self.rows.iter().map(|row| row.labels.len()).max().unwrap_or(0);
        let name = |column: usize| column_name(header, column);
        let used = 0..width.min(MOST_COLUMNS);
        let columns = used.map(|at| LabelColumn::of(name(at), &found, at)).collect();
        let unused = (MOST_COLUMNS.min(width)..width).map(name).collect();
        Ok(LabelsOfItems { columns, unused, unlabelled, unknown, path: self.path.clone() })
    }

    /// The first row, if it is a header.
    fn header(&self, is_known: impl Fn(&str) -> bool) -> Option<&LabelRow> {
        let (first, rest) = self.rows.split_first()?;
        let is_usual = ID_NAMES.contains(&first.id.trim().to_lowercase().as_str());
        let is_alone = || {
            let is_number = first.labels[0].parse::<f64>().is_ok();
            !is_number && rest.iter().all(|row| row.labels[0] != first.labels[0])
        };
        let is_header = !is_known(&first.id) && !rest.is_empty() && (is_usual || is_alone());
        is_header.then_some(first)
    }
}

/// What the labels of a column are called: by the `header`, else `label`, `label 2`, and so on.
fn column_name(header: Option<&LabelRow>, column: usize) -> String {
    let named = header.and_then(|row| row.labels.get(column)).filter(|name| !name.is_empty());
    let number = if column == 0 { String::new() } else { format!(" {}", column + 1) };
    named.cloned().unwrap_or_else(|| format!("label{number}"))
}

impl LabelsOfItems {
    /// What does not match or is not used, in words, if anything is: for the user to see.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let items = self.columns.first().map_or(0, |column| column.codes.len());
        let mut parts = Vec::new();
        if self.unlabelled.count > 0 {
            let UnmatchedIds { count, .. } = self.unlabelled;
            parts.push(format!("{count} of {items} items have no label ({})", self.unlabelled));
        }
        if self.unknown.count > 0 {
            let UnmatchedIds { count, .. } = self.unknown;
            let are = if count == 1 { "id is" } else { "ids are" };
            parts.push(format!("{count} {are} of no item ({})", self.unknown));
        }
        if !self.unused.is_empty() {
            parts.push(format!(
                "columns after the first {MOST_COLUMNS} of labels are not used: {}",
                self.unused.join(", ")
            ));
        }
        (!parts.is_empty()).then(|| format!("{}: {}", self.path.display(), parts.join("; ")))
    }

    /// The labels that are `given`, if any are, and one more column.
    pub(super) fn and(given: Option<&Self>, column: LabelColumn) -> Self {
        let mut labels = given.cloned().unwrap_or_else(|| Self {
            columns: Vec::new(),
            unused: Vec::new(),
            unlabelled: UnmatchedIds::default(),
            unknown: UnmatchedIds::default(),
            path: PathBuf::new(),
        });
        labels.columns.push(column);
        labels
    }

    /// The labels without the items at the places `dropped`, in ascending order.
    #[must_use]
    pub fn without(&self, dropped: &[usize]) -> Self {
        let mut kept = self.clone();
        for column in &mut kept.columns {
            let mut place = 0..;
            column.codes.retain(|_| dropped.binary_search(&place.next().unwrap_or(0)).is_err());
        }
        kept
    }
}

impl LabelColumn {
    /// The labels of items in the column `at` of their rows.
    fn of(name: String, rows: &[Option<&LabelRow>], at: usize) -> Self {
        let label = |row: &Option<_>| -> Option<&str> {
            let row: &LabelRow = (*row)?;
            row.labels.get(at).map(String::as_str).filter(|label| !label.is_empty())
        };
        let labels: Vec<Option<&str>> = rows.iter().map(label).collect();
        let (classes, codes) = classes(&labels);
        Self { name, classes, codes }
    }

    /// Whether all labels are numbers.
    #[must_use]
    pub fn are_numbers(&self) -> bool {
        !self.classes.is_empty() && self.classes.iter().all(|label| number(label).is_some())
    }
}

impl UnmatchedIds {
    fn add(&mut self, id: &str) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(id.to_owned());
        }
    }
}

impl std::fmt::Display for UnmatchedIds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.first.iter().map(|id| format!("'{id}'")).collect();
        let more = if self.count > names.len() { ", ..." } else { "" };
        write!(f, "{}{more}", names.join(", "))
    }
}

fn read_rows(path: &Path, bytes: &[u8]) -> Result<Vec<LabelRow>, LabelsError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(bytes))
        .from_reader(bytes);
    let mut rows = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|error| LabelsError::Read {
            path: path.to_owned(),
            cause: std::io::Error::other(error),
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells: Result<Vec<&str>, _> = record.iter().map(std::str::from_utf8).collect();
        let cells = cells.map_err(|_| LabelsError::NotUtf8 { path: path.to_owned(), line })?;
        let Some((id, labels)) = cells.split_first() else { continue };
        if !labels.is_empty() {
            let labels = labels.iter().map(|label| label.trim().to_owned()).collect();
            rows.push(LabelRow { line, id: (*id).to_owned(), labels });
        } else if !id.trim().is_empty() {
            let (path, text) = (path.to_owned(), id.chars().take(40).collect());
            return Err(LabelsError::NoLabel { path, line, text });
        }
    }
    Ok(rows)
}

/// What separates the cells of the first line.
fn delimiter(bytes: &[u8]) -> u8 {
    let first = bytes.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    if first.contains(&b'\t') {
        b'\t'
    } else if first.contains(&b';') && !first.contains(&b',') {
        b';'
    } else {
        b','
    }
}

/// The finite number that a label is, if it is one.
fn number(label: &str) -> Option<f64> {
    label.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The different labels in the order of [`LabelsOfItems::classes`], and the position of each item's
/// label there.
fn classes(labels: &[Option<&str>]) -> (Vec<String>, Vec<Option<u32>>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.iter().flatten().for_each(|label| *counts.entry(label).or_default() += 1);
    let mut order: Vec<(&str, usize)> = counts.into_iter().collect();
    let values: Option<Vec<f64>> = order.iter().map(|(label, _)| number(label)).collect();
    if values.is_some() {
        let value = |label: &str| number(label).unwrap_or_default();
        order.sort_by(|a, b| value(a.0).total_cmp(&value(b.0)).then(a.0.cmp(b.0)));
    } else {
        order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    }
    let places: HashMap<&str, u32> =
        order.iter().zip(0..).map(|(&(label, _), place)| (label, place)).collect();
    let codes = labels.iter().map(|label| label.map(|label| places[label])).collect();
    (order.into_iter().map(|(label, _)| label.to_owned()).collect(), codes)
}
