//! Rows of a table as bytes: numbers in their shortest spelling, texts quoted where that is needed.

use std::io::{self, Write};

/// Bytes that are gathered before they are handed on.
const BATCH: usize = 1 << 15;

/// How a table separates its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Commas; texts are quoted where they would not read back otherwise.
    Csv,
    /// Tabs and no quotes: texts must not hold any tab or line end.
    Tabs,
}

/// Writes rows to `out`, many at a time and without an allocation for each cell.
pub(super) struct Rows<'a> {
    out: &'a mut dyn Write,
    style: Style,
    batch: Vec<u8>,
    is_fresh: bool,
}

impl<'a> Rows<'a> {
    /// A table without rows.
    pub(super) fn new(out: &'a mut dyn Write, style: Style) -> Self {
        Self { out, style, batch: Vec::with_capacity(2 * BATCH), is_fresh: true }
    }

    /// Appends a text.
    pub(super) fn text(&mut self, text: &str) {
        self.separate();
        if self.style == Style::Tabs || !needs_quotes(text) {
            self.batch.extend_from_slice(text.as_bytes());
            return;
        }
        self.batch.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                self.batch.push(b'"');
            }
            self.batch.push(byte);
        }
        self.batch.push(b'"');
    }

    /// Appends a cell that holds nothing.
    pub(super) fn nothing(&mut self) {
        self.separate();
    }

    /// Appends the shortest decimal spelling that reads back as exactly `value`.
    pub(super) fn number(&mut self, value: f64) {
        self.spelling(ryu::Buffer::new().format(value));
    }

    /// Appends the shortest decimal spelling that reads back, in single precision, as exactly
    /// `value`.
    pub(super) fn single(&mut self, value: f32) {
        self.spelling(ryu::Buffer::new().format(value));
    }

    /// Appends `value`, or nothing.
    pub(super) fn number_or_nothing(&mut self, value: Option<f64>) {
        match value {
            Some(value) => self.number(value),
            None => self.nothing(),
        }
    }

    /// Appends a count.
    pub(super) fn count(&mut self, count: usize) {
        self.separate();
        self.batch.extend_from_slice(count.to_string().as_bytes());
    }

    /// Ends the row.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.batch.push(b'\n');
        self.is_fresh = true;
        if self.batch.len() >= BATCH {
            self.out.write_all(&self.batch)?;
            self.batch.clear();
        }
        Ok(())
    }

    /// Hands everything on.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.batch)
    }

    fn spelling(&mut self, spelling: &str) {
        self.separate();
        let short = spelling.strip_suffix(".0").unwrap_or(spelling);
        self.batch.extend_from_slice(short.as_bytes());
    }

    fn separate(&mut self) {
        if !self.is_fresh {
            self.batch.push(if self.style == Style::Csv { b',' } else { b'\t' });
        }
        self.is_fresh = false;
    }
}

/// Whether a CSV reader would take `text` for something else: several cells, a comment, a blank
/// row, a missing value.
fn needs_quotes(text: &str) -> bool {
    let is_special = |byte| matches!(byte, b',' | b'"' | b'\n' | b'\r' | b'\t' | b';');
    let has_blank_end =
        text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    text.is_empty() || text.starts_with('#') || has_blank_end || text.bytes().any(is_special)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(style: Style, fill: impl FnOnce(&mut Rows<'_>)) -> String {
        let mut out = Vec::new();
        let mut rows = Rows::new(&mut out, style);
        fill(&mut rows);
        rows.end().unwrap();
        rows.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short_and_read_back() {
        for (value, text) in [
            (1.0, "1\n"),
            (-0.0, "-0\n"),
            (0.1, "0.1\n"),
            (1.0 / 3.0, "0.3333333333333333\n"),
            (1e300, "1e300\n"),
            (-5e-324, "-5e-324\n"),
        ] {
            let spelled = written(Style::Csv, |rows| rows.number(value));
            assert_eq!(spelled, text);
            assert_eq!(spelled.trim().parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert_eq!(written(Style::Csv, |rows| rows.single(0.1)), "0.1\n");
    }

    #[test]
    fn texts_are_quoted_where_needed() {
        let row = written(Style::Csv, |rows| {
            for text in ["plain", "", "a,b", "say \"x\"", "#1", " a", "two\nlines", "Éa"] {
                rows.text(text);
            }
            rows.nothing();
            rows.count(7);
        });
        assert_eq!(
            row,
            "plain,\"\",\"a,b\",\"say \"\"x\"\"\",\"#1\",\" a\",\"two\nlines\",Éa,,7\n"
        );
        let row = written(Style::Tabs, |rows| {
            rows.text("a,b");
            rows.number(2.5);
        });
        assert_eq!(row, "a,b\t2.5\n");
    }
}
