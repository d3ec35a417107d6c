//! Fortran's formats of numbers in columns of fixed width, such as `(5E16.8)` and `(1P,4D20.12)`.

/// How many numbers stand on a line, and in how many characters each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) per_line: usize,
    pub(super) width: usize,
    /// Digits after a decimal point that is left out.
    pub(super) decimals: usize,
}

impl Format {
    /// The format that `text` says, if it is a repeated whole or real number.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let inner = text.to_ascii_uppercase();
        let inner = inner.strip_prefix('(')?.strip_suffix(')')?;
        let inner = match inner.find('P') {
            Some(at) if inner[..at].parse::<i32>().is_ok() => {
                inner[at + 1..].trim_start_matches(',')
            }
            Some(_) => return None,
            None => inner,
        };
        let (per_line, rest) = leading(inner);
        // As (4(E20.12)): one more pair around it.
        if let Some(group) = rest.strip_prefix('(') {
            let inner = Self::parse(&format!("({}", group))?;
            return Some(Self { per_line: per_line.unwrap_or(1) * inner.per_line, ..inner });
        }
        let letter = rest.chars().next().filter(|letter| "IEDFG".contains(*letter))?;
        let (width, rest) = leading(&rest[1..]);
        let (decimals, rest) = match rest.strip_prefix('.') {
            Some(rest) => leading(rest),
            None => (None, rest),
        };
        let has_exponent_width =
            rest.strip_prefix('E').is_some_and(|rest| rest.parse::<u32>().is_ok());
        if !(rest.is_empty() || has_exponent_width) {
            return None;
        }
        let decimals = if letter == 'I' { 0 } else { decimals.unwrap_or(0) };
        let format = Self { per_line: per_line.unwrap_or(1), width: width?, decimals };
        let is_sane = (1..=1000).contains(&format.per_line) && (1..=100).contains(&format.width);
        is_sane.then_some(format)
    }

    /// The texts of the numbers on `line`: between blanks where these part them, since some
    /// programs write other widths than they say, else by their width. Blank ones are left out.
    pub(super) fn fields<'a>(&self, line: &'a str) -> Vec<&'a str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() <= self.per_line && words.iter().all(|word| word.len() <= self.width) {
            return words;
        }
        let field = |k: usize| {
            let start = (k * self.width).min(line.len());
            line.get(start..(start + self.width).min(line.len())).unwrap_or("?").trim()
        };
        (0..self.per_line).map(field).filter(|field| !field.is_empty()).collect()
    }
}

/// The number that `text` begins with, if it begins with one, and the rest.
fn leading(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().ok(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_understood() {
        let of = |text: &str| {
            Format::parse(text).map(|format| (format.per_line, format.width, format.decimals))
        };
        assert_eq!(of("(16I5)"), Some((16, 5, 0)));
        assert_eq!(of(" (5E16.8) "), Some((5, 16, 8)));
        assert_eq!(of("(1P,4D20.12)"), Some((4, 20, 12)));
        assert_eq!(of("(1p5e15.8e3)"), Some((5, 15, 8)));
        assert_eq!(of("(1P4(E20.12))"), Some((4, 20, 12)));
        assert_eq!(of("(I8)"), Some((1, 8, 0)));
        for wrong in ["", "()", "5E16.8", "(5A10)", "(0I5)", "(16I5,2X)", "(5E)", "(XP5E3.1)"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn fields_are_of_fixed_width() {
        let format = Format::parse("(3I4)").expect("a format");
        assert_eq!(format.fields("  12 345  9    7"), ["12", "345", "9"]);
        assert_eq!(format.fields("1234567"), ["1234", "567"]);
        assert_eq!(format.fields("1234567é"), ["1234", "?", "?"], "a letter of two bytes is cut");
        // Of another width than is said, but parted by blanks.
        assert_eq!(format.fields("1 2   3"), ["1", "2", "3"]);
    }
}
