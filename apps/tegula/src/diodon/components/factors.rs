//! Instrumental variables from a file: numbers as they are, texts as categories.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;

use anyhow::Result;
use tegula_diodon::instruments::Instruments;
use tegula_files::{ColumnIndex, ReadOptions, Table};

use super::side_inputs::{MainTable, entries};
use crate::diodon::matrix::{names_or_numbers, open};
use crate::error::refused;
use crate::output::{bytes, count};

const FLAG: &str = "--instruments";
/// Ends of names of files that hold tables of text.
const TEXTS: [&str; 3] = ["csv", "tsv", "txt"];
/// Names of columns of names, in lower case.
const ID_NAMES: [&str; 5] = ["", "id", "name", "sample", "item"];

/// A column of categories, which stands for a variable for each level but the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diodon) struct Factor {
    pub(in crate::diodon) name: String,
    /// In the order of their letters; the first is the reference, from which the others differ.
    pub(in crate::diodon) levels: Vec<String>,
}

/// Instruments with the categories among them.
pub(super) type Read = (Instruments, Vec<Factor>);

impl MainTable<'_> {
    /// Reads instrumental variables of the rows: of a text by name where both have names.
    ///
    /// # Errors
    /// If they cannot be read, or are not of these rows.
    pub(in crate::diodon) fn instruments(&self, spec: &OsStr) -> Result<Read> {
        let path = Path::new(spec);
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        if path.is_file() && TEXTS.contains(&end.to_lowercase().as_str()) {
            let options = ReadOptions { memory_bytes: self.room().0, ..ReadOptions::default() };
            return self.instruments_of_table(&Table::read_with(path, &options)?);
        }
        let source = open(spec, None, self.room(), None)?;
        let ([rows, q], m) = (source.shape(), self.names.items.len());
        self.check_size(source.name(), [rows, q])?;
        self.check(0, (FLAG, &*source), source.row_names())?;
        self.check_memory(source.name(), [rows, q])?;
        let ids = names_or_numbers(source.column_names(), q);
        let entries = entries(&*source)?;
        if let Some(at) = entries.iter().position(|x| !x.is_finite()) {
            let place = (&ids[at % q][..], at / q);
            return Err(self.gap(source.name(), place, &entries[at].to_string()));
        }
        let values = (0..q * m).map(|at| entries[at % m * q + at / m]).collect();
        Ok((Instruments { ids, values }, Vec::new()))
    }

    /// The same of a table of text, of which columns that hold texts are categories.
    fn instruments_of_table(&self, table: &Table) -> Result<Read> {
        let name = table.path().display().to_string();
        let names = self.row_names(table)?;
        let first = usize::from(names.is_some());
        let width = table.names().len();
        self.check_size(&name, [table.rows(), width - first])?;
        let places = self.rows_of(&name, names)?;
        let mut found = Instruments { ids: Vec::new(), values: Vec::new() };
        let mut factors = Vec::new();
        for column in (first..width).map(ColumnIndex) {
            let title = table.name(column);
            if table.is_numeric(column) {
                let numbers = table.numbers(column)?;
                if let Some(gap) = places.iter().position(|&row| numbers[row].is_nan()) {
                    return Err(self.gap(&name, (&title, gap), "missing"));
                }
                found.values.extend(places.iter().map(|&row| numbers[row]));
                found.ids.push(title);
                continue;
            }
            let texts = table.texts(column)?;
            let is_gap = |text: &str| matches!(text, "" | "NA");
            if let Some(gap) = places.iter().position(|&row| is_gap(&texts[row])) {
                return Err(self.gap(&name, (&title, gap), "missing"));
            }
            let levels: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
            let levels: Vec<String> = levels.into_iter().map(str::to_owned).collect();
            if levels.len() == texts.len() && texts.len() > 1 {
                return Err(refused(format!(
                    "{FLAG} {name}: column {title} has another text in each row, and would explain all: leave it out, or call \
                     it 'id' and put it first if it holds the names of the rows"
                )));
            }
            for level in &levels[1..] {
                let is_of = |&row: &usize| f64::from(u8::from(texts[row] == *level));
                found.values.extend(places.iter().map(is_of));
                found.ids.push(format!("{title}{level}"));
            }
            factors.push(Factor { name: title, levels });
        }
        if found.ids.is_empty() {
            return Err(refused(format!("{FLAG} {name}: no column varies")));
        }
        Ok((found, factors))
    }

    /// The first column, if it holds names of the rows.
    fn row_names(&self, table: &Table) -> Result<Option<Vec<String>>> {
        let first = ColumnIndex(0);
        let header = table.has_header().then(|| table.names()[0].to_lowercase());
        let texts = table.texts(first)?;
        let own: Option<BTreeSet<&String>> = self.own_names(0).map(|own| own.iter().collect());
        let are_own = own.is_some_and(|own| texts.iter().all(|text| own.contains(text)));
        let is_called = header.is_some_and(|header| ID_NAMES.contains(&header.as_str()));
        let is_names = are_own || (is_called && table.names().len() > 1);
        Ok(is_names.then_some(texts))
    }

    /// For each row of the table, that of the file.
    fn rows_of(&self, file: &str, names: Option<Vec<String>>) -> Result<Vec<usize>> {
        let (Some(own), Some(names)) = (self.own_names(0), names) else {
            return Ok((0..self.names.items.len()).collect());
        };
        let mut rows = HashMap::with_capacity(names.len());
        for (row, name) in names.iter().enumerate() {
            if let Some(other) = rows.insert(name.as_str(), row) {
                return Err(refused(format!(
                    "{FLAG} {file}: rows {} and {} are both called {name}: each row of the table has one",
                    other + 1,
                    row + 1
                )));
            }
        }
        let missing: Vec<&str> =
            own.iter().map(String::as_str).filter(|name| !rows.contains_key(name)).collect();
        if let Some(first) = missing.first() {
            return Err(refused(format!(
                "{FLAG} {file}: no row for {first}{}: each row of {} needs one, in any order",
                if missing.len() > 1 {
                    format!(" and {} more", missing.len() - 1)
                } else {
                    String::new()
                },
                self.source.name()
            )));
        }
        Ok(own.iter().map(|name| rows[name.as_str()]).collect())
    }

    /// Refuses instruments that are not of these rows.
    fn check_size(&self, name: &str, [rows, q]: [usize; 2]) -> Result<()> {
        let m = self.names.items.len();
        if rows == m && q > 0 {
            return Ok(());
        }
        Err(refused(format!(
            "{FLAG} {name}: {rows} x {q}, but the table has {}: a row for each is wanted, and a column for each instrument",
            count(m, "row")
        )))
    }

    /// Refuses `rows` x `q` numbers that do not fit the memory.
    fn check_memory(&self, name: &str, [rows, q]: [usize; 2]) -> Result<()> {
        let wanted =
            (rows as u64).saturating_mul(q as u64).saturating_mul(2 * size_of::<f64>() as u64);
        if wanted <= self.memory {
            return Ok(());
        }
        Err(refused(format!(
            "{FLAG} {name}: {rows} x {q} numbers take {}, more than the {} of memory: name fewer instruments",
            bytes(wanted as f64),
            bytes(self.memory as f64)
        )))
    }

    /// What to say of an instrument without a value in a row of the table.
    fn gap(&self, name: &str, (id, row): (&str, usize), value: &str) -> anyhow::Error {
        let item = &self.names.items[row];
        refused(format!(
            "{FLAG} {name}: {id} of {item} is {value}; leave the row out of both files, or fill the gap"
        ))
    }
}
