//! One column: its numbers, or the first cell that shows that it holds text.

use super::cell::Cell;
use super::dialect::Decimal;

/// The place of a column in its table, counted from 0 (people count from 1:
/// [`ColumnIndex::number`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnIndex(pub usize);

impl ColumnIndex {
    /// The 1-based number of the column, as people give it.
    pub fn number(self) -> usize {
        self.0 + 1
    }
}

/// A cell worth reporting: its row, counted from 0, and what it says.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) row: usize,
    pub(super) text: String,
}

impl Sight {
    pub(super) fn new(row: usize, text: &str) -> Self {
        const SHOWN: usize = 40;
        let mut shown: String = text.trim().chars().take(SHOWN).collect();
        if shown.len() < text.trim().len() {
            shown.push('…');
        }
        Self { row, text: shown }
    }
}

/// The values of a column as far as they are numbers; NaN stands for a missing value.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// One value for each row; nothing once `text` is set.
    pub(super) values: Vec<f64>,
    /// The first cell that is neither a number nor missing.
    pub(super) text: Option<Sight>,
    /// The first cell that is not finite.
    pub(super) infinite: Option<Sight>,
}

impl Column {
    /// Appends the cell of `row`. Once a column is known to hold text, its cells are not looked at
    /// any more.
    pub(super) fn push(&mut self, row: usize, text: &str, decimal: Decimal) {
        if self.text.is_some() {
            return;
        }
        match Cell::parse(text, decimal) {
            Cell::Number(value) => self.values.push(value),
            Cell::Missing => self.values.push(f64::NAN),
            Cell::Infinite => {
                self.infinite.get_or_insert_with(|| Sight::new(row, text));
                self.values.push(f64::NAN);
            }
            Cell::Text => {
                self.text = Some(Sight::new(row, text));
                self.values = Vec::new();
            }
        }
    }
}
