//! What a run says of its folder of results.

use std::path::Path;

use tegula_diodon::output::Written;

use crate::output::{Console, count};

/// Says how many files are in `folder` now, and which ones of an earlier run are gone.
pub(super) fn describe_written(console: &Console, folder: &Path, written: &Written) {
    let files = count(written.paths.len(), "file");
    let gone = match written.removed.len() {
        0 => String::new(),
        1 => format!("; {} of an earlier run was removed", written.removed[0]),
        _ => format!("; {} of an earlier run were removed", written.removed.join(", ")),
    };
    console.line(format_args!("{files} written to {}{gone}", folder.display()));
}
