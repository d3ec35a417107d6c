//! Which form a PHYLIP file has, by its first lines.

use crate::matrix::number::{is_like_number, is_number};
use crate::matrix::stored::Order;

/// Where a name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Where the numbers of the row begin.
    Relaxed,
    /// After ten characters.
    Strict,
}

/// Characters of a strict name.
const STRICT: usize = 10;

impl Names {
    /// The name at the start of `line` and the rest, if that is known without knowing how many
    /// numbers follow.
    pub(super) fn strict(line: &str) -> (&str, &str) {
        let end = line.char_indices().nth(STRICT).map_or(line.len(), |(at, _)| at);
        line.split_at(end)
    }
}

/// The number of rows that the first line gives.
pub(super) fn count(line: &str) -> Option<usize> {
    line.trim().parse().ok()
}

/// Whether a file that begins with `lines` looks like one of these.
pub(in crate::matrix) fn looks_like(lines: &[String]) -> bool {
    let Some((first, rest)) = lines.split_first() else { return false };
    let is_row = |line: &String| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|word| !is_number(word)) || words.next().is_some()
    };
    count(first).is_some_and(|n| n > 0) && !rest.is_empty() && rest.iter().any(is_row)
}

/// Which entries the rows hold, given the number `n` of them and the lines after the first.
pub(super) fn order(n: usize, lines: &[String], names: Names) -> Order {
    let lower = Order::Lower { diagonal: false };
    let Some(first) = lines.first() else { return lower };
    let words = behind(first, names);
    // What stands for numbers, also missing ones; a row of the lower triangle begins with none or
    // one.
    let like = words.iter().filter(|word| is_like_number(word)).count();
    if like == n || like > 1 || (n > 1 && like > 0 && words.len() == n) {
        return Order::Rows;
    }
    if like == 0 {
        return if is_name_alone(n, lines) { lower } else { Order::Rows };
    }
    // A zero on the diagonal, or a name that ends in a number.
    let second = lines.get(1);
    let is_zero =
        |line: &str| behind(line, names).last().is_some_and(|word| word.parse() == Ok(0.0));
    let word = |line: &String| line.split_whitespace().next().map(str::to_owned);
    let same_word = second.is_some_and(|second| word(second) == word(first));
    let diagonal = is_zero(first) && second.is_none_or(|line| is_zero(line)) && !same_word;
    Order::Lower { diagonal }
}

/// Whether the first of `lines`, which holds no number, is a whole row: the second is one then,
/// too.
fn is_name_alone(n: usize, lines: &[String]) -> bool {
    let Some(second) = lines.get(1) else { return n == 1 };
    let mut words = second.split_whitespace();
    let begins_with_number = words.next().is_some_and(is_number);
    // Names that are numbers: a second row has one number after its name.
    !begins_with_number || (words.count() == 1 && (n > 2 || lines.len() == 2))
}

/// The words of `line` behind the first word, or behind a name of ten characters.
fn behind(line: &str, names: Names) -> Vec<&str> {
    match names {
        Names::Relaxed => line.split_whitespace().skip(1).collect(),
        Names::Strict => Names::strict(line).1.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        let lower = |diagonal| Order::Lower { diagonal };
        for (n, lines, expected) in [
            (3, &["a 0 1 2", "b 1 0 3", "c 2 3 0"][..], Order::Rows),
            (3, &["a", "0 1 2", "b"], Order::Rows),
            (3, &["a", "b 1", "c 2 3"], lower(false)),
            (3, &["a 0", "b 1 0", "c 2 3 0"], lower(true)),
            (3, &["1", "2 1", "3 2 3"], lower(false)),
            (2, &["1", "2 1"], lower(false)),
            (2, &["1", "0 1", "2"], Order::Rows),
            (3, &["Sample 1", "Sample 2 5", "Sample 3 6 7"], lower(false)),
            (3, &["Sample 0", "Sample 1 0", "Sample 2 6 7"], lower(false)),
            (1, &["a 0"], Order::Rows),
            (1, &["a"], lower(false)),
            (3, &["Homo sapiens 0 1 2"], Order::Rows),
            (3, &["a 0 x 2", "b x 0 3"], Order::Rows),
            (2, &["a 0 x", "b x 0"], Order::Rows),
            (3, &["a NA NA NA", "b 1 0 3"], Order::Rows),
        ] {
            let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            assert_eq!(order(n, &lines, Names::Relaxed), expected, "{lines:?}");
        }
        let lines = ["Hook_of_Ho0 10 2".to_owned(), "Marseilles10 0 3".to_owned()];
        assert_eq!(order(3, &lines, Names::Strict), Order::Rows);
    }
}
