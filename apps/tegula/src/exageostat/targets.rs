//! Where predictions are made: the rows of a table or the nodes of a grid, as many at a time as
//! memory takes easily.

use anyhow::Result;
use tegula_files::{ColumnIndex, Dialect, Digest, Parts, Table, TableError, TableFile};

use super::grid::Grid;
use super::inputs::{Places, Placing, lacking};
use super::suspicions::Suspicions;
use crate::output::count;

/// Rows of a part: some megabytes, and work for tenths of a second.
pub(super) const PART: usize = 1 << 16;

/// Where predictions are made.
pub(super) enum Targets {
    /// At the places of a table.
    Table(TableFile),
    /// At the places of a table in memory.
    Lent(Table),
    /// At the nodes of a grid, whose coordinates have these names.
    Grid(Grid, Vec<String>),
}

/// What a first reading tells of them.
pub(super) struct Survey {
    /// Rows or nodes.
    pub(super) rows: usize,
    /// Those of them that are places.
    pub(super) places: usize,
    /// What a person should know.
    pub(super) remarks: Vec<String>,
    /// Which columns hold texts in some row.
    pub(super) texts: Vec<bool>,
    /// Rows of a file of columns that held nothing, in words, if there were some.
    empty: Option<String>,
    digest: Option<Digest>,
}

/// The targets part by part.
pub(super) enum TargetParts<'a> {
    /// Of a table, which was of this digest when it was surveyed.
    Table(Box<Parts>, &'a TableFile, Option<Digest>),
    /// Of a table in memory, all at once.
    Lent(Option<Table>),
    /// Of a grid: its first node that is left, and nodes of a part.
    Grid(&'a Grid, &'a [String], usize, usize),
}

impl Targets {
    /// The names of their columns.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::Table(file) => file.names(),
            Self::Lent(table) => table.names(),
            Self::Grid(_, names) => names,
        }
    }

    /// How a table with their rows is written.
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Table(file) => file.dialect_out(),
            Self::Lent(_) | Self::Grid(..) => Dialect::PLAIN,
        }
    }

    /// What they are, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Table(file) => file.path().display().to_string(),
            Self::Lent(table) => table.path().display().to_string(),
            Self::Grid(grid, _) => grid.describe(),
        }
    }

    /// Them, `rows` at a time; a table that is not of the digest that it should be is refused at
    /// its end.
    ///
    /// # Errors
    /// If the table cannot be opened.
    pub(super) fn parts(&self, rows: usize, digest: Option<Digest>) -> Result<TargetParts<'_>> {
        Ok(match self {
            Self::Table(file) => TargetParts::Table(Box::new(file.parts(rows)?), file, digest),
            Self::Lent(table) => TargetParts::Lent(Some(table.clone())),
            Self::Grid(grid, names) => TargetParts::Grid(grid, names, 0, rows),
        })
    }

    /// Reads them once, so that all that is wrong with them is found before any work is done.
    ///
    /// # Errors
    /// If one of them is no place for the model.
    pub(super) fn survey(&self, placing: &Placing<'_>) -> Result<Survey> {
        let mut suspicions = Suspicions::default();
        let (mut rows, mut found) = (0, 0);
        let mut texts = vec![false; self.names().len()];
        let mut missing: Option<TableError> = None;
        let mut parts = self.parts(PART, None)?;
        while let Some(part) = parts.next_part()? {
            rows += part.rows();
            for (place, is_text) in texts.iter_mut().enumerate() {
                *is_text |= part.is_text(ColumnIndex(place));
            }
            match placing.places(part) {
                Ok(places) => {
                    found += places.rows.len();
                    suspicions.add(&places, &placing.file.mean, placing.data);
                }
                Err(error) => match (error.downcast::<TableError>(), &mut missing) {
                    (Ok(TableError::MissingValue { rows: more, .. }), Some(first)) => {
                        if let TableError::MissingValue { rows, .. } = first {
                            *rows += more;
                        }
                    }
                    (Ok(error @ TableError::MissingValue { .. }), missing) => {
                        *missing = Some(error);
                    }
                    (error, None) => return Err(error.map_or_else(|error| error, Into::into)),
                    (_, Some(_)) => break,
                },
            }
        }
        if let Some(mut error) = missing {
            if let TableError::MissingValue { of, .. } = &mut error {
                *of = rows;
            }
            return Err(lacking(&error));
        }
        if found == 0 {
            return Err(placing.no_place(&self.describe()));
        }
        Ok(Survey {
            rows,
            places: found,
            remarks: suspicions.remarks(found),
            texts,
            empty: parts.left_out(),
            digest: parts.digest(),
        })
    }
}

impl Survey {
    /// The targets again, as they were surveyed.
    ///
    /// # Errors
    /// As [`Targets::parts`].
    pub(super) fn parts<'a>(&self, of: &'a Targets, rows: usize) -> Result<TargetParts<'a>> {
        of.parts(rows, self.digest)
    }

    /// Rows that are no places, in words, if there are any.
    pub(super) fn left_out(&self) -> Option<String> {
        let left = self.rows - self.places;
        let lacked =
            (left > 0).then(|| format!("{} lacked a value and got NA", count(left, "row")));
        let all: Vec<String> = self.empty.iter().cloned().chain(lacked).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

impl TargetParts<'_> {
    /// The next ones; none at the end.
    ///
    /// # Errors
    /// Of a table that cannot be read, or is no longer what it was.
    pub(super) fn next_part(&mut self) -> Result<Option<Table>, TableError> {
        match self {
            Self::Table(parts, file, expected) => {
                let part = parts.next_part()?;
                let is_other = expected.is_some() && *expected != parts.digest();
                if part.is_none() && is_other {
                    return Err(TableError::Changed { path: file.path().to_owned() });
                }
                Ok(part)
            }
            Self::Lent(table) => Ok(table.take()),
            Self::Grid(grid, names, first, rows) => {
                let end = first.saturating_add(*rows).min(grid.len());
                let part = (*first < end).then(|| grid.part(names, *first, end));
                *first = end;
                Ok(part)
            }
        }
    }

    /// Rows of a file of columns that held nothing so far, in words, if there were some.
    fn left_out(&self) -> Option<String> {
        match self {
            Self::Table(parts, ..) => parts.left_out(),
            Self::Lent(_) | Self::Grid(..) => None,
        }
    }

    /// The digest of a table, once it was read.
    fn digest(&self) -> Option<Digest> {
        match self {
            Self::Table(parts, ..) => parts.digest(),
            Self::Lent(_) | Self::Grid(..) => None,
        }
    }
}

impl Places {
    /// A column with the `values` of the places, missing in all other rows of the part.
    pub(super) fn spread(&self, values: &[f64]) -> Vec<f64> {
        let mut column = vec![f64::NAN; self.table.rows()];
        self.rows.iter().zip(values).for_each(|(&row, value)| column[row] = *value);
        column
    }
}
