//! Embedded items from the folder of results that they are in.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tegula_files::text::{Text, longest_line, read_whole};
use tegula_files::{Delimiter, Records, TableError};

use super::Embedding;
use crate::output::{Output, WEIGHTS};

/// Largest deviation of the squared length of an axis from its eigenvalue, relative to that.
const DEVIATION: f64 = 1e-6;

/// Bytes that a summary may have: one with hundred thousand eigenvalues fits.
const MOST_SUMMARY: u64 = 16 << 20;

/// Why a folder gives no embedding.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file cannot be read.
    #[error(
        "cannot read {}: {cause}; an embedding is the folder that \"tegula diodon mds\" writes with -o",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {what}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
}

/// A file and what is wrong with it.
fn contents(path: &Path, what: impl Into<String>) -> FolderError {
    FolderError::Contents { path: path.to_owned(), what: what.into() }
}

impl Embedding {
    /// Reads the embedding in `folder`: `coordinates.csv`, `quality.csv` for squared norms,
    /// `summary.json` for eigenvalues and constants, and `weights.csv` if the summary says that
    /// items have weights.
    ///
    /// # Errors
    /// If a file is missing, or does not hold what principal coordinates leave there, or the files
    /// are of different runs.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        let path = folder.join(Output::SUMMARY);
        let summary = Summary::read(&path)?;
        let (ids, axes) = table(&folder.join(Output::COORDINATES), summary.items, &|name| {
            name.starts_with("axis")
        })?;
        let (n, k) = (ids.len(), summary.eigenvalues.len());
        if (n, axes.len()) != (summary.items, k) {
            return Err(contents(
                &path,
                format!(
                    "{} items on {k} axes, but {} has {n} items on {} axes: the files are of different runs, embed again",
                    summary.items,
                    Output::COORDINATES,
                    axes.len()
                ),
            ));
        }
        if n == 0 || k == 0 {
            return Err(contents(
                &path,
                "an embedding without an axis: there is nothing to place items on",
            ));
        }
        let norms2 = column(&folder.join(Output::QUALITY), "norm2", &ids)?;
        let weights = summary.is_weighted.then(|| column(&folder.join(WEIGHTS), "weight", &ids));
        let embedding = Self {
            ids,
            coordinates: axes.concat(),
            eigenvalues: summary.eigenvalues,
            norms2,
            weights: weights.transpose()?,
            offset: summary.offset,
            constant: summary.constant,
        };
        embedding.check_lengths(&path)?;
        Ok(embedding)
    }

    /// Refuses coordinates that do not belong to the eigenvalues: `X' V X = L`.
    fn check_lengths(&self, path: &Path) -> Result<(), FolderError> {
        let axes = self.coordinates.chunks_exact(self.items());
        for (axis, (coordinates, eigenvalue)) in axes.zip(&self.eigenvalues).enumerate() {
            let squares = coordinates.iter().enumerate();
            let length2: f64 = squares.map(|(item, x)| self.weight(item) * x * x).sum();
            let deviation = (length2 / eigenvalue - 1.0).abs();
            if deviation.is_nan() || deviation > DEVIATION {
                return Err(contents(
                    path,
                    format!(
                        "axis {} has the eigenvalue {eigenvalue}, but coordinates of the squared length {length2}: the files of this \
                         folder are of different runs or were changed, embed again",
                        axis + 1
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// What is read of the summary of a run.
struct Summary {
    items: usize,
    eigenvalues: Vec<f64>,
    is_weighted: bool,
    offset: f64,
    constant: f64,
}

impl Summary {
    fn read(path: &Path) -> Result<Self, FolderError> {
        let text = read_whole(path, MOST_SUMMARY)
            .map_err(|cause| FolderError::Read { path: path.to_owned(), cause })?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| contents(path, format!("no JSON: {error}; embed again")))?;
        let only = "new items are placed on the axes of \"tegula diodon mds\" alone";
        if value.get("inertia").is_some() {
            return Err(contents(
                path,
                format!("components or correspondences of a table: {only}"),
            ));
        }
        if value.get("embedding").is_some() {
            return Err(contents(
                path,
                format!("items that were placed on axes of others: {only}"),
            ));
        }
        let items = value.get("n").and_then(Value::as_u64);
        let numbers = |values: &Vec<Value>| values.iter().map(Value::as_f64).collect();
        let eigenvalues = value.get("eigenvalues").and_then(Value::as_array).and_then(numbers);
        let (Some(items), Some(eigenvalues)) = (items, eigenvalues) else {
            return Err(contents(path, format!("no summary of an embedding: {only}")));
        };
        let constant = |key: &str| value.get(key).and_then(Value::as_f64).unwrap_or(0.0);
        Ok(Self {
            items: items as usize,
            eigenvalues,
            is_weighted: value.get("weighted").and_then(Value::as_bool).unwrap_or(false),
            offset: constant("cailliez_constant"),
            constant: constant("lingoes_constant"),
        })
    }
}

/// The numbers of the column `name` of a table that has to have these `ids`.
fn column(path: &Path, name: &str, ids: &[String]) -> Result<Vec<f64>, FolderError> {
    let (found, mut columns) = table(path, ids.len(), &|other| other == name)?;
    let (Some(numbers), true) = (columns.pop(), columns.is_empty()) else {
        return Err(contents(
            path,
            format!("no column {name}: this is not what mds writes, embed again"),
        ));
    };
    let differing = found.iter().zip(ids).position(|(one, other)| one != other);
    if found.len() != ids.len() || differing.is_some() {
        let row = differing.unwrap_or(found.len().min(ids.len())) + 1;
        let what = format!(
            "item {row} is another one than in {}: the files are of different runs, embed again",
            Output::COORDINATES
        );
        return Err(contents(path, what));
    }
    Ok(numbers)
}

/// The first column of a table with `items` rows, or one more, and the numbers of the others with a
/// name that is wanted.
fn table(
    path: &Path,
    items: usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<(Vec<String>, Vec<Vec<f64>>), FolderError> {
    let file =
        Text::open(path).map_err(|cause| FolderError::Read { path: path.to_owned(), cause })?;
    let wrong = |error: TableError| match error {
        TableError::Read { path, cause } => FolderError::Read { path, cause },
        error => contents(path, format!("{error}; embed again")),
    };
    let most = longest_line(0);
    let mut rows = Records::new(path.to_owned(), file, (Delimiter::Comma, most));
    let header = rows.next_row().map_err(wrong)?;
    let header = header.ok_or_else(|| contents(path, "it is empty; embed again"))?;
    let width = header.width();
    let is_column = |&(at, name): &(usize, &str)| at > 0 && is_wanted(name);
    let places: Vec<usize> =
        header.cells().enumerate().filter(is_column).map(|(at, _)| at).collect();
    let (mut ids, mut columns) = (Vec::new(), vec![Vec::new(); places.len()]);
    while let Some(row) = rows.next_row().map_err(wrong)? {
        if row.width() != width {
            let (line, cells) = (row.line, row.width());
            let what = format!("line {line}: {cells} cells below {width} names; embed again");
            return Err(contents(path, what));
        }
        if ids.len() > items {
            return Err(contents(path, format!("more than {items} items; embed again")));
        }
        let cells: Vec<&str> = row.cells().collect();
        ids.push(cells[0].to_owned());
        for (column, &at) in columns.iter_mut().zip(&places) {
            let number = cells[at].parse().ok().filter(|x: &f64| x.is_finite());
            column.push(number.ok_or_else(|| {
                let what =
                    format!("'{}' of item {} is no number; embed again", cells[at], ids.len());
                contents(path, what)
            })?);
        }
    }
    Ok((ids, columns))
}
