//! Lines of a trace file, and the fields in them.

use std::borrow::Cow;
use std::io::BufRead;

use super::ReadError;

/// Most bytes of a line: what is longer is no trace.
const MOST_BYTES: u64 = 1 << 16;

/// Lines that are read one after the other.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The next line without its end.
    pub(super) fn next(&mut self) -> Result<&[u8], ReadError> {
        self.line.clear();
        self.number += 1;
        let mut input = std::io::Read::take(&mut self.input, MOST_BYTES);
        input.read_until(b'\n', &mut self.line)?;
        if self.line.last() != Some(&b'\n') {
            let is_long = self.line.len() as u64 == MOST_BYTES;
            return Err(self.fail(if is_long {
                "the line is too long for a trace"
            } else {
                "the file ends here: it was cut off"
            }));
        }
        self.line.pop();
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(&self.line)
    }

    /// The next line in its fields.
    pub(super) fn fields(&mut self) -> Result<Fields<'_>, ReadError> {
        self.next()?;
        Ok(Fields { rest: Some(&self.line), number: self.number, field: 0 })
    }

    /// That the current line is wrong.
    pub(super) fn fail(&self, what: impl Into<String>) -> ReadError {
        ReadError::Content { line: self.number, what: what.into() }
    }
}

/// Fields of a line that are read one after the other.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    number: usize,
    field: usize,
}

impl<'a> Fields<'a> {
    /// The next field, as it stands.
    pub(super) fn plain(&mut self) -> Result<&'a [u8], ReadError> {
        self.field += 1;
        let Some(rest) = self.rest else { return Err(self.fail("is missing")) };
        let end = rest.iter().position(|&byte| byte == b',');
        let (field, rest) = end.map_or((rest, None), |end| (&rest[..end], Some(&rest[end + 1..])));
        self.rest = rest;
        Ok(field)
    }

    /// The next field as text, which may stand in quotes.
    pub(super) fn text(&mut self) -> Result<Cow<'a, str>, ReadError> {
        let Some(inside) = self.rest.and_then(|rest| rest.strip_prefix(b"\"")) else {
            let plain = self.plain()?;
            let text = std::str::from_utf8(plain).map_err(|_| self.fail("is not UTF-8"))?;
            return Ok(Cow::Borrowed(text));
        };
        self.field += 1;
        let mut text = Vec::new();
        let mut at = 0;
        loop {
            match (inside.get(at), inside.get(at + 1)) {
                (Some(b'"'), Some(b'"')) => at += 1,
                (Some(b'"'), Some(b',')) => break self.rest = Some(&inside[at + 2..]),
                (Some(b'"'), None) => break self.rest = None,
                (Some(b'"'), Some(_)) | (None, _) => return Err(self.fail("has a stray quote")),
                (Some(_), _) => {}
            }
            text.push(inside[at]);
            at += 1;
        }
        let text = String::from_utf8(text).map_err(|_| self.fail("is not UTF-8"))?;
        Ok(Cow::Owned(text))
    }

    /// The next field as a whole number.
    pub(super) fn number<T: TryFrom<i128>>(&mut self) -> Result<T, ReadError> {
        let plain = self.plain()?;
        let value = parse(plain).and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| {
            let shown = String::from_utf8_lossy(&plain[..plain.len().min(40)]);
            self.fail(&format!("is '{shown}', not a number that can stand there"))
        })
    }

    /// The next field as a number below `limit`, which counts things called `what`.
    pub(super) fn index(&mut self, limit: usize, what: &str) -> Result<usize, ReadError> {
        let index: usize = self.number()?;
        if index < limit {
            return Ok(index);
        }
        Err(self.fail(&format!("names {what} {index}, and the file lists {limit}")))
    }

    /// The next field as a number, or nothing.
    pub(super) fn optional(&mut self) -> Result<Option<u64>, ReadError> {
        if self.rest.is_some_and(|rest| rest.is_empty() || rest[0] == b',') {
            return self.plain().map(|_| None);
        }
        self.number().map(Some)
    }

    /// Refuses more fields.
    pub(super) fn finish(&self) -> Result<(), ReadError> {
        match self.rest {
            None => Ok(()),
            Some(_) => Err(ReadError::Content {
                line: self.number,
                what: format!("there is more than {} fields", self.field),
            }),
        }
    }

    /// That the field which was read last is wrong.
    pub(super) fn fail(&self, what: &str) -> ReadError {
        let what = format!("field {} {what}", self.field);
        ReadError::Content { line: self.number, what }
    }
}

/// A whole number in decimal digits, with a sign at most.
fn parse(text: &[u8]) -> Option<i128> {
    let (digits, is_negative) =
        text.strip_prefix(b"-").map_or((text, false), |digits| (digits, true));
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut value = 0u128;
    for &digit in digits {
        value = 10 * value + u128::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    let value = value as i128;
    Some(if is_negative { -value } else { value })
}

/// `name` as a field: in quotes where it needs them.
pub(super) fn quoted(name: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    let plain: String = name.chars().map(blank).collect();
    if plain.contains([',', '"']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
}
