//! The C library libhdf5 as a second reader: for files that ours does not read, and as what ours is
//! compared with.
//!
//! It does one thing at a time, whichever thread asks: more readers are not faster.

mod holes;
mod names;
mod reader;

use std::path::Path;

use hdf5_metno::types::{FloatSize, IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, Error, File, Group};
use tegula_kernels::element::Element;

pub(super) use reader::SliceReader;

use super::choose::USUAL;
use super::guard::Fingerprint;
use super::holes::Hdf5Reading;
use super::kind::Kind;
use super::names as naming;
use super::place::Place;
use super::source::Hdf5Source;
use crate::source::{SourceError, order_of_triangle};

/// Deepest group that is looked into.
const DEEPEST: usize = 16;

impl Hdf5Source {
    /// The same as [`open_as`](Self::open_as), read by libhdf5. What was never written can be read
    /// as the file has it alone.
    ///
    /// # Errors
    /// If libhdf5 cannot read it, or it is no matrix of real numbers.
    pub fn open_by_libhdf5(
        path: &Path,
        dataset: Option<&str>,
        reading: Hdf5Reading,
    ) -> Result<Self, SourceError> {
        let about = std::fs::metadata(path).map_err(|cause| SourceError::read(path, cause))?;
        let wrong = |reason: String| SourceError::invalid(path, reason);
        let file = File::open(path).map_err(|error| wrong(said(&error)))?;
        let mut there = Vec::new();
        list(&file, DEEPEST, &mut there).map_err(|error| wrong(said(&error)))?;
        let chosen = choose(&file, dataset, &there).map_err(wrong)?;
        let Matrix { title, dataset, element, shape, is_condensed } = chosen;
        holes::check(path, (&title, &dataset), reading.fill).map_err(wrong)?;
        let names = names::read(&file, &there, (&title, shape)).map_err(wrong)?;
        let chunk = dataset.chunk().and_then(|chunk| chunk[..].try_into().ok());
        let stored: usize = dataset.shape().iter().product();
        Ok(Self {
            path: path.to_owned(),
            name: format!("{}, data set '{title}'", path.display()),
            fingerprint: Fingerprint::of(&about),
            shape,
            kind: Kind { element, is_swapped: false },
            is_condensed,
            grain: chunk.filter(|_| !is_condensed).unwrap_or([1, 1]),
            stored_bytes_per_entry: dataset.storage_size() as f64 / stored.max(1) as f64,
            names: naming::settled(names, is_condensed),
            place: Place::LibHdf5(dataset),
            dataset: title,
        })
    }
}

/// A data set that is a matrix.
struct Matrix {
    title: String,
    dataset: Dataset,
    element: Element,
    shape: [usize; 2],
    is_condensed: bool,
}

/// What libhdf5 says.
fn said(error: &Error) -> String {
    error.to_string()
}

/// Appends the paths of the data sets in and below `group`, down to so many levels.
fn list(group: &Group, levels: usize, there: &mut Vec<String>) -> Result<(), Error> {
    let title = |name: String| name.trim_start_matches('/').to_owned();
    there.extend(group.datasets()?.iter().map(|dataset| title(dataset.name())));
    if levels > 0 {
        for below in group.groups()? {
            list(&below, levels - 1, there)?;
        }
    }
    Ok(())
}

/// The data set `wanted`, or the one that is the matrix.
fn choose(file: &File, wanted: Option<&str>, there: &[String]) -> Result<Matrix, String> {
    if let Some(wanted) = wanted {
        let title = wanted.trim_matches('/');
        return matrix(file, title).map_err(|what| format!("data set '{title}' {what}"));
    }
    let usual = USUAL.into_iter().filter(|usual| there.iter().any(|name| name == usual));
    if let Some(matrix) = usual.filter_map(|name| matrix(file, name).ok()).next() {
        return Ok(matrix);
    }
    let others = there.iter().filter(|name| !naming::is_for_names(name));
    let found: Vec<Matrix> = others.filter_map(|name| matrix(file, name).ok()).collect();
    let (triangles, whole): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.is_condensed);
    let mut found = if whole.is_empty() { triangles } else { whole };
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (None, _) => Err("no data set in it is a matrix".to_owned()),
        (Some(last), _) => {
            let names: Vec<String> =
                found.iter().chain([&last]).map(|one| format!("'{}'", one.title)).collect();
            Err(format!("several data sets may be the matrix: {}; name one", names.join(", ")))
        }
    }
}

/// The data set called `title`.
///
/// # Errors
/// What it is instead of a matrix of numbers, for the end of a sentence.
fn matrix(file: &File, title: &str) -> Result<Matrix, String> {
    let failed = |error: Error| format!("cannot be read: {error}");
    let dataset = file.dataset(title).map_err(failed)?;
    let descriptor = dataset.dtype().and_then(|datatype| datatype.to_descriptor());
    let element = element_of(&descriptor.map_err(failed)?)?;
    let stored = dataset.shape();
    let (shape, is_condensed) = match stored[..] {
        [rows, columns] => ([rows, columns], false),
        [length] => match order_of_triangle(length) {
            Some(n) => ([n, n], true),
            None => return Err(format!("has {length} entries in one dimension")),
        },
        _ => return Err(format!("has shape {stored:?}")),
    };
    Ok(Matrix { title: title.to_owned(), dataset, element, shape, is_condensed })
}

/// The kind of numbers that `descriptor` describes.
fn element_of(descriptor: &TypeDescriptor) -> Result<Element, String> {
    Ok(match descriptor {
        TypeDescriptor::Unsigned(IntSize::U1) => Element::U8,
        TypeDescriptor::Integer(IntSize::U1) => Element::I8,
        TypeDescriptor::Unsigned(IntSize::U2) => Element::U16,
        TypeDescriptor::Integer(IntSize::U2) => Element::I16,
        TypeDescriptor::Unsigned(IntSize::U4) => Element::U32,
        TypeDescriptor::Integer(IntSize::U4) => Element::I32,
        TypeDescriptor::Unsigned(IntSize::U8) => Element::U64,
        TypeDescriptor::Integer(IntSize::U8) => Element::I64,
        TypeDescriptor::Float(FloatSize::U2) => Element::F16,
        TypeDescriptor::Float(FloatSize::U4) => Element::F32,
        TypeDescriptor::Float(FloatSize::U8) => Element::F64,
        other => return Err(format!("holds {other}, no real numbers")),
    })
}
