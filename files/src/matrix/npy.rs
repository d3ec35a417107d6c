//! NumPy's `.npy`: matrices row by row or column by column, and the condensed form of SciPy's
//! `pdist`.
//!
//! A vector is condensed: the entries above the diagonal row by row, `n (n - 1) / 2` of them. Names
//! stand in a text file beside it. Source: `numpy.lib.format`; `scipy.spatial.distance.squareform`.

use std::fs::File;
use std::io;
use std::path::Path;

use tegula_kernels::element::Element;

use super::stored::{Bytes, Order, Stored};
use super::target::Target;
use super::{Content, Format, NameStorage, ReadSettings, Writing, input, sidecar};
use crate::npy::{Header, Objection};
use crate::source::{Block, Sink, Source, SourceError, order_of_triangle};

/// What every file begins with.
const SIGNATURE: &[u8] = b"\x93NUMPY";

/// A matrix; the condensed form is read too.
pub(super) const SQUARE: Format = Format {
    name: "npy",
    endings: &[".npy"],
    is_text: false,
    signature: SIGNATURE,
    summary: "NumPy array of two dimensions, any kind of real numbers; the condensed form is read too",
    open,
    write: Some(Writing {
        create: |path, content| create(path, content, false),
        names: NameStorage::Sidecar,
        is_square: false,
        is_triangle: false,
        element: None,
    }),
};

/// The condensed form; a matrix is read too.
pub(super) const CONDENSED: Format = Format {
    name: "npy-condensed",
    endings: &[".condensed.npy", "_condensed.npy"],
    is_text: false,
    signature: SIGNATURE,
    summary: "NumPy vector of the entries above the diagonal, as SciPy's pdist gives it",
    open,
    write: Some(Writing {
        create: |path, content| create(path, content, true),
        names: NameStorage::Sidecar,
        is_square: true,
        is_triangle: true,
        element: None,
    }),
};

/// An array, as its header tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) shape: [usize; 2],
    pub(super) order: Order,
    pub(super) element: Element,
    pub(super) is_swapped: bool,
}

impl Layout {
    /// What `header` tells, or why it is no matrix.
    pub(super) fn of(header: &Header) -> Result<Self, String> {
        let (element, is_swapped) = kind(&header.descr).ok_or_else(|| {
            format!(
                "it holds numbers of type '{}', and real numbers of up to 64 bits are read: convert it by \
                 a.astype('<f8')",
                header.descr
            )
        })?;
        let (shape, order) = match header.shape[..] {
            [entries] => {
                let n = order_of_triangle(entries).ok_or_else(|| {
                    format!(
                        "it is a vector of {entries}, which is n (n - 1) / 2 for no n: no condensed distances; if \
                         it is a matrix, reshape it"
                    )
                })?;
                ([n, n], Order::Upper)
            }
            [m, n] if header.is_in_columns => ([m, n], Order::Columns),
            [m, n] => ([m, n], Order::Rows),
            _ => {
                return Err(format!(
                    "it is of shape {:?}, and a matrix has two dimensions",
                    header.shape
                ));
            }
        };
        match order.entries(shape).map(|entries| entries.checked_mul(element.bytes())) {
            Some(Some(1..)) => Ok(Self { shape, order, element, is_swapped }),
            Some(Some(0)) => {
                Err(format!("it is of shape {:?}: there is nothing in it", header.shape))
            }
            _ => Err(format!("its header gives the shape {:?}, which no file holds", header.shape)),
        }
    }

    /// Bytes of all entries.
    pub(super) fn bytes(&self) -> u64 {
        self.order.entries(self.shape).map_or(0, |entries| (entries * self.element.bytes()) as u64)
    }
}

/// The kind of numbers that NumPy calls `descr`, and whether their bytes are swapped here.
fn kind(descr: &str) -> Option<(Element, bool)> {
    let order = descr.chars().next().filter(|order| "<>|=".contains(*order));
    let element = match &descr[order.map_or(0, char::len_utf8)..] {
        "b1" | "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return None,
    };
    let is_other =
        if cfg!(target_endian = "little") { order == Some('>') } else { order == Some('<') };
    Some((element, is_other && element.bytes() > 1))
}

/// NumPy's name of `element` in the byte order of this machine.
fn descr(element: Element) -> String {
    let order = match (element.bytes(), cfg!(target_endian = "little")) {
        (1, _) => '|',
        (_, true) => '<',
        (_, false) => '>',
    };
    let name = element.name();
    let letter = name.chars().next().unwrap_or('f');
    format!("{order}{letter}{}", element.bytes())
}

/// Reads the header from `input`, with the number of bytes that it takes.
pub(super) fn read_header(input: &mut dyn io::Read) -> io::Result<Result<(Header, u64), String>> {
    match Header::read(input) {
        Ok(read) => Ok(read.map_err(|objection| match objection {
            Objection::Text(reason) => reason,
            Objection::Type(found) => format!("it holds '{found}', no plain numbers"),
        })),
        Err(cause) if cause.kind() == io::ErrorKind::InvalidData => {
            Ok(Err(format!("no .npy file of versions 1 or 2: {cause}")))
        }
        Err(cause) => Err(cause),
    }
}

fn open(
    path: &Path,
    part: Option<&str>,
    _: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    if let Some(part) = part {
        return Err(super::table::no_parts(path, part));
    }
    input::first_bytes(path, 1)?;
    let failed = |cause| SourceError::read(path, cause);
    let refused = |reason: String| SourceError::invalid(path, reason);
    let mut file = File::open(path).map_err(failed)?;
    let (header, start) = read_header(&mut file).map_err(failed)?.map_err(refused)?;
    let layout = Layout::of(&header).map_err(refused)?;
    let found = file.metadata().map_err(failed)?.len().saturating_sub(start);
    let expected = layout.bytes();
    if found != expected {
        return Err(refused(format!(
            "it holds {found} bytes of entries where its header promises {expected}: it was cut short or is damaged"
        )));
    }
    let Layout { shape, order, element, is_swapped } = layout;
    let names = sidecar::read(path, shape)?;
    let (name, bytes) = (path.display().to_string(), Bytes::File { file, start });
    let path = path.to_owned();
    Ok(Stored { path, name, shape, element, is_swapped, order, bytes, names }.open())
}

/// An array that is being written.
#[derive(Debug)]
struct NpySink {
    target: Target,
    is_condensed: bool,
}

fn create(
    path: &Path,
    content: &Content<'_>,
    is_condensed: bool,
) -> Result<Box<dyn Sink>, SourceError> {
    let [m, n] = content.shape;
    if is_condensed && n < 2 {
        let reason =
            "a matrix of one row has no pair, and the condensed form holds pairs: write npy";
        return Err(SourceError::invalid(path, reason));
    }
    let shape = if is_condensed { vec![n * (n - 1) / 2] } else { vec![m, n] };
    let header = Header { descr: descr(content.element), is_in_columns: false, shape };
    let mut target = Target::binary(path, content)?;
    target.put(&header.preamble())?;
    Ok(Box::new(NpySink { target, is_condensed }))
}

impl Sink for NpySink {
    fn grain(&self) -> [usize; 2] {
        self.target.grain()
    }

    fn element(&self) -> Element {
        self.target.element()
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        let size = self.element().bytes();
        for (row, entries) in self.target.rows(block, entries) {
            let first = if self.is_condensed { row + 1 } else { 0 };
            self.target.put(&entries[first * size..])?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        self.target.finish()
    }
}

#[cfg(test)]
mod tests {
    use tegula_kernels::element::ELEMENTS;

    use super::*;

    #[test]
    fn kinds_have_numpys_names() {
        for (element, _) in ELEMENTS {
            assert_eq!(kind(&descr(element)), Some((element, false)));
        }
        assert_eq!(kind(">i4"), Some((Element::I32, cfg!(target_endian = "little"))));
        for other in ["<c8", "<f16", "", ">", "<U3", "é"] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}
