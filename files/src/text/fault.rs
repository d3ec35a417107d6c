//! What can be wrong with a text before anyone looks at what it says.

use std::io;

use super::Kind;
use super::lines::is_by_memory;

/// Why a file is not read as text. It travels as the inner error of an [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub enum TextFault {
    /// The path names a folder.
    #[error("it is a folder; name a file in it")]
    Folder,
    /// A format of another kind than is read here.
    #[error("it is {}: {}", .0.name, .0.advice)]
    Binary(Kind),
    /// A byte that no text has.
    #[error(
        "line {line} has a byte that is zero, which no text has: is it a binary file, or was it damaged by a \
         crash?"
    )]
    Nul {
        /// The line, from 1.
        line: u64,
    },
    /// Bytes that are no characters.
    #[error(
        "line {line} is not UTF-8 text: save it as UTF-8, or convert it first (iconv -f latin1 -t utf8)"
    )]
    NotUtf8 {
        /// The line, from 1.
        line: u64,
    },
    /// UTF-16 with half a character in it.
    #[error("line {line} is damaged: half a character of UTF-16 stands there; save it as UTF-8")]
    HalfCharacter {
        /// The line, from 1.
        line: u64,
    },
    /// What a decoder said of compressed bytes.
    #[error("its compressed data are damaged or end too early ({0}): fetch or make it again")]
    Damaged(io::Error),
    /// A line, or a row with line ends in quotes, that is longer than is read.
    #[error(
        "line {line} goes on for more than {}, the most that a row may have{}: was the file written without line \
         ends, or is a quote opened there and never closed?",
        amount(*.most),
        if is_by_memory(*.most) { " with this --memory" } else { "" }
    )]
    LongLine {
        /// The line on which it begins, from 1.
        line: u64,
        /// Bytes that it may have.
        most: u64,
    },
    /// A file that is read as a whole, and is longer than such files are.
    #[error("it is longer than {}, the most that such a file may have: is it the right one?", amount(*.most))]
    Large {
        /// Bytes that it may have.
        most: u64,
    },
    /// More columns than there is memory for.
    #[error(
        "it has {width} columns, which take more than {}, the part of --memory that reading may take: allow more \
         memory, or leave out columns",
        amount(*.most)
    )]
    Columns {
        /// How many.
        width: usize,
        /// Bytes that they may take.
        most: u64,
    },
    /// What is kept of it takes more memory than there is.
    #[error(
        "line {line}: up to here {what} takes more than {}, the part of --memory that reading may take: allow more \
         memory, or read less",
        amount(*.most)
    )]
    Memory {
        /// What is kept.
        what: &'static str,
        /// The line with which it is too much, from 1.
        line: u64,
        /// Bytes that it may take.
        most: u64,
    },
}

impl From<TextFault> for io::Error {
    fn from(fault: TextFault) -> Self {
        Self::new(io::ErrorKind::InvalidData, fault)
    }
}

impl TextFault {
    /// The error of `what` is kept, which is too much from `line` on, where it may take `most`
    /// bytes.
    pub fn memory(what: &'static str, (line, most): (u64, u64)) -> io::Error {
        Self::Memory { what, line, most }.into()
    }

    /// The fault in `error`, unless it is what a system says.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

/// Bytes for people: whole MiB where there are some.
fn amount(bytes: u64) -> String {
    match bytes {
        0..=1023 => format!("{bytes} bytes"),
        1024..=1_048_575 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
