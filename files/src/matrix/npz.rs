//! NumPy's `.npz`: an archive of arrays, of which one is the matrix and another may be its names.
//!
//! Arrays that are not compressed are read in place; others are inflated when the file is opened.
//! Source: `numpy.lib.npyio`, `savez` and `savez_compressed`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::npy::{Layout, read_header};
use super::stored::{Bytes, Gather, Stored};
use super::{Format, ReadSettings, input};
use crate::npy::Header;
use crate::source::{Source, SourceError};

/// An archive of arrays.
pub(super) const ARCHIVE: Format = Format {
    name: "npz",
    endings: &[".npz"],
    is_text: false,
    signature: b"PK\x03\x04",
    summary: "archive of NumPy arrays with one matrix (or FILE.npz:ARRAY), and names in a vector of text",
    open,
    write: None,
};

/// Names may take this much whatever memory there is.
const ALWAYS: u64 = 16 << 20;
/// Bytes that are inflated at once.
const CHUNK: usize = 1 << 18;

/// An array of the archive.
struct Array {
    /// Its number in the archive.
    index: usize,
    name: String,
    header: Header,
    /// Bytes of its header.
    start: u64,
    /// Bytes in all.
    length: u64,
}

type Archive = ZipArchive<File>;

fn open(
    path: &Path,
    part: Option<&str>,
    settings: &ReadSettings<'_>,
) -> Result<Box<dyn Source>, SourceError> {
    input::first_bytes(path, 1)?;
    let file = File::open(path).map_err(|cause| SourceError::read(path, cause))?;
    let mut archive = ZipArchive::new(file).map_err(|error| refused(path, error))?;
    let arrays = arrays(path, &mut archive)?;
    let matrix = choose(path, &arrays, part)?;
    let layout = Layout::of(&matrix.header).map_err(|reason| {
        SourceError::invalid(path, format!("array '{}': {reason}", matrix.name))
    })?;
    let found = matrix.length.saturating_sub(matrix.start);
    if found != layout.bytes() {
        let reason = format!(
            "array '{}' holds {found} bytes of entries where its header promises {}: it is damaged",
            matrix.name,
            layout.bytes()
        );
        return Err(SourceError::invalid(path, reason));
    }
    let names = names(path, &mut archive, (&arrays, layout.shape), settings.memory_bytes)?;
    let bytes = entries(path, &mut archive, (matrix, layout.bytes()), settings)?;
    let name = format!("{}:{}", path.display(), matrix.name);
    let Layout { shape, order, element, is_swapped } = layout;
    let path = path.to_owned();
    Ok(Stored { path, name, shape, element, is_swapped, order, bytes, names }.open())
}

fn refused(path: &Path, error: ZipError) -> SourceError {
    match error {
        ZipError::Io(cause) => broken(path, cause),
        other => SourceError::invalid(
            path,
            format!("it is no whole .npz archive ({other}): make it again"),
        ),
    }
}

/// The error of a file that ends early or of which the sums do not agree, or that the system
/// refused.
fn broken(path: &Path, cause: io::Error) -> SourceError {
    input::unreadable(path, cause)
}

/// The arrays, with their headers.
fn arrays(path: &Path, archive: &mut Archive) -> Result<Vec<Array>, SourceError> {
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|error| refused(path, error))?;
        let name = member.name().map_err(|error| refused(path, error))?;
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else { continue };
        let length = member.size();
        let read = read_header(&mut member).map_err(|cause| broken(path, cause))?;
        // What is no plain array may lie beside the matrix.
        if let Ok((header, start)) = read {
            arrays.push(Array { index, name, header, start, length });
        }
    }
    Ok(arrays)
}

/// Whether an array holds text.
fn is_text(array: &Array) -> bool {
    array.header.descr.contains(['U', 'S'])
}

/// The array called `part`, or the only one of two dimensions, or else the only one of one that is
/// no text.
fn choose<'a>(
    path: &Path,
    arrays: &'a [Array],
    part: Option<&str>,
) -> Result<&'a Array, SourceError> {
    let all: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
    let all = all.join(", ");
    if let Some(part) = part {
        let found = arrays.iter().find(|array| array.name == part);
        return found.ok_or_else(|| {
            SourceError::invalid(path, format!("it has no array '{part}'; its arrays are {all}"))
        });
    }
    for dimensions in [2, 1] {
        let is_one = |array: &&Array| array.header.shape.len() == dimensions && !is_text(array);
        let mut fitting = arrays.iter().filter(is_one);
        match (fitting.next(), fitting.next()) {
            (Some(array), None) => return Ok(array),
            (Some(_), Some(_)) => {
                let file = path.display();
                let reason =
                    format!("several of its arrays may be meant ({all}): name one, as {file}:NAME");
                return Err(SourceError::invalid(path, reason));
            }
            _ => {}
        }
    }
    Err(SourceError::invalid(path, format!("none of its arrays is a matrix; they are: {all}")))
}

/// The names in the only vector of text that is as long as the matrix has rows, in `memory_bytes`
/// at most.
fn names(
    path: &Path,
    archive: &mut Archive,
    (arrays, [m, n]): (&[Array], [usize; 2]),
    memory_bytes: u64,
) -> Result<[Option<Vec<String>>; 2], SourceError> {
    let mut fitting = arrays.iter().filter(|array| is_text(array) && array.header.shape[..] == [m]);
    let (Some(array), None) = (fitting.next(), fitting.next()) else { return Ok([None, None]) };
    let most = memory_bytes.max(ALWAYS);
    if array.length > most {
        let (name, length) = (&array.name, array.length);
        let reason = format!(
            "array '{name}' holds names of {length} bytes, more than the {most} of memory for them: allow more --memory"
        );
        return Err(SourceError::invalid(path, reason));
    }
    let member = archive.by_index(array.index).map_err(|error| refused(path, error))?;
    let mut bytes = Vec::new();
    member.take(array.length).read_to_end(&mut bytes).map_err(|cause| broken(path, cause))?;
    let entries = bytes.get(array.start as usize..).unwrap_or(&[]);
    let names = texts(&array.header.descr, entries, m).ok_or_else(|| {
        SourceError::invalid(
            path,
            format!("array '{}' holds no {m} names that can be read", array.name),
        )
    })?;
    Ok(if m == n { [Some(names.clone()), Some(names)] } else { [Some(names), None] })
}

/// The `count` texts in an array of type `descr`: NumPy's `U` is UTF-32, `S` is bytes; zeros end
/// them.
fn texts(descr: &str, entries: &[u8], count: usize) -> Option<Vec<String>> {
    let size: usize = descr.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    let bytes = if descr.contains('U') { size.checked_mul(4)? } else { size };
    if bytes == 0 || entries.len() != bytes.checked_mul(count)? {
        return None;
    }
    let is_big = descr.starts_with('>');
    let text = |entry: &[u8]| {
        if !descr.contains('U') {
            let end = entry.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
            return String::from_utf8(entry[..end].to_vec()).ok();
        }
        let (points, _) = entry.as_chunks::<4>();
        let point = |&bytes: &[u8; 4]| match is_big {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        };
        let text: Option<String> = points.iter().map(point).map(char::from_u32).collect();
        text.map(|text| text.trim_end_matches('\0').to_owned())
    };
    entries.chunks_exact(bytes).map(text).collect()
}

/// The `length` bytes of the entries of `array`: in place, or inflated.
fn entries(
    path: &Path,
    archive: &mut Archive,
    (array, length): (&Array, u64),
    settings: &ReadSettings<'_>,
) -> Result<Bytes, SourceError> {
    let mut member = archive.by_index(array.index).map_err(|error| refused(path, error))?;
    let start = member.data_start();
    if let (CompressionMethod::Stored, Some(start)) = (member.compression(), start) {
        drop(member);
        let file = File::open(path).map_err(|cause| SourceError::read(path, cause))?;
        let (start, end) = (start + array.start, start + array.start + length);
        if file.metadata().map_err(|cause| SourceError::read(path, cause))?.len() < end {
            return Err(SourceError::invalid(path, "it was cut short: make it again"));
        }
        return Ok(Bytes::File { file, start });
    }
    let failed = |cause| broken(path, cause);
    let mut gather = Gather::new(settings);
    io::copy(&mut (&mut member).take(array.start), &mut io::sink()).map_err(failed)?;
    let mut chunk = vec![0; CHUNK];
    let mut taken = 0;
    loop {
        let count = member.read(&mut chunk).map_err(failed)?;
        taken += count as u64;
        if count == 0 || taken > length {
            break;
        }
        gather.extend(&chunk[..count])?;
    }
    if taken != length {
        return Err(SourceError::invalid(
            path,
            "an array is not as long as it should be: make it again",
        ));
    }
    gather.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_numpys_types() {
        let utf32: Vec<u8> =
            ['é', 'b', '\0', 'c', '\0', '\0'].map(|c| (c as u32).to_le_bytes()).concat();
        assert_eq!(texts("<U3", &utf32, 2), Some(vec!["éb".to_owned(), "c".to_owned()]));
        assert_eq!(texts("|S2", b"ab\0\0", 2), Some(vec!["ab".to_owned(), String::new()]));
        assert_eq!(texts("|S2", b"abc", 2), None);
        assert_eq!(texts("|S2", b"\xff\xfe", 1), None);
        assert_eq!(texts("<U0", b"", 0), None);
        assert_eq!(texts("<U1", &[0xff; 4], 1), None);
    }
}
