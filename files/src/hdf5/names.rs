//! Names of rows and columns, which stand in data sets beside the matrix.

use std::path::Path;

use rust_hdf5::{DatatypeMessage, H5Dataset, H5File, Hdf5Error};

use super::choose::Chosen;
use super::library::unreadable;
use crate::source::SourceError;

/// Data sets with the names of rows, of columns, and of both.
const OF_ROWS: [&str; 3] = ["rownames", "row_names", "row_labels"];
const OF_COLUMNS: [&str; 4] = ["colnames", "col_names", "column_names", "col_labels"];
const OF_BOTH: [&str; 6] = ["names", "ids", "id", "labels", "sample_ids", "samples"];
/// A data set with the names of both, beside a matrix that is called `matrix`, as scikit-bio has
/// them.
const OF_MATRIX: &str = "order";
/// Names may take this much whatever memory there is.
const ALWAYS: u64 = 16 << 20;
/// Longest name, in bytes.
const LONGEST: usize = 1 << 16;

/// The name at the end of `path`.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether the data set at `path` is called like one that holds names.
pub(super) fn is_for_names(path: &str) -> bool {
    let name = name_of(path);
    OF_ROWS.iter().chain(&OF_COLUMNS).chain(&OF_BOTH).any(|usual| *usual == name)
}

/// The names of the rows and of the columns of `chosen`, from the group that it is in; they take at
/// most `memory_bytes`.
///
/// # Errors
/// If they are not as many as the rows or columns, too many for the memory, or no text.
pub(super) fn read(
    path: &Path,
    file: &H5File,
    chosen: &Chosen,
    memory_bytes: u64,
) -> Result<[Option<Vec<String>>; 2], SourceError> {
    let there = file.dataset_names();
    let [rows, columns] = find(&there, &chosen.path, chosen.shape);
    let read = |name: Option<String>, count, axis| {
        name.map(|name| of(path, file, &name, (count, axis, memory_bytes))).transpose()
    };
    let of_rows = read(rows, chosen.shape[0], "rows")?;
    let of_columns = read(columns, chosen.shape[1], "columns")?;
    Ok(settled([of_rows, of_columns], chosen.is_condensed))
}

/// Which of the data sets `there` hold the names of the rows and of the columns of that at `path`,
/// of that shape.
pub(super) fn find(
    there: &[String],
    path: &str,
    [rows, columns]: [usize; 2],
) -> [Option<String>; 2] {
    let group = path.rsplit_once('/').map_or("", |(group, _)| group);
    let find = |usual: &[&str]| {
        let paths = usual.iter().map(|name| {
            if group.is_empty() { (*name).to_owned() } else { format!("{group}/{name}") }
        });
        paths.filter(|other| other != path).find(|path| there.contains(path))
    };
    let order = (name_of(path) == "matrix").then(|| find(&[OF_MATRIX])).flatten();
    let both = find(&OF_BOTH).or(order);
    let of_both = both.clone().filter(|_| rows == columns);
    [find(&OF_ROWS).or(both), find(&OF_COLUMNS).or(of_both)]
}

/// The names of rows and columns, of which a triangle has one list.
pub(super) fn settled(
    [rows, columns]: [Option<Vec<String>>; 2],
    is_condensed: bool,
) -> [Option<Vec<String>>; 2] {
    if !is_condensed {
        return [rows, columns];
    }
    let names = rows.or(columns);
    [names.clone(), names]
}

/// The texts in the data set `name`, which names each of the `count` rows or columns.
fn of(
    path: &Path,
    file: &H5File,
    name: &str,
    (count, axis, memory_bytes): (usize, &str, u64),
) -> Result<Vec<String>, SourceError> {
    let wrong = |reason: String| {
        SourceError::invalid(path, format!("data set '{name}', which names the {axis}, {reason}"))
    };
    let dataset = file.dataset(name).map_err(|error| unreadable(path, &error))?;
    let found = dataset.total_elements();
    if found != count {
        let advice = "rename it, or correct it";
        return Err(wrong(format!("has {found} entries, but there are {count} {axis}; {advice}")));
    }
    let each = dataset.element_size().max(size_of::<String>()) + size_of::<String>();
    if count.saturating_mul(each) as u64 > memory_bytes.max(ALWAYS) {
        return Err(wrong(format!("does not fit the memory for it, {memory_bytes} bytes")));
    }
    let names = texts(&dataset).map_err(&wrong)?;
    match names.iter().position(|name| name.contains('\u{fffd}')) {
        Some(index) => Err(wrong(format!("is no UTF-8 text in entry {index}, counted from 0"))),
        None => Ok(names),
    }
}

/// The entries of `dataset` as texts; numbers are written out.
fn texts(dataset: &H5Dataset) -> Result<Vec<String>, String> {
    let datatype = dataset.datatype().map_err(|error| error.to_string())?;
    if dataset.element_size() > LONGEST {
        return Err(format!("is damaged: names of {} bytes", dataset.element_size()));
    }
    match datatype {
        DatatypeMessage::FixedString { .. } | DatatypeMessage::VarLenString { .. } => {
            dataset.read_strings_lossy().map_err(|error| format!("cannot be read: {error}"))
        }
        DatatypeMessage::FixedPoint { .. } => {
            let numbers = dataset.read_numeric_as::<i128>();
            let numbers = numbers.map_err(|error| format!("cannot be read: {error}"))?;
            Ok(numbers.iter().map(ToString::to_string).collect())
        }
        other => Err(format!("holds neither text nor integers, but {other}")),
    }
}

/// Writes `names` as texts of equal length, which NumPy and R read as they are.
pub(super) fn write(file: &H5File, title: &str, names: &[String]) -> Result<(), Hdf5Error> {
    let width = names.iter().map(String::len).max().unwrap_or(0).max(1);
    let is_ascii = names.iter().all(|name| name.is_ascii());
    let padding = 1;
    let datatype =
        DatatypeMessage::FixedString { size: width as u32, padding, charset: u8::from(!is_ascii) };
    let mut bytes = vec![0; width * names.len()];
    for (to, name) in bytes.chunks_exact_mut(width).zip(names) {
        to[..name.len()].copy_from_slice(name.as_bytes());
    }
    let builder = file.new_dataset::<u8>().datatype(datatype).shape([names.len()]);
    builder.create(title)?.write_raw_bytes(&bytes)
}
