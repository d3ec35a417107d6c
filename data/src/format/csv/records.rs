//! The rows of a table as texts, each with the line on which it begins.

use std::io::Read;
use std::path::PathBuf;

use sha2::Sha256;

use super::dialect::Delimiter;
use super::input::Input;
use crate::format::error::TableError;

/// Rows of a file, cut at a delimiter; comments and blank rows left out.
pub(in crate::format) struct Records<R> {
    reader: ::csv::Reader<Input<R>>,
    record: ::csv::ByteRecord,
    path: PathBuf,
}

/// One row.
#[derive(Clone, Copy)]
pub(in crate::format) struct Row<'a> {
    /// Line on which the row begins, counted from 1.
    pub(in crate::format) line: u64,
    record: &'a ::csv::ByteRecord,
    text: &'a str,
}

impl<'a> Row<'a> {
    /// How many cells the row has.
    pub(in crate::format) fn len(self) -> usize {
        self.record.len()
    }

    /// The cells from left to right, as they stand, without the quotes around them.
    pub(in crate::format) fn cells(self) -> impl Iterator<Item = &'a str> {
        (0..self.record.len()).map(move |cell| {
            let range = self.record.range(cell).expect("the cell lies in the row");
            &self.text[range]
        })
    }
}

impl<R: Read> Records<R> {
    pub(in crate::format) fn new(path: PathBuf, reader: R, delimiter: Delimiter) -> Self {
        let input = Input::new(reader, delimiter == Delimiter::Blanks);
        let reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .delimiter(delimiter.byte())
            .buffer_capacity(1 << 16)
            .from_reader(input);
        Self { reader, record: ::csv::ByteRecord::new(), path }
    }

    /// The next row that holds anything, or `None` at the end.
    ///
    /// # Errors
    /// When reading fails, a row is not UTF-8, or a quote stays open to the end of the file.
    pub(in crate::format) fn next(&mut self) -> Result<Option<Row<'_>>, TableError> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return Err(self.failure(error)),
            }
            if self.record.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                break;
            }
        }
        let line = self.line_of_record();
        if self.ends_in_open_quote() {
            // The very last line end belongs to the cell here, not to the row.
            return Err(TableError::UnclosedQuote { path: self.path.clone(), line: line + 1 });
        }
        match self.text() {
            Some(text) => Ok(Some(Row { line, record: &self.record, text })),
            None => Err(TableError::NotUtf8 {
                path: self.path.clone(),
                line,
                hint: encoding_hint(self.record.as_slice()),
            }),
        }
    }

    /// The cells of the present row end to end, if each of them is UTF-8.
    fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.record.as_slice()).ok()?;
        let cut_within_a_character = !text.is_ascii()
            && (0..self.record.len()).any(|cell| {
                let range = self.record.range(cell).expect("the cell lies in the row");
                !text.is_char_boundary(range.start)
            });
        (!cut_within_a_character).then_some(text)
    }

    /// The digest of the bytes read so far: of the whole file once [`Records::next`] has returned `None`.
    pub(in crate::format) fn into_hasher(self) -> Sha256 {
        self.reader.into_inner().into_hasher()
    }

    /// The splitter stands behind the line end of the present row, which may hold further line ends in quotes. (The
    /// position that the record itself carries is that of the comments and blank lines before it.)
    fn line_of_record(&self) -> u64 {
        let inner = self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.reader.position().line() - 1 - inner
    }

    /// A quote that is never closed swallows everything up to the line end at the very end of the input.
    fn ends_in_open_quote(&self) -> bool {
        let swallowed = self.record.iter().next_back().is_some_and(|cell| cell.ends_with(b"\n"));
        swallowed && self.reader.get_ref().ends_unquoted_at(self.reader.position().byte())
    }

    fn failure(&self, error: ::csv::Error) -> TableError {
        let cause = match error.into_kind() {
            ::csv::ErrorKind::Io(cause) => cause,
            other => std::io::Error::other(format!("{other:?}")),
        };
        TableError::Read { path: self.path.clone(), cause }
    }
}

/// What bytes that are not UTF-8 probably are.
fn encoding_hint(bytes: &[u8]) -> &'static str {
    let zeros = bytes.iter().filter(|&&byte| byte == 0).count();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || zeros * 3 > bytes.len() {
        " (it looks like UTF-16)"
    } else {
        ""
    }
}
