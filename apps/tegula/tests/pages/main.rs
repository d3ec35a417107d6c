//! What pages show is true: commands have their flags, and those for users are run, with the
//! outputs that they quote.

// Where a check cannot run it says so.
#![allow(clippy::print_stderr)]

mod blocks;
mod compare;
mod examples;
mod flags;
mod run;

use std::path::{Path, PathBuf};

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("a crate in a workspace")
        .to_owned()
}

/// The text of a page, by its path from the root.
#[track_caller]
fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages for users, as paths from the root.
fn pages_for_users() -> Vec<String> {
    let files = std::fs::read_dir(root().join("docs")).expect("the folder of pages");
    let names = files.map(|file| file.expect("an entry").file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort_unstable();
    pages
}
