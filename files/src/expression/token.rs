//! An expression cut into numbers, names and signs.

use super::error::{ParseError, Span};

/// The least piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A number.
    Number(f64),
    /// A name.
    Name {
        /// The name.
        name: String,
        /// Whether it stood in backquotes.
        quoted: bool,
    },
    /// One of `+ - * / ^ : ( ) , =`.
    Sign(char),
    /// The end of the text.
    End,
}

/// Cuts `text` into tokens, each with its place; the last is [`Token::End`]. A point by itself is a
/// name.
///
/// # Errors
/// [`ParseError`] at what is neither number, name nor sign.
pub fn tokens(text: &str) -> Result<Vec<(Token, Span)>, ParseError> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let length = match first {
            blank if blank.is_whitespace() => {
                start += blank.len_utf8();
                continue;
            }
            '`' => push_quoted(text, start, &mut found)?,
            '.' if !text[start + 1..].starts_with(is_name_part) => {
                let name = Token::Name { name: ".".to_owned(), quoted: false };
                found.push((name, Span { start, end: start + 1 }));
                1
            }
            '0'..='9' | '.' => push_number(text, start, &mut found)?,
            '+' | '-' | '*' | '/' | '^' | ':' | '(' | ')' | ',' | '=' => {
                found.push((Token::Sign(first), Span { start, end: start + 1 }));
                1
            }
            letter if letter.is_alphabetic() || letter == '_' => {
                let length = extent(&text[start..], is_name_part);
                let name = text[start..start + length].to_owned();
                found.push((
                    Token::Name { name, quoted: false },
                    Span { start, end: start + length },
                ));
                length
            }
            other => {
                let advice = "put the name of a column in backquotes if it holds odd characters";
                let span = Span { start, end: start + other.len_utf8() };
                return Err(ParseError::new(text, span, format!("unexpected '{other}': {advice}")));
            }
        };
        start += length;
    }
    found.push((Token::End, Span { start: text.len(), end: text.len() }));
    Ok(found)
}

/// Names go on with letters, digits, underscores and points.
fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// How many bytes at the start of `text` are characters that `belongs`.
fn extent(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn push_quoted(
    text: &str,
    start: usize,
    found: &mut Vec<(Token, Span)>,
) -> Result<usize, ParseError> {
    let Some(length) = text[start + 1..].find('`') else {
        let span = Span { start, end: start + 1 };
        return Err(ParseError::new(text, span, "this backquote is never closed".to_owned()));
    };
    let name = text[start + 1..start + 1 + length].to_owned();
    let span = Span { start, end: start + length + 2 };
    if name.trim().is_empty() {
        return Err(ParseError::new(
            text,
            span,
            "there is no name between these backquotes".to_owned(),
        ));
    }
    found.push((Token::Name { name, quoted: true }, span));
    Ok(length + 2)
}

fn push_number(
    text: &str,
    start: usize,
    found: &mut Vec<(Token, Span)>,
) -> Result<usize, ParseError> {
    let rest = &text[start..];
    let mut length = extent(rest, |c| c.is_ascii_digit() || c == '.');
    if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = extent(&exponent[sign..], |c| c.is_ascii_digit());
        if digits > 0 {
            length += 1 + sign + digits;
        }
    }
    let tail = extent(&rest[length..], is_name_part);
    let span = Span { start, end: start + length + tail };
    let spelling = &rest[..length];
    match spelling.parse::<f64>() {
        _ if tail > 0 => Err(ParseError::new(
            text,
            span,
            format!(
                "'{}' is neither a number nor a name: write '*' between them, or put a name in backquotes",
                &rest[..length + tail]
            ),
        )),
        Ok(value) if value.is_finite() => {
            found.push((Token::Number(value), span));
            Ok(length)
        }
        Ok(_) => {
            Err(ParseError::new(text, span, format!("'{spelling}' is beyond double precision")))
        }
        Err(_) => Err(ParseError::new(text, span, format!("'{spelling}' is not a number"))),
    }
}
