//! Reading the column format.

use std::collections::HashMap;
use std::path::Path;

use super::pairs::{Conflict, Pairs, Stop};
use crate::csv::Decimal;
use crate::matrix::input::{self, Opened};
use crate::matrix::name_list::NameList;
use crate::matrix::stored::{Order, Stored};
use crate::matrix::table::no_parts;
use crate::matrix::{ReadSettings, number};
use crate::source::{Source, SourceError};

/// Bytes of the shortest line, two names and a distance with what separates them.
const SHORTEST_LINE: u64 = 6;

/// Opens the matrix at `path`.
pub(super) fn open(
    path: &Path,
    part: Option<&str>,
    settings: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    if let Some(part) = part {
        return Err(no_parts(path, part));
    }
    let memory_bytes = settings.memory_bytes;
    let second_first = second_comes_first(path, memory_bytes)?;
    let mut reading = Reading {
        path,
        names: NameList::new(memory_bytes),
        numbers: HashMap::new(),
        pairs: Pairs::new(settings),
        second_first,
        most_pairs: None,
    };
    let (mut lines, mut text) = (Opened::new(path, memory_bytes)?, String::new());
    while lines.next(&mut text)? {
        if !text.starts_with('#') {
            reading.take(&text, lines.line())?;
        }
    }
    reading.finish(lines.bytes_taken())
}

/// Whether the second name of a line comes before the first one: it does if the second line repeats
/// it, as where the lower triangle is written row by row.
fn second_comes_first(path: &Path, memory_bytes: u64) -> Result<bool, SourceError> {
    let lines = Opened::new(path, memory_bytes)?.first_lines(2)?;
    let names = |at: usize| {
        let line = lines.get(at)?;
        let mut cells = cells(line).into_iter();
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    };
    Ok(match (names(0), names(1)) {
        (Some(one), Some(two)) => one.0 != two.0,
        _ => true,
    })
}

/// The cells of a line: between tabs if there are two of them, else between blanks.
fn cells(line: &str) -> Vec<&str> {
    if line.trim_end().matches('\t').count() == 2 {
        return line.split('\t').map(str::trim).collect();
    }
    line.split_whitespace().collect()
}

/// A matrix that is being read.
struct Reading<'a> {
    path: &'a Path,
    names: NameList,
    numbers: HashMap<String, usize>,
    pairs: Pairs,
    second_first: bool,
    /// Pairs for which the file has lines, once that was asked.
    most_pairs: Option<u64>,
}

impl Reading<'_> {
    fn refuse(&self, reason: String) -> SourceError {
        SourceError::invalid(self.path, reason)
    }

    /// Takes the line `text`.
    fn take(&mut self, text: &str, line: u64) -> Result<(), SourceError> {
        let [a, b, distance] = cells(text)[..] else {
            let shown = number::shown(text);
            return Err(
                self.refuse(format!("line {line} is '{shown}', not two names and a distance"))
            );
        };
        let distance = number::parse(distance, Decimal::Point)
            .map_err(|reason| self.refuse(format!("line {line}, column 3: {reason}")))?;
        let (i, j) = if self.second_first {
            let j = self.number(b, line)?;
            (self.number(a, line)?, j)
        } else {
            (self.number(a, line)?, self.number(b, line)?)
        };
        self.pairs.put(i, j, distance, line).map_err(|stop| stopped(self.path, stop))
    }

    /// The number of the thing called `name` in `line`.
    fn number(&mut self, name: &str, line: u64) -> Result<usize, SourceError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.names.names().len();
        self.names.push(name, (self.path, line))?;
        self.numbers.insert(name.to_owned(), number);
        self.check_pairs(line)?;
        self.pairs.grow()?;
        Ok(number)
    }

    /// Refuses more names than the file can have lines for, before their pairs leave the memory for
    /// the disk.
    fn check_pairs(&mut self, line: u64) -> Result<(), SourceError> {
        if self.pairs.have_room() {
            return Ok(());
        }
        let most = match self.most_pairs {
            Some(most) => most,
            None => *self.most_pairs.insert((input::text_bytes(self.path)? + 1) / SHORTEST_LINE),
        };
        let n = self.names.names().len() as u64;
        if n * (n - 1) / 2 <= most {
            return Ok(());
        }
        Err(self.refuse(format!(
            "there are {n} names up to line {line}, and {} pairs of them, but not as many lines: the file was made with \
             a cutoff, or cut short; make it again without a cutoff",
            n * (n - 1) / 2
        )))
    }

    fn finish(mut self, bytes_read: u64) -> Result<Box<dyn Source>, SourceError> {
        let n = self.names.names().len();
        if n == 0 {
            return Err(input::empty(self.path));
        }
        let (first, missing) = self.pairs.complete().map_err(|stop| stopped(self.path, stop))?;
        if let Some((i, j)) = first {
            let [a, b] = [i, j].map(|at| number::shown(&self.names.names()[at]));
            let all = n * (n - 1) / 2;
            return Err(self.refuse(format!(
                "no line has the distance of '{a}' and '{b}' ({missing} of {all} pairs are missing): the file was \
                 made with a cutoff, or cut short; make it again without a cutoff"
            )));
        }
        let names = self.names.into_names();
        let names = [Some(names.clone()), Some(names)];
        let entries = (Order::Lower { diagonal: true }, self.pairs.into_bytes());
        Ok(Stored::of_text(self.path, [n, n], entries, names, bytes_read))
    }
}

fn stopped(path: &Path, stop: Stop) -> SourceError {
    match stop {
        Stop::File(error) => error,
        Stop::Conflict(Conflict { line, before, now }) => {
            let reason = format!(
                "line {line}: the distance of this pair is {now} here and {before} on a line before: correct one"
            );
            SourceError::invalid(path, reason)
        }
    }
}
