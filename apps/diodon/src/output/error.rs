//! What can go wrong with the folder of results and with a file of labels, each with the file it
//! concerns.

use std::io;
use std::path::PathBuf;

use tegula_files::WriteError;

use super::labels::UnmatchedIds;

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder is missing and could not be made.
    #[error("cannot make the folder {}: {cause}; name another one with -o", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why labels could not be read. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum LabelsError {
    /// The file could not be read.
    #[error("cannot read labels from {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file holds no row.
    #[error("{} holds no labels: it should have rows 'id,label'", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// No item has an id of the file.
    #[error(
        "{}: no item has one of its {} ids ({unknown}); items are called {items}: see whether the first column holds the \
         names of the items",
        path.display(), unknown.count
    )]
    NoMatch {
        /// The file.
        path: PathBuf,
        /// Its ids.
        unknown: UnmatchedIds,
        /// Those of the items.
        items: UnmatchedIds,
    },
    /// Bytes that are not UTF-8.
    #[error("{}, line {line}: not UTF-8 text; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Line of the row.
        line: u64,
    },
    /// A row with an id alone.
    #[error("{}, line {line}: '{text}' is an id without a label; rows are 'id,label'", path.display())]
    NoLabel {
        /// The file.
        path: PathBuf,
        /// Line of the row.
        line: u64,
        /// The only cell.
        text: String,
    },
    /// Two rows for one id.
    #[error(
        "{}, line {line}: the id '{id}' has a label already, from line {first}; keep one of the two",
        path.display()
    )]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// Line of the later row.
        line: u64,
        /// Line of the earlier row.
        first: u64,
        /// The id.
        id: String,
    },
}
