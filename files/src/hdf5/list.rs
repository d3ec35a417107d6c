//! Lists of tiles: CSV with a header.

use std::path::Path;

use crate::source::SourceError;
use crate::text;

/// Bytes that a list may have: some hundred thousand files fit.
const MOST_BYTES: u64 = 32 << 20;

/// A line of the list.
pub(super) struct Entry {
    pub(super) line: u64,
    pub(super) file: String,
    pub(super) corner: [usize; 2],
    pub(super) dataset: Option<String>,
}

/// The lines of the list at `path`.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, SourceError> {
    let wrong = |reason: String| SourceError::invalid(path, reason);
    let text = text::read_whole(path, MOST_BYTES).map_err(|cause| wrong(cause.to_string()))?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let column = |name: &str| header.iter().position(|title| title == name);
    let required = |name: &str| {
        column(name).ok_or_else(|| {
            let found: Vec<&str> = header.iter().collect();
            wrong(format!(
                "its header has no column '{name}' but {}; it is file,row,column or file,row,column,dataset",
                found.join(", ")
            ))
        })
    };
    let (name, corner) = (required("file")?, [required("row")?, required("column")?]);
    let dataset = column("dataset");
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |axis: usize| {
            let text = &record[corner[axis]];
            text.parse::<usize>().map_err(|_| {
                let title = ["row", "column"][axis];
                wrong(format!("line {line}: {title} '{text}' is no number from 0 on"))
            })
        };
        if record[name].is_empty() {
            return Err(wrong(format!("line {line} names no file")));
        }
        entries.push(Entry {
            line,
            file: record[name].to_owned(),
            corner: [number(0)?, number(1)?],
            dataset: dataset.map(|index| record[index].to_owned()).filter(|name| !name.is_empty()),
        });
    }
    Ok(entries)
}
