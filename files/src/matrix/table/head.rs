//! What the first rows of a table tell: its delimiter and decimals, and where names stand.

use std::path::Path;

use super::is_corner;
use crate::csv::cell::Cell;
use crate::csv::records::{OwnedRow, Records};
use crate::csv::{Decimal, Delimiter, Dialect};

/// What the first rows tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) dialect: Dialect,
    /// Whether the first row holds names.
    pub(super) has_header: bool,
    /// Whether the first column holds names.
    pub(super) has_row_names: bool,
    /// Cells of a row below the header.
    pub(super) width: usize,
}

impl Head {
    /// Finds out how a table begins of which `lines` are the first; nothing if there is no row in
    /// them.
    pub(super) fn find(path: &Path, lines: &[String]) -> Option<Self> {
        let text = lines.join("\n");
        // Of several that fit as well the first in the list counts, which is the rarer one in
        // names.
        let (mut cut, mut score) = (Cut::new(path, &text, Delimiter::Comma), 0.0);
        for delimiter in Delimiter::ALL {
            let other = Cut::new(path, &text, delimiter);
            if other.score() > score {
                score = other.score();
                cut = other;
            }
        }
        let (first, second) = (cut.rows.first()?, cut.rows.get(1));
        let has_header = cut.begins_with_header(first, second);
        let has_row_names = cut.has_row_names(first, second, has_header);
        let width = second.filter(|_| has_header).unwrap_or(first).width();
        Some(Self { dialect: cut.dialect, has_header, has_row_names, width })
    }
}

/// The first rows as one delimiter cuts them.
struct Cut {
    dialect: Dialect,
    rows: Vec<OwnedRow>,
}

impl Cut {
    /// A row that cannot be read ends it: that is told when the whole is read.
    fn new(path: &Path, text: &str, delimiter: Delimiter) -> Self {
        let mut records = Records::new(path.to_owned(), text.as_bytes(), (delimiter, u64::MAX));
        let mut rows = Vec::new();
        while let Ok(Some(row)) = records.next_row() {
            rows.push(row.to_owned());
        }
        let mut cut = Self { dialect: Dialect { delimiter, decimal: Decimal::Point }, rows };
        if delimiter != Delimiter::Comma
            && cut.numbers(Decimal::Comma) > cut.numbers(Decimal::Point)
        {
            cut.dialect.decimal = Decimal::Comma;
        }
        cut
    }

    /// Cells of the rows that surely hold entries.
    fn below(&self) -> impl Iterator<Item = &str> {
        let rows = if self.rows.len() > 1 { &self.rows[1..] } else { &self.rows };
        rows.iter().flat_map(OwnedRow::cells)
    }

    fn numbers(&self, decimal: Decimal) -> usize {
        let is_number = |cell: &&str| matches!(Cell::parse(cell, decimal), Cell::Number(_));
        self.below().filter(is_number).count()
    }

    /// The share of rows that are as long as the last, and of numbers in them; 0 if the delimiter
    /// does not occur.
    fn score(&self) -> f64 {
        let width = self.rows.last().map_or(0, OwnedRow::width);
        if width < 2 {
            return 0.0;
        }
        let is_even = |(at, row): &(usize, &OwnedRow)| {
            row.width() == width || (*at == 0 && row.width() + 1 == width)
        };
        let even = self.rows.iter().enumerate().filter(is_even).count();
        let cells = self.below().count();
        let numbers = self.numbers(self.dialect.decimal);
        if numbers == 0 {
            return 0.0;
        }
        even as f64 / self.rows.len() as f64 + numbers as f64 / cells as f64
    }

    fn is_text(&self, cell: &str) -> bool {
        matches!(Cell::parse(cell, self.dialect.decimal), Cell::Text)
    }

    fn begins_with_header(&self, first: &OwnedRow, second: Option<&OwnedRow>) -> bool {
        // One cell short: above names, which are text or stand in the header too.
        let is_short = second.is_some_and(|second| {
            let is_name =
                self.is_text(second.first()) || first.cells().any(|x| x == second.first());
            first.width() + 1 == second.width() && is_name
        });
        if is_short || is_corner(first.first()) {
            return true;
        }
        let begins_with_text = self.is_text(first.first());
        let others = first.width() - 1;
        if others == 0 {
            return begins_with_text;
        }
        let is_text = |cell: &&str| cell.is_empty() || self.is_text(cell);
        let texts = first.cells().skip(1).filter(is_text).count();
        let names_second = second.is_some_and(|second| first.has_after_first(second.first()));
        let are_texts = 2 * texts > others;
        let are_all = texts == others && texts > 1;
        (are_texts && (begins_with_text || are_all)) || (begins_with_text && names_second)
    }

    fn has_row_names(&self, first: &OwnedRow, second: Option<&OwnedRow>, has_header: bool) -> bool {
        if !has_header {
            return self.is_text(first.first());
        }
        if is_corner(first.first()) {
            return true;
        }
        second.is_some_and(|second| {
            first.width() + 1 == second.width()
                || self.is_text(second.first())
                || first.has_after_first(second.first())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &[&str]) -> (Delimiter, bool, bool, usize) {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        let head = Head::find(Path::new("a.csv"), &lines).expect("a table");
        (head.dialect.delimiter, head.has_header, head.has_row_names, head.width)
    }

    #[test]
    fn headers_and_names_are_found() {
        use Delimiter::{Blanks, Comma, Semicolon, Tab};
        for (lines, expected) in [
            (&["id,a,b", "a,0,1", "b,1,0"][..], (Comma, true, true, 3)),
            (&["\ta\tb", "a\t0\t1", "b\t1\t0"], (Tab, true, true, 3)),
            (&["a b", "a 0 1", "b 1 0"], (Blanks, true, true, 3)),
            (&["0,1", "1,0"], (Comma, false, false, 2)),
            (&["a,0,1", "b,1,0"], (Comma, false, true, 3)),
            (&["id;101;102", "101;0;1,5", "102;1,5;0"], (Semicolon, true, true, 3)),
            (&["taxon,101,102", "101,0,1", "102,1,0"], (Comma, true, true, 3)),
            (&["x,y,z", "1,2,3", "4,5,6"], (Comma, true, false, 3)),
            (&["SEQ_ID\ta, b\tc", "a, b\t0\t1", "c\t1\t0"], (Tab, true, true, 3)),
            (&["x", "1", "2"], (Comma, true, false, 1)),
            (&["5"], (Comma, false, false, 1)),
            (&["id,a", "a,0"], (Comma, true, true, 2)),
            (&["id,,", "a,0,1", "b,1,2"], (Comma, true, true, 3)),
        ] {
            assert_eq!(head(lines), expected, "{lines:?}");
        }
    }
}
