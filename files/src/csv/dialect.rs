//! How a file separates its cells and writes its decimals.

use std::fmt;

/// What stands between two cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab; two in a row enclose an empty cell.
    Tab,
    /// `|`
    Bar,
    /// Any run of spaces and tabs; blanks at either end of a line count for nothing.
    Blanks,
}

impl Delimiter {
    /// Every delimiter, in the order of preference where the rows of a file do not decide.
    pub const ALL: [Self; 5] = [Self::Tab, Self::Semicolon, Self::Bar, Self::Comma, Self::Blanks];

    /// The byte between two cells, after runs of blanks have been reduced to one space.
    pub fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Bar => b'|',
            Self::Blanks => b' ',
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
            Self::Bar => "bar",
            Self::Blanks => "blanks",
        })
    }
}

/// What stands before the fraction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

/// How a file separates its cells and writes its decimals. Displayed in words, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What stands between two cells.
    pub delimiter: Delimiter,
    /// What stands before a fraction; a comma never goes with [`Delimiter::Comma`].
    pub decimal: Decimal,
}

impl Dialect {
    /// What this house writes: commas between cells, decimal points.
    pub const PLAIN: Self = Self { delimiter: Delimiter::Comma, decimal: Decimal::Point };

    /// How rows of this dialect are written: runs of blanks cannot separate an empty cell, tabs
    /// can.
    pub fn for_output(self) -> Self {
        match self.delimiter {
            Delimiter::Blanks => Self { delimiter: Delimiter::Tab, ..self },
            _ => self,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "delimiter: {}", self.delimiter)?;
        match self.decimal {
            Decimal::Point => Ok(()),
            Decimal::Comma => f.write_str(", decimal comma"),
        }
    }
}
