//! Tables as text: rows whose cells are found by the name of their column.

use std::collections::HashMap;

use super::LogError;

/// The rows of a table with a header.
pub(super) struct Rows<'a> {
    reader: csv::Reader<&'a [u8]>,
    columns: HashMap<String, usize>,
    record: csv::StringRecord,
}

/// A row.
pub(super) struct Row<'a> {
    columns: &'a HashMap<String, usize>,
    record: &'a csv::StringRecord,
    pub(super) line: u64,
}

impl<'a> Rows<'a> {
    /// The rows of `text`, cut at `delimiter`.
    pub(super) fn new(text: &'a str, delimiter: u8) -> Result<Self, LogError> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(of_csv)?;
        let mut columns = HashMap::new();
        for (place, name) in head.iter().enumerate() {
            let name = name.trim_start_matches('\u{feff}').to_ascii_lowercase();
            if !name.is_empty() && columns.insert(name.clone(), place).is_some() {
                return Err(LogError { line: 1, what: format!("two columns are called {name}") });
            }
        }
        Ok(Self { reader, columns, record: csv::StringRecord::new() })
    }

    /// Whether there is a column of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// Refuses the table unless it has all of these columns.
    pub(super) fn require(&self, names: &[&str]) -> Result<(), LogError> {
        let missing: Vec<&str> = names.iter().copied().filter(|name| !self.has(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut there: Vec<&str> = self.columns.keys().map(String::as_str).collect();
        there.sort_unstable();
        let what = format!("no column {}; there are: {}", missing.join(", "), there.join(", "));
        Err(LogError { line: 1, what })
    }

    /// The next row, unless there is none.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, LogError> {
        loop {
            if !self.reader.read_record(&mut self.record).map_err(of_csv)? {
                return Ok(None);
            }
            if self.record.iter().any(|cell| !cell.is_empty()) {
                break;
            }
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        Ok(Some(Row { columns: &self.columns, record: &self.record, line }))
    }
}

impl Row<'_> {
    /// The cell of a column; empty if it is not there.
    pub(super) fn text(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|&place| self.record.get(place)).unwrap_or("")
    }

    /// An error about the cell of a column.
    pub(super) fn wrong(&self, column: &str, wanted: &str) -> LogError {
        let found: String = self.text(column).chars().take(40).collect();
        LogError { line: self.line, what: format!("{column} is '{found}', not {wanted}") }
    }

    /// The whole number in a column.
    pub(super) fn whole(&self, column: &str) -> Result<i64, LogError> {
        let text = self.text(column);
        let number = text.parse::<i64>().ok().or_else(|| {
            let number = text.parse::<f64>().ok().filter(|number| number.fract() == 0.0);
            number.map(|number| number as i64)
        });
        number
            .filter(|number| number.abs() < MOST)
            .ok_or_else(|| self.wrong(column, "a whole number that seconds can be"))
    }

    /// The whole number in a column, from `least` to `most`.
    pub(super) fn within(&self, column: &str, (least, most): (i64, i64)) -> Result<i64, LogError> {
        let number = self.whole(column)?;
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(self.wrong(column, &format!("from {least} to {most}")))
    }

    /// The number in a column, which is not negative; `absent` if the cell is empty.
    pub(super) fn amount(&self, column: &str, absent: f64) -> Result<f64, LogError> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(absent);
        }
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.filter(|number| (0.0..1e12).contains(number));
        number.ok_or_else(|| self.wrong(column, "a number from 0 on"))
    }
}

/// Seconds beyond which no time is believed.
pub(super) const MOST: i64 = 1 << 40;

/// Seconds that a job may take: more than a thousand years.
pub(super) const LONGEST: i64 = 1 << 35;

/// Cores, or nodes, that a job may ask for.
pub(super) const WIDEST: i64 = 1 << 31;

fn of_csv(error: csv::Error) -> LogError {
    let line = error.position().map_or(1, csv::Position::line);
    LogError { line, what: error.to_string() }
}

/// Numbers for names, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, u32>,
    pub(super) names: Vec<String>,
}

impl Names {
    /// The number of `name`.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}
