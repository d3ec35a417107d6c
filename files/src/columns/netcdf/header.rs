//! The header of NetCDF's classic format, CDF-1, 2 and 5 (the appendix of its user guide): what is
//! in the file, each count held against the length of the file before it is taken.

use std::fs::File;
use std::io::{self, BufReader, Read};

use super::super::damaged;

/// Tags of lists.
const DIMENSION: u64 = 10;
const VARIABLE: u64 = 11;
const ATTRIBUTE: u64 = 12;

/// Kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Byte,
    Char,
    Short,
    Int,
    Float,
    Double,
    UByte,
    UShort,
    UInt,
    Int64,
    UInt64,
}

impl Kind {
    const ALL: [Self; 11] = [
        Self::Byte,
        Self::Char,
        Self::Short,
        Self::Int,
        Self::Float,
        Self::Double,
        Self::UByte,
        Self::UShort,
        Self::UInt,
        Self::Int64,
        Self::UInt64,
    ];

    /// That of the number `code`.
    fn of(code: u64) -> io::Result<Self> {
        let place = (code as usize).wrapping_sub(1);
        Self::ALL.get(place).copied().ok_or_else(|| damaged(format!("values of kind {code}")))
    }

    /// Bytes of a value.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Byte | Self::Char | Self::UByte => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::Float | Self::UInt => 4,
            Self::Double | Self::Int64 | Self::UInt64 => 8,
        }
    }

    /// The kind that has as many bytes, and no sign.
    pub(super) fn unsigned(self) -> Self {
        match self {
            Self::Byte => Self::UByte,
            Self::Short => Self::UShort,
            Self::Int => Self::UInt,
            Self::Int64 => Self::UInt64,
            other => other,
        }
    }

    /// The value whose bytes these are, the greatest first.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        let word = bytes.iter().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
        match self {
            Self::Byte => f64::from(word as u8 as i8),
            Self::Short => f64::from(word as u16 as i16),
            Self::Int => f64::from(word as u32 as i32),
            Self::Int64 => word as i64 as f64,
            Self::Float => f64::from(f32::from_bits(word as u32)),
            Self::Double => f64::from_bits(word),
            Self::Char | Self::UByte | Self::UShort | Self::UInt | Self::UInt64 => word as f64,
        }
    }

    /// What the library fills a variable with; none of bytes, of which all mean something.
    pub(super) fn fill(self) -> Option<f64> {
        Some(match self {
            Self::Short => -32767.0,
            Self::Int => -2_147_483_647.0,
            Self::Float | Self::Double => f64::from(f32::from_bits(0x7cf0_0000)),
            Self::UShort => 65535.0,
            Self::UInt => 4_294_967_295.0,
            Self::Int64 => -9_223_372_036_854_775_806.0,
            Self::UInt64 => 18_446_744_073_709_551_614.0,
            Self::Byte | Self::Char | Self::UByte => return None,
        })
    }
}

/// An attribute of a variable.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    name: String,
    kind: Kind,
    bytes: Vec<u8>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Places of its dimensions in the list of all, the slowest first.
    pub(super) dimensions: Vec<usize>,
    attributes: Vec<Attribute>,
    pub(super) kind: Kind,
    /// Where it begins.
    pub(super) begin: u64,
}

impl Variable {
    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The text of an attribute.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let found = self.attribute(name).filter(|attribute| attribute.kind == Kind::Char)?;
        Some(String::from_utf8_lossy(&found.bytes).trim_end_matches('\0').to_owned())
    }

    /// The numbers of an attribute, none if it is not there; those of bytes without sign if so
    /// asked.
    pub(super) fn numbers(&self, name: &str, is_unsigned: bool) -> Vec<f64> {
        let found = self.attribute(name).filter(|attribute| attribute.kind != Kind::Char);
        let Some(Attribute { kind, bytes, .. }) = found else { return Vec::new() };
        let kind = if is_unsigned { kind.unsigned() } else { *kind };
        bytes.chunks_exact(kind.bytes()).map(|value| kind.value(value)).collect()
    }
}

/// What is in a file.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Names and lengths.
    pub(super) dimensions: Vec<(String, u64)>,
    /// Which of them grows record by record.
    pub(super) record: Option<usize>,
    pub(super) variables: Vec<Variable>,
    /// Bytes from a record to the next.
    pub(super) record_bytes: u64,
    /// Bytes of the file.
    pub(super) length: u64,
}

/// The header on its way.
struct Parser {
    file: BufReader<File>,
    /// The version: 1, 2 or 5.
    version: u8,
    /// Bytes that are left.
    left: u64,
}

impl Header {
    /// That of `file`.
    pub(super) fn read(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut parser = Parser { file: BufReader::new(file), version: 1, left: length };
        let start = parser.bytes(4)?;
        parser.version = start[3];
        let records = parser.number()?;
        let mut record = None;
        let count = parser.list(DIMENSION)?;
        let mut dimensions = Vec::new();
        for place in 0..count {
            let (name, length) = (parser.text()?, parser.number()?);
            if length == 0 && record.replace(place as usize).is_some() {
                return Err(damaged("two dimensions have records"));
            }
            dimensions.push((name, length));
        }
        parser.attributes()?;
        let count = parser.list(VARIABLE)?;
        let mut variables = Vec::new();
        for _ in 0..count {
            variables.push(parser.variable(dimensions.len())?);
        }
        let mut header = Self { dimensions, record, variables, record_bytes: 0, length };
        header.record_bytes = header.record_size()?;
        if let Some(place) = record {
            let is_counted = records != u64::from(u32::MAX) && records != u64::MAX;
            let records = if is_counted { records } else { header.records_there() };
            header.dimensions[place].1 = records;
        }
        header.check()?;
        Ok(header)
    }

    /// Whether a variable has records.
    pub(super) fn has_records(&self, variable: &Variable) -> bool {
        variable.dimensions.first().is_some_and(|place| Some(*place) == self.record)
    }

    /// Values of a variable, or of one of its records.
    pub(super) fn values(&self, variable: &Variable) -> io::Result<u64> {
        let skipped = usize::from(self.has_records(variable));
        let mut lengths = variable.dimensions[skipped..].iter();
        let values =
            lengths.try_fold(1u64, |all, &place| all.checked_mul(self.dimensions[place].1));
        let bytes = values.and_then(|values| values.checked_mul(variable.kind.bytes() as u64));
        match (values, bytes) {
            (Some(values), Some(_)) => Ok(values),
            _ => Err(damaged(format!("the variable {} is endless", variable.name))),
        }
    }

    /// Bytes from a record to the next: those of all variables, each filled up to a multiple of 4
    /// unless it is the only one.
    fn record_size(&self) -> io::Result<u64> {
        let with = self.variables.iter().filter(|variable| self.has_records(variable));
        let mut sizes = Vec::new();
        for variable in with {
            sizes.push(self.values(variable)? * variable.kind.bytes() as u64);
        }
        if let [only] = sizes[..] {
            return Ok(only);
        }
        let add = |all: u64, size: &u64| all.checked_add(size.checked_next_multiple_of(4)?);
        let total = sizes.iter().try_fold(0, add);
        total.ok_or_else(|| damaged("its records are endless"))
    }

    /// Records for which the file has room.
    fn records_there(&self) -> u64 {
        let with = self.variables.iter().filter(|variable| self.has_records(variable));
        let first = with.map(|variable| variable.begin).min().unwrap_or(self.length);
        self.length.saturating_sub(first).checked_div(self.record_bytes).unwrap_or(0)
    }

    /// Refuses a file that is shorter than its variables.
    fn check(&self) -> io::Result<()> {
        for variable in &self.variables {
            if variable.dimensions.iter().skip(1).any(|place| Some(*place) == self.record) {
                return Err(damaged(format!("the records of {} are no first", variable.name)));
            }
            let bytes = self.values(variable)? * variable.kind.bytes() as u64;
            let records = if self.has_records(variable) {
                self.dimensions[variable.dimensions[0]].1
            } else {
                1
            };
            let Some(more) = records.checked_sub(1) else { continue };
            let end = more
                .checked_mul(self.record_bytes)
                .and_then(|before| before.checked_add(bytes)?.checked_add(variable.begin));
            if end.is_none_or(|end| end > self.length) {
                let (name, length) = (&variable.name, self.length);
                let end = end.map_or_else(|| "no".to_owned(), |end| end.to_string());
                return Err(damaged(format!("{name} ends at byte {end} of {length}")));
            }
        }
        Ok(())
    }
}

impl Parser {
    /// The next bytes, which are held against what is left first.
    fn bytes(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let left = self.left.checked_sub(count);
        self.left = left.ok_or_else(|| damaged("its header goes on after its end"))?;
        let mut bytes = vec![0; count as usize];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A number of so many bytes.
    fn wide(&mut self, bytes: u64) -> io::Result<u64> {
        let bytes = self.bytes(bytes)?;
        Ok(bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    /// A tag or the code of a kind.
    fn word(&mut self) -> io::Result<u64> {
        self.wide(4)
    }

    /// A count or a size.
    fn number(&mut self) -> io::Result<u64> {
        self.wide(if self.version == 5 { 8 } else { 4 })
    }

    /// So many bytes, filled up to a multiple of 4.
    fn padded(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let padded = count.checked_next_multiple_of(4);
        let mut bytes = self.bytes(padded.ok_or_else(|| damaged("an endless attribute"))?)?;
        bytes.truncate(count as usize);
        Ok(bytes)
    }

    fn text(&mut self) -> io::Result<String> {
        let count = self.number()?;
        let bytes = self.padded(count)?;
        String::from_utf8(bytes).map_err(|_| damaged("a name is not UTF-8"))
    }

    /// The count of a list with this tag.
    fn list(&mut self, tag: u64) -> io::Result<u64> {
        let (found, count) = (self.word()?, self.number()?);
        // Each member takes some bytes.
        let is_list = found == tag || found == 0 && count == 0;
        if !is_list || count > self.left {
            return Err(damaged(format!("a list of {count} of kind {found}")));
        }
        Ok(count)
    }

    fn attributes(&mut self) -> io::Result<Vec<Attribute>> {
        let count = self.list(ATTRIBUTE)?;
        let mut attributes = Vec::new();
        for _ in 0..count {
            let name = self.text()?;
            let (kind, values) = (Kind::of(self.word()?)?, self.number()?);
            let bytes = values.checked_mul(kind.bytes() as u64);
            let bytes = self.padded(bytes.ok_or_else(|| damaged("an endless attribute"))?)?;
            attributes.push(Attribute { name, kind, bytes });
        }
        Ok(attributes)
    }

    fn variable(&mut self, dimensions: usize) -> io::Result<Variable> {
        let (name, count) = (self.text()?, self.number()?);
        if count > self.left {
            return Err(damaged(format!("the variable {name} has {count} dimensions")));
        }
        let mut places = Vec::new();
        for _ in 0..count {
            let place = self.number()? as usize;
            if place >= dimensions {
                return Err(damaged(format!("the variable {name} has the dimension {place}")));
            }
            places.push(place);
        }
        let attributes = self.attributes()?;
        let kind = Kind::of(self.word()?)?;
        // Its size, which its dimensions tell.
        self.number()?;
        let begin = self.wide(if self.version == 1 { 4 } else { 8 })?;
        Ok(Variable { name, dimensions: places, attributes, kind, begin })
    }
}
