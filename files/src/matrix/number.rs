//! Numbers in text: read with what is wrong with them, and spelled as short as they can be.

use std::fmt::Write as _;
use std::path::Path;

use tegula_kernels::element::{Element, half_from_f64, half_to_f64};

use crate::csv::Decimal;
use crate::csv::cell::{Cell, push_number};
use crate::source::SourceError;
pub(super) use crate::text::shortened as shown;

/// The number that `text` stands for, or what is wrong with it.
pub(super) fn parse(text: &str, decimal: Decimal) -> Result<f64, String> {
    match Cell::parse(text, decimal) {
        Cell::Number(number) => Ok(number),
        Cell::Missing if text.trim().is_empty() => {
            Err("a value is missing: fill it in, or leave out its row and column".to_owned())
        }
        Cell::Missing => Err(format!(
            "'{}' is a missing value: fill it in, or leave out its row and column",
            shown(text)
        )),
        Cell::Infinite => Err(format!("'{}' is not finite: correct it", shown(text))),
        Cell::Text => Err(format!("'{}' is not a number: correct it", shown(text))),
    }
}

/// Whether `text` is a finite number.
pub(super) fn is_number(text: &str) -> bool {
    matches!(Cell::parse(text, Decimal::Point), Cell::Number(_))
}

/// Whether `text` is a number, or a word for one that is missing or infinite.
pub(super) fn is_like_number(text: &str) -> bool {
    Cell::parse(text, Decimal::Point).is_numeric()
}

/// Appends the shortest decimal that reads back as the number in `stored`, one of the kind
/// `element` in the byte order of this machine; answers whether it is finite.
pub(super) fn spell(text: &mut String, element: Element, stored: &[u8]) -> bool {
    // Writing into a String cannot fail.
    match element {
        Element::U64 => {
            let _ = write!(text, "{}", u64::from_ne_bytes(fixed(stored)));
        }
        Element::I64 => {
            let _ = write!(text, "{}", i64::from_ne_bytes(fixed(stored)));
        }
        Element::F32 => {
            let number = f32::from_ne_bytes(fixed(stored));
            let start = text.len();
            let _ = write!(text, "{number:?}");
            if text[start..].ends_with(".0") {
                text.truncate(text.len() - 2);
            }
            return number.is_finite();
        }
        _ => {
            let mut number = [0.0];
            element.widen(stored, &mut number);
            let number = if element == Element::F16 { short_half(number[0]) } else { number[0] };
            push_number(text, number, Decimal::Point);
            return number.is_finite();
        }
    }
    true
}

/// The error of an entry that text cannot give back.
pub(super) fn not_finite(path: &Path, row: usize, column: usize) -> SourceError {
    let reason = format!(
        "row {}, column {}: the entry is no finite number, and text would not give it back: correct it first",
        row + 1,
        column + 1
    );
    SourceError::invalid(path, reason)
}

fn fixed<const N: usize>(stored: &[u8]) -> [u8; N] {
    stored.try_into().expect("as many bytes as the number has")
}

/// The number with the fewest digits that rounds to the binary16 number `x`.
fn short_half(x: f64) -> f64 {
    let bits = half_from_f64(x);
    // Five digits tell all binary16 numbers apart.
    let rounded = (0..5).filter_map(|digits| format!("{x:.digits$e}").parse::<f64>().ok());
    let mut fitting = rounded.filter(|&number| half_from_f64(number) == bits);
    debug_assert!(x.is_nan() || half_to_f64(bits) == x, "{x} is no binary16 number");
    fitting.next().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_shortly_and_read_back() {
        let numbers = [0.0, 1.0, 0.1, 2.5, 1e-7, 3313.0, 65_504.0, 6e-8, -17.25];
        for element in [Element::F16, Element::F32, Element::F64] {
            for number in numbers {
                let mut stored = vec![0; element.bytes()];
                element.narrow(&[number], &mut stored);
                let mut text = String::new();
                assert!(spell(&mut text, element, &stored));
                let mut back = vec![0; element.bytes()];
                element.narrow(&[text.parse().expect("a number")], &mut back);
                assert_eq!(back, stored, "{number} as {element:?}: {text}");
                assert!(text.len() <= 7 && !text.ends_with(".0"), "{text}");
            }
        }
        let mut text = String::new();
        assert!(spell(&mut text, Element::U64, &u64::MAX.to_ne_bytes()));
        assert_eq!(text, "18446744073709551615");
        assert!(!spell(&mut text, Element::F32, &f32::NAN.to_ne_bytes()));
    }

    #[test]
    fn every_half_is_spelled() {
        for bits in 0..=u16::MAX {
            let x = half_to_f64(bits);
            if x.is_finite() {
                assert_eq!(half_from_f64(short_half(x)), bits, "{x}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_told_apart() {
        let says = |text, words: &str| {
            let reason = parse(text, Decimal::Point).expect_err("no number");
            assert!(reason.contains(words), "'{words}' in: {reason}");
        };
        says(" ", "missing");
        says("NA", "'NA' is a missing value");
        says("inf", "not finite");
        says("1,5", "'1,5' is not a number");
        says(&"x".repeat(100), "xxx...'");
        assert_eq!(parse("1,5", Decimal::Comma), Ok(1.5));
    }
}
