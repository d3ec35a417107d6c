//! What the first rows of a file tell: its delimiter, its decimals, and whether it has a header.

use super::cell::Cell;
use super::dialect::{Decimal, Delimiter, Dialect};
use super::records::{OwnedRow, Records};
use super::source::Source;
use crate::error::TableError;
use crate::text::{Kind, TextFault};

/// Whether the first row holds names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// To be found out: it is a header if it holds text where the rows below hold numbers.
    #[default]
    Detect,
    /// It does.
    Present,
    /// It does not; the columns are called 1, 2, and so on.
    Absent,
}

/// How to read a file; everything is found out by default, and memory has no limit.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Whether the first row holds names.
    pub header: Header,
    /// The dialect, if it is known.
    pub dialect: Option<Dialect>,
    /// Bytes of memory that reading may take.
    pub memory_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { header: Header::Detect, dialect: None, memory_bytes: u64::MAX }
    }
}

/// What the first rows tell.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) dialect: Dialect,
    /// The names in the first row, if it is a header.
    pub(super) header: Option<Vec<String>>,
    /// How many cells each row has to have.
    pub(super) width: usize,
}

/// The first rows as one dialect cuts them.
struct Sample {
    dialect: Dialect,
    rows: Vec<OwnedRow>,
    /// The commonest number of cells in the rows that are surely data.
    width: usize,
}

const HEAD_BYTES: usize = 1 << 18;
const SAMPLE_ROWS: usize = 200;

impl Shape {
    /// The names of the columns: those of the header, or 1, 2, and so on.
    pub(super) fn names(&self) -> Vec<String> {
        match &self.header {
            Some(names) => names.clone(),
            None => (1..=self.width).map(|number| number.to_string()).collect(),
        }
    }

    /// Finds out how `source` is written.
    pub(super) fn find(source: &Source, options: &ReadOptions) -> Result<Self, TableError> {
        let head = source.head(HEAD_BYTES)?;
        check_first_line(source, &head)?;
        let sample = match options.dialect {
            Some(dialect) => Sample::take(source, &head, dialect.delimiter, Some(dialect.decimal)),
            None => Sample::best(source, &head),
        };
        if sample.rows.is_empty() {
            return Err(why_no_row(source)?);
        }
        let names = sample.aligned_names();
        let is_header = match options.header {
            Header::Present => true,
            Header::Absent => false,
            Header::Detect => sample.begins_with_header(&names),
        };
        Ok(Self {
            dialect: sample.dialect,
            width: if is_header { names.len() } else { sample.width },
            header: is_header.then_some(names),
        })
    }
}

/// Refuses JSON, and the line `sep=;` that spreadsheets put before the table.
fn check_first_line(source: &Source, head: &[u8]) -> Result<(), TableError> {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(&[]).trim_ascii();
    if line.starts_with(b"{") {
        return Err(source.unreadable(TextFault::Binary(Kind::JSON).into()));
    }
    let is_note = line.len() == 5 && line[..4].eq_ignore_ascii_case(b"sep=");
    if is_note {
        let text = String::from_utf8_lossy(line).into_owned();
        return Err(TableError::DelimiterNote { path: source.path.clone(), text });
    }
    Ok(())
}

/// The error of a file without a readable first row.
fn why_no_row(source: &Source) -> Result<TableError, TableError> {
    source.records(Delimiter::Comma)?.next_row()?;
    Ok(TableError::Empty { path: source.path.clone() })
}

impl Sample {
    /// Cuts `head` at `delimiter`. A row that cannot be read ends the sample: it is reported when
    /// the file is read.
    fn take(source: &Source, head: &[u8], delimiter: Delimiter, decimal: Option<Decimal>) -> Self {
        let cut = (delimiter, source.longest_row());
        let mut records = Records::new(source.path.clone(), head, cut);
        let mut rows = Vec::new();
        while rows.len() < SAMPLE_ROWS
            && let Ok(Some(row)) = records.next_row()
        {
            rows.push(row.to_owned());
        }
        let mut sample =
            Self { dialect: Dialect { delimiter, decimal: Decimal::Point }, rows, width: 0 };
        sample.width = commonest_width(sample.below());
        sample.dialect.decimal = decimal.unwrap_or_else(|| sample.find_decimal());
        sample
    }

    /// The sample of the delimiter that fits best; of the comma if none cuts the rows into several
    /// cells.
    fn best(source: &Source, head: &[u8]) -> Self {
        let mut best = Self::take(source, head, Delimiter::Comma, None);
        let mut score = 0.0;
        for delimiter in Delimiter::ALL {
            let sample = Self::take(source, head, delimiter, None);
            if sample.score() > score {
                score = sample.score();
                best = sample;
            }
        }
        best
    }

    /// The rows that are surely data: all but the first, or that one if it is alone.
    fn below(&self) -> &[OwnedRow] {
        if self.rows.len() > 1 { &self.rows[1..] } else { &self.rows }
    }

    /// The cells of those rows.
    fn cells_below(&self) -> impl Iterator<Item = &str> {
        self.below().iter().flat_map(OwnedRow::cells)
    }

    /// The share of rows that are equally long plus the share of numbers among their cells; 0 for a
    /// delimiter that does not occur or leaves no number.
    fn score(&self) -> f64 {
        if self.width < 2 {
            return 0.0;
        }
        let even = self.rows.iter().filter(|row| row.width() == self.width).count();
        let short_header = usize::from(self.header_lacks_row_names());
        let cells = self.cells_below().count();
        let numbers = self.cells_below().filter(|cell| self.is_numeric(cell)).count();
        if numbers == 0 {
            return 0.0;
        }
        (even + short_header) as f64 / self.rows.len() as f64 + numbers as f64 / cells as f64
    }

    fn is_numeric(&self, cell: &str) -> bool {
        Cell::parse(cell, self.dialect.decimal).is_numeric()
    }

    /// A decimal comma if more cells are numbers with it alone than with a point alone.
    fn find_decimal(&self) -> Decimal {
        if self.dialect.delimiter == Delimiter::Comma {
            return Decimal::Point;
        }
        let mut votes = (0, 0);
        for cell in self.cells_below() {
            let numeric = |decimal| matches!(Cell::parse(cell, decimal), Cell::Number(_));
            match (numeric(Decimal::Point), numeric(Decimal::Comma)) {
                (true, false) => votes.0 += 1,
                (false, true) => votes.1 += 1,
                _ => {}
            }
        }
        if votes.1 > votes.0 { Decimal::Comma } else { Decimal::Point }
    }

    /// R's `write.table` gives the column of row names no name, so that the header is one cell
    /// short.
    fn header_lacks_row_names(&self) -> bool {
        matches!(self.dialect.delimiter, Delimiter::Blanks | Delimiter::Tab)
            && self.rows.len() > 1
            && self.rows[0].width() + 1 == self.width
            && self.rows[0].cells().all(|cell| !self.is_numeric(cell))
    }

    /// The cells of the first row, one for each column: completed where the header is one cell
    /// short.
    fn aligned_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.rows[0].cells().map(str::to_owned).collect();
        let below = self.below();
        let last_is_blank = below.iter().all(|row| row.cells().next_back() == Some(""));
        if names.len() + 1 == self.width && last_is_blank {
            names.push(String::new());
        } else if self.header_lacks_row_names() {
            names.insert(0, "row.names".to_owned());
        }
        names
    }

    /// Whether the first row holds text where the rows below hold numbers. One that also holds
    /// numbers with a fraction is taken for data with a slip in it, so that no row is lost in
    /// silence; whole numbers may be names (years).
    fn begins_with_header(&self, names: &[String]) -> bool {
        if self.rows.len() == 1 {
            return names.iter().any(|name| !self.is_numeric(name));
        }
        let over_numbers: Vec<&String> = names
            .iter()
            .enumerate()
            .filter(|&(column, _)| self.is_numeric_below(column))
            .map(|(_, name)| name)
            .collect();
        if over_numbers.is_empty() {
            return names.iter().all(|name| !self.is_numeric(name));
        }
        let text = over_numbers.iter().any(|name| !self.is_numeric(name));
        let fraction = over_numbers.iter().any(|name| {
            matches!(Cell::parse(name, self.dialect.decimal), Cell::Number(_))
                && !name.bytes().all(|byte| byte.is_ascii_digit())
        });
        text && !fraction
    }

    /// Whether most cells of a column are numbers or missing, the first row aside.
    fn is_numeric_below(&self, column: usize) -> bool {
        let cells = self.below().iter().filter_map(|row| row.get(column));
        let (all, numeric) = cells.fold((0, 0), |(all, numeric), cell| {
            (all + 1, numeric + usize::from(self.is_numeric(cell)))
        });
        2 * numeric > all
    }
}

/// The commonest number of cells in a row; the first of those that are equally common.
fn commonest_width(rows: &[OwnedRow]) -> usize {
    let count = |width| rows.iter().filter(|row| row.width() == width).count();
    rows.iter().rev().map(OwnedRow::width).max_by_key(|&width| count(width)).unwrap_or(0)
}
