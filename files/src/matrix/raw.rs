//! Square matrices of float32, little-endian, row by row, and nothing else in the file.
//!
//! The number of rows follows from the length of the file. Names stand in a text file beside it.

use std::fs::File;
use std::path::Path;

use tegula_kernels::element::Element;

use super::stored::{Bytes, Order, Stored};
use super::target::Target;
use super::{Content, Format, NameStorage, ReadSettings, Writing, input, sidecar};
use crate::source::{Block, Sink, Source, SourceError};

/// Entries and nothing else.
pub(super) const SQUARE: Format = Format {
    name: "raw",
    endings: &[".bin", ".f32", ".raw"],
    is_text: false,
    signature: &[],
    summary: "float32, little-endian, row by row, square, nothing else in the file",
    open,
    write: Some(Writing {
        create,
        names: NameStorage::Sidecar,
        is_square: true,
        is_triangle: false,
        element: Some(Element::F32),
    }),
};

const SIZE: u64 = size_of::<f32>() as u64;

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
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    if length == 0 {
        return Err(input::empty(path));
    }
    let n = (length / SIZE).isqrt();
    if n * n * SIZE != length {
        let near = (n + 1) * (n + 1) * SIZE;
        let reason = format!(
            "it holds {length} bytes, which is 4 n^2 for no n ({} for n = {n}, {near} for n = {}): it was cut short, \
             or is no square matrix of float32",
            n * n * SIZE,
            n + 1
        );
        return Err(SourceError::invalid(path, reason));
    }
    let n = usize::try_from(n).map_err(|_| input::empty(path))?;
    let shape = [n, n];
    let names = sidecar::read(path, shape)?;
    let (name, path) = (path.display().to_string(), path.to_owned());
    let (element, is_swapped) = (Element::F32, cfg!(target_endian = "big"));
    let (order, bytes) = (Order::Rows, Bytes::File { file, start: 0 });
    Ok(Stored { path, name, shape, element, is_swapped, order, bytes, names }.open())
}

/// A matrix that is being written.
#[derive(Debug)]
struct RawSink(Target);

fn create(path: &Path, content: &Content<'_>) -> Result<Box<dyn Sink>, SourceError> {
    Ok(Box::new(RawSink(Target::binary(path, content)?)))
}

impl Sink for RawSink {
    fn grain(&self) -> [usize; 2] {
        self.0.grain()
    }

    fn element(&self) -> Element {
        self.0.element()
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        for (_, entries) in self.0.rows(block, entries) {
            if cfg!(target_endian = "little") {
                self.0.put(entries)?;
            } else {
                let (numbers, _) = entries.as_chunks::<4>();
                let swapped: Vec<u8> = numbers
                    .iter()
                    .flat_map(|&bytes| f32::from_ne_bytes(bytes).to_le_bytes())
                    .collect();
                self.0.put(&swapped)?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        self.0.finish()
    }
}
