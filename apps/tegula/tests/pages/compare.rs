//! Compares what a page quotes with what a command prints.
//!
//! Words are equal. Numbers agree to 0.2 %, or to one in their last digit: the last digits depend
//! on the machine. Times, rates and bytes are not compared. `...` stands for anything: at the end
//! of a line for the rest of it, alone on a line for any lines.

/// Relative difference of two numbers up to which they are the same.
const TOLERANCE: f64 = 2e-3;

/// Units of what depends on the machine.
const MEASURED: [&str; 20] = [
    "s", "ms", "us", "µs", "ns", "min", "h", "KiB", "MiB", "GiB", "B", "kB", "MB", "GB", "bytes",
    "workers", "Gflop/s", "GFLOP/s", "MiB/s", "GB/s",
];

/// What of `printed` is not as `quoted` says, if anything is not.
pub(crate) fn difference(quoted: &str, printed: &str) -> Option<String> {
    let tidy = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (quoted, printed) = (tidy(quoted.trim()), tidy(printed.trim()));
    // Blank lines are no content, nor is progress, which slow runs show.
    let is_content =
        |line: &String| !line.is_empty() && !line.ends_with(" so far") && !line.ends_with(" left");
    let content = |lines: Vec<String>| lines.into_iter().filter(is_content).collect();
    let (quoted, printed): (Vec<String>, Vec<String>) = (content(quoted), content(printed));
    let mut at = 0;
    let mut may_skip = false;
    for line in &quoted {
        if line.trim() == "..." {
            may_skip = true;
            continue;
        }
        let last = if may_skip { printed.len() } else { printed.len().min(at + 1) };
        let Some(found) = (at..last).find(|&candidate| same_line(line, &printed[candidate])) else {
            let there = printed.get(at).map_or("the end", String::as_str);
            return Some(format!("quoted:  {line}\nprinted: {there}"));
        };
        at = found + 1;
        may_skip = false;
    }
    (!may_skip && at < printed.len()).then(|| format!("quoted:  the end\nprinted: {}", printed[at]))
}

fn same_line(quoted: &str, printed: &str) -> bool {
    let quoted: Vec<&str> = quoted.split_whitespace().collect();
    let printed: Vec<&str> = printed.split_whitespace().collect();
    for (at, word) in quoted.iter().enumerate() {
        if *word == "..." && at + 1 == quoted.len() {
            return true;
        }
        let Some(other) = printed.get(at) else { return false };
        let next = quoted.get(at + 1).copied().unwrap_or_default();
        let are_units = is_unit(word) && is_unit(other);
        if !are_units && !same_word(word, other, is_unit(next)) {
            return false;
        }
    }
    quoted.len() == printed.len()
}

/// Whether the word is the unit of what depends on the machine; one run may take ms, another s.
fn is_unit(word: &str) -> bool {
    MEASURED.contains(&word.trim_matches(['(', ')', ',', ';', '.']))
}

/// A piece of a word.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    /// A number as written.
    Number(&'a str),
}

/// The numbers of `word` and what stands between them.
fn pieces(word: &str) -> Vec<Piece<'_>> {
    let bytes = word.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut pieces, mut start, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        // Digits within a name, as in axis1, are text.
        let is_in_name = at > 0 && (bytes[at - 1].is_ascii_alphabetic() || bytes[at - 1] == b'_');
        if !is_digit(at) || is_in_name {
            at += 1;
            while is_in_name && is_digit(at) {
                at += 1;
            }
            continue;
        }
        let first = at - usize::from(at > 0 && bytes[at - 1] == b'-');
        while is_digit(at) || (bytes.get(at) == Some(&b'.') && is_digit(at + 1)) {
            at += 1;
        }
        if bytes.get(at) == Some(&b'e') {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
            if is_digit(at + 1 + sign) {
                at += 1 + sign;
                while is_digit(at) {
                    at += 1;
                }
            }
        }
        if start < first {
            pieces.push(Piece::Text(&word[start..first]));
        }
        pieces.push(Piece::Number(&word[first..at]));
        start = at;
    }
    if start < word.len() {
        pieces.push(Piece::Text(&word[start..]));
    }
    pieces
}

fn same_word(quoted: &str, printed: &str, is_measured: bool) -> bool {
    let (quoted, printed) = (pieces(quoted), pieces(printed));
    quoted.len() == printed.len()
        && quoted.iter().zip(&printed).all(|pair| match pair {
            (Piece::Number(quoted), Piece::Number(printed)) => {
                is_measured || same_number(quoted, printed)
            }
            (quoted, printed) => quoted == printed,
        })
}

/// One in the last digit of a number as written.
fn last_digit(number: &str) -> f64 {
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let exponent: i32 = exponent.parse().unwrap_or(0);
    10f64.powi(exponent - i32::try_from(decimals).unwrap_or(0))
}

fn same_number(quoted: &str, printed: &str) -> bool {
    let (Ok(a), Ok(b)) = (quoted.parse::<f64>(), printed.parse::<f64>()) else {
        return quoted == printed;
    };
    let allowed = (TOLERANCE * a.abs()).max(1.001 * last_digit(quoted));
    (a - b).abs() <= allowed
}

#[test]
fn differences_are_seen_and_measurements_are_not() {
    let printed = "data  5 rows\n\nrange = 169.798 in 36.4 ms\nend\n";
    for quoted in
        ["data 5 rows\nrange = 169.801 in 2 s\nend", "data ...\n...\nend", "...", "...\nend"]
    {
        assert_eq!(difference(quoted, printed), None, "{quoted}");
    }
    for quoted in [
        "data 7 rows\nrange = 169.798 in 36.4 ms\nend",
        "data 5 rows\nrange = 170.3 in 36.4 ms\nend",
        "data 5 rows\nend",
        "data 5 rows\nrange = 169.798 in 36.4 ms",
        "data 5 rows ...\nrange = 169.798 in 36.4 rows\nend",
        "...\nno such line\n...",
    ] {
        assert!(difference(quoted, printed).is_some(), "{quoted}");
    }
}

#[test]
fn words_fall_into_numbers_and_text() {
    use Piece::{Number, Text};
    assert_eq!(pieces("x=-1.5e-3,"), [Text("x="), Number("-1.5e-3"), Text(",")]);
    assert_eq!(pieces("axis12"), [Text("axis12")]);
    assert_eq!(pieces("12e"), [Number("12"), Text("e")]);
    assert_eq!(pieces("1.2.3."), [Number("1.2.3"), Text(".")]);
}
