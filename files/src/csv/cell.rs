//! One cell: a number, a missing value, or text; and the shortest spelling of a number.

use std::fmt::Write as _;

use super::dialect::Decimal;

/// What a cell says when a number is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Number(f64),
    /// Nothing, or one of the words for nothing.
    Missing,
    /// Infinity, or a number beyond double precision.
    Infinite,
    /// Anything else.
    Text,
}

/// Words, beside the empty cell, that stand for a missing value; case counts for nothing.
const MISSING: [&str; 9] = ["na", "n/a", "nan", "-nan", "null", "none", "#n/a", ".", "-"];

impl Cell {
    /// Reads `text`, whatever blanks surround it.
    pub(crate) fn parse(text: &str, decimal: Decimal) -> Self {
        let text = text.trim();
        let parsed = match decimal {
            Decimal::Point => text.parse::<f64>().ok(),
            Decimal::Comma => parse_with_comma(text),
        };
        match parsed {
            Some(value) if value.is_finite() => Self::Number(value),
            Some(value) if value.is_infinite() => Self::Infinite,
            _ if text.is_empty() || MISSING.iter().any(|word| text.eq_ignore_ascii_case(word)) => {
                Self::Missing
            }
            _ => Self::Text,
        }
    }

    /// Whether a column of numbers could hold this cell.
    pub(crate) fn is_numeric(self) -> bool {
        !matches!(self, Self::Text)
    }
}

/// A number whose fraction stands after a comma; a point in it, or a comma at its end, makes it no
/// number.
fn parse_with_comma(text: &str) -> Option<f64> {
    const LONGEST: usize = 64;
    let mut buffer = [0; LONGEST];
    let bytes = text.as_bytes();
    if bytes.len() > LONGEST || bytes.contains(&b'.') || bytes.ends_with(b",") {
        return None;
    }
    for (to, &from) in buffer.iter_mut().zip(bytes) {
        *to = if from == b',' { b'.' } else { from };
    }
    std::str::from_utf8(&buffer[..bytes.len()]).ok()?.parse().ok()
}

/// Appends the shortest decimal spelling that reads back as exactly `value`; a NaN, which is a
/// missing value, as `NA`.
pub(crate) fn push_number(line: &mut String, value: f64, decimal: Decimal) {
    if value.is_nan() {
        line.push_str("NA");
        return;
    }
    let start = line.len();
    // Writing into a String cannot fail. The Debug form is the shortest that reads back, with an
    // exponent where the number is very large or small.
    let _ = write!(line, "{value:?}");
    if line.ends_with(".0") {
        line.truncate(line.len() - 2);
    }
    if decimal == Decimal::Comma
        && let Some(point) = line[start..].find('.')
    {
        line.replace_range(start + point..=start + point, ",");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_missing_values_and_text() {
        for (text, cell) in [
            ("1.5", Cell::Number(1.5)),
            (" -2e-3 ", Cell::Number(-0.002)),
            ("+7", Cell::Number(7.0)),
            (".5", Cell::Number(0.5)),
            ("", Cell::Missing),
            ("  ", Cell::Missing),
            ("NA", Cell::Missing),
            ("NaN", Cell::Missing),
            ("nan", Cell::Missing),
            ("null", Cell::Missing),
            (".", Cell::Missing),
            ("-", Cell::Missing),
            ("inf", Cell::Infinite),
            ("-Infinity", Cell::Infinite),
            ("1e999", Cell::Infinite),
            ("1,5", Cell::Text),
            ("12 m", Cell::Text),
            ("--", Cell::Text),
        ] {
            assert_eq!(Cell::parse(text, Decimal::Point), cell, "{text:?}");
        }
        assert_eq!(Cell::parse("1,5", Decimal::Comma), Cell::Number(1.5));
        assert_eq!(Cell::parse("-1,5e3", Decimal::Comma), Cell::Number(-1500.0));
        assert_eq!(Cell::parse("7", Decimal::Comma), Cell::Number(7.0));
        for text in ["1.5", "1.234,5", "1,2,3", "1,,5", "1,", &"1".repeat(65)] {
            assert_eq!(Cell::parse(text, Decimal::Comma), Cell::Text, "{text:?}");
        }
    }

    #[test]
    fn spelling_is_shortest_and_reads_back() {
        for (value, text) in [
            (1.0, "1"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
            (f64::NAN, "NA"),
        ] {
            let mut line = String::from("0.5;");
            push_number(&mut line, value, Decimal::Point);
            assert_eq!(line, format!("0.5;{text}"));
        }
        let mut line = String::from("0.5;");
        push_number(&mut line, -1.25, Decimal::Comma);
        assert_eq!(line, "0.5;-1,25");
    }
}
