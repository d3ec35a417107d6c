//! HDF5 files, and lists of such files that hold the tiles of one matrix.

use std::path::Path;

use super::{Content, Format, NameStorage, ReadSettings, Writing};
use crate::hdf5::{self, Hdf5Options, Hdf5Reading, Hdf5Sink, ManifestSource};
use crate::source::{Sink, Source, SourceError};

/// One file.
pub(super) const FILE: Format = Format {
    name: "hdf5",
    endings: &[".h5", ".hdf5", ".hdf", ".he5"],
    is_text: false,
    signature: b"\x89HDF\r\n\x1a\n",
    summary: "HDF5, contiguous or in chunks, any filter; FILE.h5:DATASET where there are several",
    open: |path, dataset, settings| hdf5::open(path, dataset, reading(settings)),
    write: Some(Writing {
        create,
        names: NameStorage::Both,
        is_square: false,
        is_triangle: false,
        element: None,
    }),
};

/// A list of files.
pub(super) const TILES: Format = Format {
    name: "tiles",
    endings: &[".manifest", ".tiles"],
    is_text: false,
    signature: b"file,row,column",
    summary: "list of HDF5 files with tiles: file,row,column[,dataset] in CSV",
    open: |path, _, settings| -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(ManifestSource::open_as(path, reading(settings))?))
    },
    write: None,
};

fn create(path: &Path, content: &Content<'_>) -> Result<Box<dyn Sink>, SourceError> {
    let names = content.names.map(|names| names.map(<[String]>::to_vec));
    let options = Hdf5Options { names, ..Hdf5Options::default() };
    Ok(Box::new(Hdf5Sink::create(path, content.shape, content.element, &options)?))
}

/// How a data set is read.
fn reading(settings: &ReadSettings<'_>) -> Hdf5Reading {
    Hdf5Reading { fill: settings.fill, memory_bytes: settings.memory_bytes }
}
