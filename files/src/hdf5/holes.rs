//! What of a data set was never written, and what is read there.

use std::path::Path;

use super::kind::Kind;

/// Memory for chunks where nothing else is said.
const MEMORY: u64 = 1 << 30;

/// How a data set is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hdf5Reading {
    /// What entries are that were never written; without it, a data set that has such is refused.
    pub fill: Option<f64>,
    /// Memory for a decoded chunk, for the table of all chunks, and for names.
    pub memory_bytes: u64,
}

impl Default for Hdf5Reading {
    fn default() -> Self {
        Self { fill: None, memory_bytes: MEMORY }
    }
}

/// Parts of a data set that were never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holes {
    /// How many.
    pub(super) absent: u64,
    /// Whether there may be more.
    pub(super) is_least: bool,
    /// How many parts there are.
    pub(super) of: u64,
    /// What they are: chunks, or entries.
    pub(super) parts: &'static str,
    /// Row and column of the first entry that is absent, from 0.
    pub(super) first: [usize; 2],
}

impl Holes {
    /// Why the data set called `title` is refused, where HDF5 reads entries as `instead`.
    pub(super) fn words(&self, title: &str, instead: &str) -> String {
        let Self { absent, is_least, of, parts, first: [row, column] } = *self;
        let which = if absent == of {
            format!("none of the {of} {parts} of data set '{title}' was ever written")
        } else if is_least {
            format!("{absent} or more of the {of} {parts} of data set '{title}' were never written")
        } else {
            format!(
                "{absent} of the {of} {parts} of data set '{title}' were never written (the first from row {}, column {} on)",
                row + 1,
                column + 1
            )
        };
        format!(
            "{which}, and HDF5 reads {instead} there: let the program that writes it finish, or say what such entries are \
             by --fill VALUE"
        )
    }
}

/// The bytes of `value` as an entry of this `kind` in the file.
///
/// # Errors
/// If it is none, for the end of a sentence.
pub(super) fn fill_bytes(value: f64, kind: Kind) -> Result<Vec<u8>, String> {
    let (element, mut back) = (kind.element, [0.0]);
    let mut bytes = vec![0; element.bytes()];
    element.narrow(&[value], &mut bytes);
    element.widen(&bytes, &mut back);
    if back[0] != value && !(back[0].is_nan() && value.is_nan()) {
        return Err(format!("--fill {value} is no {}, which it holds", element.name()));
    }
    kind.to_native(&mut bytes);
    Ok(bytes)
}

/// The number that an entry of this `kind` in the file stands for.
pub(super) fn fill_number(bytes: &[u8], kind: Kind) -> f64 {
    let (mut bytes, mut number) = (bytes.to_vec(), [0.0]);
    kind.to_native(&mut bytes);
    kind.element.widen(&bytes, &mut number);
    number[0]
}

/// What is wrong with the file at `path` in which other entries of a data set stand, if it is not
/// there or has not so many bytes.
pub(super) fn outside(folder: &Path, name: &str, bytes: u64) -> Option<String> {
    let found = [folder.join(name), name.into()].into_iter().find_map(|path| path.metadata().ok());
    match found.map(|about| about.len()) {
        None => Some(format!("keeps its entries in the file {name}, which is not there")),
        Some(length) if length < bytes => Some(format!(
            "keeps its entries in the file {name}, which has {length} bytes of {bytes}: the rest was never written"
        )),
        Some(_) => None,
    }
}
