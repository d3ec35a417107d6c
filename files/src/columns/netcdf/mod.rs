//! NetCDF's classic format as a table.
//!
//! The variable with the most dimensions says what a row is: a node of its grid, in the order of
//! the file, or, with one dimension, a place of a list. Every variable of numbers over the same
//! dimensions, or over some of them, is a column, and repeated along the others: coordinates,
//! fastest first, then the others as they stand. `_FillValue`, `missing_value`, the `valid_` range
//! and what the library fills with are missing values; `scale_factor` and `add_offset` are applied.
//! Nodes of a grid at which no variable over all dimensions has a value are left out.

mod header;
mod packing;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use self::header::{Header, Kind, Variable};
use self::packing::Packing;
use super::{Batch, ColumnFile, ColumnReader, damaged, free, too_large, unreadable};
use tegula_runtime::platform::ByPosition;

/// Parts of the memory for reading of which one may hold a variable that is repeated.
const MEMORY_PARTS: u64 = 4;

/// A NetCDF file in the classic format.
#[derive(Debug)]
pub(super) struct NetCdf {
    path: PathBuf,
    names: Vec<String>,
    header: Header,
    /// The dimensions of the rows, the slowest first.
    dimensions: Vec<usize>,
    /// Variables that are columns.
    columns: Vec<usize>,
    /// Variables of numbers that are not.
    others: Vec<String>,
    memory_bytes: u64,
}

impl NetCdf {
    /// Looks at the file at `path`.
    pub(super) fn open(path: &Path, memory_bytes: u64) -> io::Result<Self> {
        let header = Header::read(File::open(path)?)?;
        let is_numeric =
            |variable: &&Variable| variable.kind != Kind::Char && !variable.dimensions.is_empty();
        let numeric: Vec<&Variable> = header.variables.iter().filter(is_numeric).collect();
        let dimensions = main_dimensions(&header, &numeric)
            .ok_or_else(|| unreadable("no variable of it holds numbers over a dimension"))?;
        let mut rows = 1u64;
        for &place in &dimensions {
            let product = rows.checked_mul(header.dimensions[place].1);
            rows = product.ok_or_else(|| damaged("its grid is endless"))?;
        }
        if rows == 0 {
            let names = dimension_names(&header, &dimensions);
            return Err(unreadable(format!("its variables over {names} hold no value")));
        }
        let is_column = |variable: &&Variable| {
            let mut own = variable.dimensions.clone();
            own.sort_unstable();
            own.windows(2).all(|two| two[0] != two[1])
                && own.iter().all(|place| dimensions.contains(place))
        };
        let (columns, others): (Vec<&Variable>, Vec<&Variable>) =
            numeric.into_iter().partition(is_column);
        // Coordinates first, the fastest first.
        let rank = |variable: &&&Variable| match variable.dimensions[..] {
            [place] if variable.name == header.dimensions[place].0 => {
                dimensions.iter().rev().position(|&other| other == place).unwrap_or(usize::MAX)
            }
            _ => usize::MAX,
        };
        let mut ordered: Vec<&&Variable> = columns.iter().collect();
        ordered.sort_by_key(rank);
        let mut names = Vec::new();
        let mut places = Vec::new();
        for variable in ordered {
            names.push(free(&names, variable.name.clone()));
            let place = header.variables.iter().position(|other| std::ptr::eq(other, *variable));
            places.push(place.expect("one of them"));
        }
        let others = others.into_iter().map(|variable| variable.name.clone()).collect();
        let (path, columns) = (path.to_owned(), places);
        Ok(Self { path, names, dimensions, columns, others, memory_bytes, header })
    }
}

/// The dimensions of the variable with the most: of several lists the one of more variables.
fn main_dimensions(header: &Header, numeric: &[&Variable]) -> Option<Vec<usize>> {
    let bounds: Vec<String> =
        header.variables.iter().filter_map(|variable| variable.text("bounds")).collect();
    let usable = numeric.iter().filter(|variable| !bounds.contains(&variable.name));
    let lists = usable.map(|variable| &variable.dimensions);
    let count = |list: &[usize]| numeric.iter().filter(|other| other.dimensions == list).count();
    let best = lists.rev().max_by_key(|list| (list.len(), count(list)));
    best.cloned()
}

/// The dimensions at these places, for messages.
fn dimension_names(header: &Header, places: &[usize]) -> String {
    let name = |&place: &usize| {
        let (name, length) = &header.dimensions[place];
        format!("{name} = {length}")
    };
    places.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl ColumnFile for NetCdf {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn describe(&self) -> String {
        let dimensions = dimension_names(&self.header, &self.dimensions);
        let others = match self.others.as_slice() {
            [] => String::new(),
            others => format!(", without {} (other dimensions)", others.join(", ")),
        };
        format!("NetCDF, {dimensions}{others}")
    }

    fn word(&self) -> &'static str {
        if self.dimensions.len() > 1 { "node" } else { "row" }
    }

    fn reader(&self) -> io::Result<Box<dyn ColumnReader>> {
        let file = File::open(&self.path)?;
        if file.metadata()?.len() != self.header.length {
            return Err(damaged("it changed while it was in use"));
        }
        let lengths: Vec<u64> =
            self.dimensions.iter().map(|&place| self.header.dimensions[place].1).collect();
        let mut columns = Vec::new();
        for &place in &self.columns {
            columns.push(self.column(&file, &lengths, place)?);
        }
        let rows = lengths.iter().product();
        let may_leave_out = lengths.len() > 1;
        Ok(Box::new(Nodes { file, columns, rows, next: 0, left_out: 0, may_leave_out }))
    }
}

impl NetCdf {
    /// The variable at `place` as a column of rows with these lengths.
    fn column(&self, file: &File, lengths: &[u64], place: usize) -> io::Result<Column> {
        let (header, variable) = (&self.header, &self.header.variables[place]);
        let values = header.values(variable)?;
        let stored = Stored {
            begin: variable.begin,
            run: values,
            stride: if header.has_records(variable) { header.record_bytes } else { 0 },
            packing: Packing::of(variable),
        };
        if variable.dimensions == self.dimensions {
            return Ok(Column::Along(stored));
        }
        let all = if header.has_records(variable) {
            values.saturating_mul(header.dimensions[variable.dimensions[0]].1)
        } else {
            values
        };
        let (bytes, most) = (all.saturating_mul(8), self.memory_bytes / MEMORY_PARTS);
        if bytes > most {
            return Err(too_large(format!("the variable {}", variable.name), bytes, most));
        }
        let held = stored.read(file, 0, all)?;
        let mut strides = vec![0; lengths.len()];
        let mut stride = 1;
        for place in variable.dimensions.iter().rev() {
            let at = self.dimensions.iter().position(|other| other == place);
            strides[at.expect("a dimension of the rows")] = stride;
            stride *= header.dimensions[*place].1;
        }
        Ok(Column::Repeated { held, strides, lengths: lengths.to_vec() })
    }
}

/// Values of a variable in its file, the greatest byte first: runs of so many, the next `stride`
/// bytes after the one before.
#[derive(Clone, Debug)]
struct Stored {
    begin: u64,
    run: u64,
    stride: u64,
    packing: Packing,
}

impl Stored {
    /// `count` values from `first` on.
    fn read(&self, file: &File, first: u64, count: u64) -> io::Result<Vec<f64>> {
        let size = self.packing.kind.bytes();
        let (mut values, mut next) = (Vec::with_capacity(count as usize), first);
        while next < first + count {
            let (run, within) = (next / self.run, next % self.run);
            let those = (self.run - within).min(first + count - next);
            let mut bytes = vec![0; those as usize * size];
            let place = self.begin + run * self.stride + within * size as u64;
            file.read_exact_at(&mut bytes, place)?;
            values.extend(bytes.chunks_exact(size).map(|value| self.packing.value(value)));
            next += those;
        }
        Ok(values)
    }
}

/// A column of nodes.
enum Column {
    /// A variable over all dimensions, value by value.
    Along(Stored),
    /// A variable over some of them, with how far apart its values are along each.
    Repeated { held: Vec<f64>, strides: Vec<u64>, lengths: Vec<u64> },
}

impl Column {
    /// The values of `count` rows from `first` on.
    fn values(&self, file: &File, first: u64, count: u64) -> io::Result<Vec<f64>> {
        match self {
            Self::Along(stored) => stored.read(file, first, count),
            Self::Repeated { held, strides, lengths } => {
                let at = |row: u64| {
                    let (mut rest, mut place) = (row, 0);
                    for (stride, length) in strides.iter().zip(lengths).rev() {
                        place += rest % length * stride;
                        rest /= length;
                    }
                    held[place as usize]
                };
                Ok((first..first + count).map(at).collect())
            }
        }
    }
}

/// The rows of a file.
struct Nodes {
    file: File,
    columns: Vec<Column>,
    rows: u64,
    next: u64,
    left_out: u64,
    /// Whether rows without a value are left out, as those of a list of places are not.
    may_leave_out: bool,
}

impl ColumnReader for Nodes {
    fn read(&mut self, rows: usize, batch: &mut Batch) -> io::Result<()> {
        let end = batch.rows() + rows;
        while self.next < self.rows && batch.rows() < end {
            let count = (self.rows - self.next).min((end - batch.rows()) as u64);
            let columns = self.columns.iter();
            let values = columns.map(|column| column.values(&self.file, self.next, count));
            let values = values.collect::<io::Result<Vec<_>>>()?;
            let along = |column: &Column| matches!(column, Column::Along(_));
            for row in 0..count as usize {
                let own = self.columns.iter().zip(&values).filter(|(column, _)| along(column));
                let has_none = { own }.all(|(_, values)| values[row].is_nan());
                if self.may_leave_out && has_none {
                    self.left_out += 1;
                } else {
                    let number = self.next + row as u64 + 1;
                    batch.push(number, values.iter().map(|values| values[row]));
                }
            }
            self.next += count;
        }
        Ok(())
    }

    fn left_out(&self) -> u64 {
        self.left_out
    }
}
