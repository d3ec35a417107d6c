//! Reading PHYLIP's matrices.

use std::path::Path;

use super::form::{Names, count, order};
use crate::csv::Decimal;
use crate::matrix::ReadSettings;
use crate::matrix::input::{self, Opened};
use crate::matrix::name_list::NameList;
use crate::matrix::number::{self, is_number};
use crate::matrix::stored::{Gather, Order, Stored};
use crate::matrix::table::no_parts;
use crate::source::{Source, SourceError};

/// Opens the matrix at `path`.
pub(super) fn open(
    path: &Path,
    part: Option<&str>,
    settings: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    if let Some(part) = part {
        return Err(no_parts(path, part));
    }
    let lines = Opened::new(path, settings.memory_bytes)?.first_lines(4)?;
    let Some((first, rest)) = lines.split_first() else { return Err(input::empty(path)) };
    let n = count(first).filter(|&n| n > 0).ok_or_else(|| {
        let first = number::shown(first);
        let reason =
            format!("line 1 is '{first}', where a PHYLIP matrix gives the number of its rows");
        SourceError::invalid(path, reason)
    })?;
    let read = |names| Reading::new(path, n, order(n, rest, names), names, settings)?.all();
    match read(Names::Relaxed) {
        // What does not fit names that end at blanks may fit names of ten characters; if neither,
        // the first is meant.
        Err(SourceError::Invalid { path, reason }) => {
            read(Names::Strict).map_err(|_| SourceError::Invalid { path, reason })
        }
        read => read,
    }
}

/// A matrix that is being read.
struct Reading<'a> {
    path: &'a Path,
    lines: Opened,
    n: usize,
    order: Order,
    strict: Names,
    entries: Gather,
    names: NameList,
    /// Words at the end of a name that are numbers: as many as the first one has.
    numeric_end: usize,
}

impl<'a> Reading<'a> {
    fn new(
        path: &'a Path,
        n: usize,
        order: Order,
        strict: Names,
        settings: &ReadSettings<'_>,
    ) -> Result<Self, SourceError> {
        let memory_bytes = settings.memory_bytes;
        let (mut lines, entries) = (Opened::new(path, memory_bytes)?, Gather::new(settings));
        lines.next(&mut String::new())?;
        let (names, numeric_end) = (NameList::new(memory_bytes), 0);
        Ok(Self { path, lines, n, order, strict, entries, names, numeric_end })
    }

    /// Entries of row `row`.
    fn wanted(&self, row: usize) -> usize {
        match self.order {
            Order::Lower { diagonal } => row + usize::from(diagonal),
            _ => self.n,
        }
    }

    /// Reads every row.
    fn all(mut self) -> Result<Box<dyn Source>, SourceError> {
        let mut line = String::new();
        for row in 0..self.n {
            if !self.lines.next(&mut line)? {
                let reason = format!(
                    "its first line promises {} rows, and there are {row}: was it cut short?",
                    self.n
                );
                return Err(SourceError::invalid(self.path, reason));
            }
            self.row(row, &line)?;
        }
        if self.lines.next(&mut line)? {
            let reason =
                format!("there is more than the {} rows that the first line promises", self.n);
            return Err(self.refuse(&reason));
        }
        let entries = (self.order, self.entries.finish()?);
        let names = self.names.into_names();
        let (names, bytes_read) = ([Some(names.clone()), Some(names)], self.lines.bytes_taken());
        Ok(Stored::of_text(self.path, [self.n; 2], entries, names, bytes_read))
    }

    fn refuse(&self, reason: &str) -> SourceError {
        SourceError::invalid(self.path, format!("line {}: {reason}", self.lines.line()))
    }

    /// Reads row `row`, which begins with `line`.
    fn row(&mut self, row: usize, line: &str) -> Result<(), SourceError> {
        let wanted = self.wanted(row);
        let (name, rest) = match self.strict {
            Names::Strict => Names::strict(line),
            Names::Relaxed => self.split(row, line, wanted)?,
        };
        self.names.push(name.trim(), (self.path, self.lines.line()))?;
        let mut found = self.numbers(row, 0, rest)?;
        let mut line = String::new();
        while found < wanted {
            if !self.lines.next(&mut line)? {
                let name = number::shown(name);
                let reason =
                    format!("it ends in row '{name}', which has {found} of its {wanted} numbers");
                return Err(SourceError::invalid(self.path, reason));
            }
            found = self.numbers(row, found, &line)?;
        }
        if found > wanted {
            let name = number::shown(name);
            return Err(
                self.refuse(&format!("row '{name}' has {found} numbers where {wanted} belong"))
            );
        }
        Ok(())
    }

    /// The name at the start of `line`, and the rest, with which the `wanted` numbers begin.
    fn split<'l>(
        &mut self,
        row: usize,
        line: &'l str,
        wanted: usize,
    ) -> Result<(&'l str, &'l str), SourceError> {
        let end = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + word.len();
        let words: Vec<&str> = line.split_whitespace().collect();
        // As many numbers as belong to the row are at the end, or all that there are after the
        // first word.
        let first_number = words.iter().skip(1).position(|word| is_number(word));
        let length = match words.len().checked_sub(wanted) {
            Some(length) if length > 0 => length,
            _ => first_number.map_or(words.len(), |at| at + 1),
        };
        let name = &words[1..length];
        let numeric_end = name.iter().rev().take_while(|word| is_number(word)).count();
        if row == 0 {
            self.numeric_end = numeric_end;
        } else if numeric_end != self.numeric_end {
            let reason = format!(
                "row '{}' has more or fewer than the {wanted} numbers that belong to it, or its name ends in a \
                 number, unlike that of the first row",
                number::shown(words[0])
            );
            return Err(self.refuse(&reason));
        }
        Ok(line.split_at(end(words[length - 1])))
    }

    /// Takes the numbers in `text`, which belong to row `row` after `found` others; answers how
    /// many there are then.
    fn numbers(&mut self, row: usize, found: usize, text: &str) -> Result<usize, SourceError> {
        let mut found = found;
        for word in text.split_whitespace() {
            found += 1;
            let entry = number::parse(word, Decimal::Point).map_err(|reason| {
                let name = number::shown(&self.names.names()[row]);
                self.refuse(&format!("number {found} of row '{name}': {reason}"))
            })?;
            if found <= self.wanted(row) {
                self.entries.push(entry)?;
            }
        }
        Ok(found)
    }
}
