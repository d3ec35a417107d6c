//! The header of NumPy's files: a dictionary in Python's notation.

use std::io::{self, Read};

/// What every file begins with.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longest header that is read.
const LONGEST: usize = 1 << 16;
/// Where the entries begin is a multiple of this, as NumPy has it.
const ALIGNMENT: usize = 64;

/// Type of the numbers in a file, all little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<f4`.
    Single,
    /// `<f8`.
    Double,
    /// `<c8`.
    ComplexSingle,
    /// `<c16`.
    ComplexDouble,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::Single, Self::Double, Self::ComplexSingle, Self::ComplexDouble];

    /// NumPy's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "<f4",
            Self::Double => "<f8",
            Self::ComplexSingle => "<c8",
            Self::ComplexDouble => "<c16",
        }
    }

    /// Bytes of a number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double | Self::ComplexSingle => 8,
            Self::ComplexDouble => 16,
        }
    }

    /// Whether numbers have an imaginary part.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::ComplexSingle | Self::ComplexDouble)
    }

    /// Whether the parts of numbers have 64 bits.
    pub(super) const fn is_double(self) -> bool {
        matches!(self, Self::Double | Self::ComplexDouble)
    }
}

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type of the entries as NumPy writes it: byte order, letter, bytes.
    pub(crate) descr: String,
    /// Whether entries stand column by column.
    pub(crate) is_in_columns: bool,
    /// Length of each dimension.
    pub(crate) shape: Vec<usize>,
}

/// Why a header cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Objection {
    /// It is not written as it should be.
    Text(String),
    /// Numbers of another type, which NumPy calls so.
    Type(String),
}

impl Header {
    /// Reads the dictionary.
    pub(super) fn parse(text: &str) -> Result<Self, Objection> {
        let descr = value(text, "descr")?;
        let name = descr.split(['\'', '"']).nth(1).filter(|_| !descr.starts_with('['));
        let Some(name) = name else {
            return Err(Objection::Type(descr.trim().to_owned()));
        };
        let order = value(text, "fortran_order")?;
        let is_in_columns = match order.trim_start() {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return Err(Objection::Text("fortran_order is neither True nor False".to_owned())),
        };
        Ok(Self { descr: name.to_owned(), is_in_columns, shape: shape(value(text, "shape")?)? })
    }

    /// The dictionary.
    pub(super) fn text(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(|size| format!("{size},")).collect();
        let order = if self.is_in_columns { "True" } else { "False" };
        format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': ({}), }}",
            self.descr,
            shape.join(" ")
        )
    }

    /// Reads what stands before the entries; returns with it how many bytes that is.
    ///
    /// # Errors
    /// Those of `input`; [`InvalidData`](io::ErrorKind::InvalidData) if it is something else or too
    /// short.
    pub(crate) fn read(input: &mut dyn Read) -> io::Result<Result<(Self, u64), Objection>> {
        let (text, length) = header_text(input)?;
        Ok(Self::parse(&text).map(|header| (header, length)))
    }

    /// What stands before the entries.
    pub(crate) fn preamble(&self) -> Vec<u8> {
        let mut text = self.text();
        let start = MAGIC.len() + 4;
        // A newline ends the header.
        let whole = (start + text.len() + 1).next_multiple_of(ALIGNMENT);
        text += &" ".repeat(whole - start - text.len() - 1);
        text.push('\n');
        let length = (text.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0][..], &length, text.as_bytes()].concat()
    }
}

/// The header, and where the entries begin; [`InvalidData`](io::ErrorKind::InvalidData) if the file
/// is something else.
fn header_text(file: &mut dyn Read) -> io::Result<(String, u64)> {
    let wrong = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => wrong("it is too short".to_owned()),
        _ => error,
    };
    let mut start = [0u8; 8];
    file.read_exact(&mut start).map_err(cut)?;
    if start[..6] != MAGIC[..] {
        return Err(wrong("it does not begin with \\x93NUMPY".to_owned()));
    }
    let width = match start[6] {
        1 => 2,
        2 => 4,
        version => return Err(wrong(format!("it is of version {version}"))),
    };
    let mut length = [0u8; 4];
    file.read_exact(&mut length[..width]).map_err(cut)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(wrong(format!("its header of {length} bytes is longer than {LONGEST}")));
    }
    let mut text = vec![0u8; length];
    file.read_exact(&mut text).map_err(cut)?;
    let text = String::from_utf8(text).map_err(|_| wrong("its header is no text".to_owned()))?;
    Ok((text, (8 + width + length) as u64))
}

/// What follows `key` in the dictionary `text`.
fn value<'a>(text: &'a str, key: &str) -> Result<&'a str, Objection> {
    let found = ['\'', '"'].into_iter().find_map(|quote| {
        let (_, rest) = text.split_once(&format!("{quote}{key}{quote}"))?;
        rest.trim_start().strip_prefix(':')
    });
    let found = found.ok_or_else(|| Objection::Text(format!("its header has no '{key}'")))?;
    Ok(found.trim_start())
}

/// Reads `(3, 4)`, `(3,)` or `()`.
fn shape(text: &str) -> Result<Vec<usize>, Objection> {
    let inner = text.strip_prefix('(').and_then(|text| text.split(')').next());
    let sizes = inner.map(|inner| {
        let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
        // Python 2 wrote long integers with an L.
        sizes.map(|size| size.trim_end_matches('L').parse()).collect::<Result<Vec<usize>, _>>()
    });
    match sizes {
        Some(Ok(sizes)) => Ok(sizes),
        _ => Err(Objection::Text("its shape is no list of sizes".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_are_written() {
        for kind in Kind::ALL {
            for (is_in_columns, shape) in [(true, vec![3, 4]), (false, vec![7]), (true, vec![])] {
                let header = Header { descr: kind.name().to_owned(), is_in_columns, shape };
                assert_eq!(Header::parse(&header.text()), Ok(header.clone()));
                let preamble = header.preamble();
                assert_eq!(preamble.len() % ALIGNMENT, 0);
                let read = Header::read(&mut &preamble[..]).expect("memory can be read");
                assert_eq!(read, Ok((header, preamble.len() as u64)));
            }
        }
    }

    #[test]
    fn headers_of_others_are_read() {
        let text = "{\"shape\":(2L, 0), 'fortran_order' : False,'descr': '<c16'}   \n";
        let expected = Header { descr: "<c16".to_owned(), is_in_columns: false, shape: vec![2, 0] };
        assert_eq!(Header::parse(text), Ok(expected));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let with = |descr: &str, order: &str, shape: &str| {
            Header::parse(&format!(
                "{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"
            ))
        };
        let record = with("[('a', '<f8')]", "False", "(1,)");
        assert!(matches!(record, Err(Objection::Type(_))), "{record:?}");
        for (order, shape) in [("maybe", "(1, 1)"), ("True", "(1, -1)"), ("True", "[1, 1]")] {
            let found = with("'<f8'", order, shape);
            assert!(matches!(found, Err(Objection::Text(_))), "{found:?}");
        }
        assert!(matches!(Header::parse("{}"), Err(Objection::Text(_))));
    }
}
