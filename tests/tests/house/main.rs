//! The house rules, as far as a machine can see them: layers, rooms, files, `unsafe`, documents.
//!
//! A rule that fails prints every place that breaks it. Exceptions stand in the tables of the
//! modules here, each with its reason.

mod documents;
mod files;
mod layers;
mod rooms;
mod source;
mod unsafety;

use std::path::{Path, PathBuf};

use tegula_tests::root;

/// A file of the project that is text.
struct TextFile {
    /// Path from the root, with slashes.
    path: String,
    text: String,
}

impl TextFile {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the file is nothing but tests.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/")
            || self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
    }

    /// What the compiler sees of it outside tests: no comments, no contents of strings.
    fn code(&self) -> String {
        source::without_tests(&source::code(&self.text))
    }
}

/// Folders that are made, not written; in a second working tree `.git` is a file.
const MADE: [&str; 4] = [".git", "target", "out", "__pycache__"];

/// All text files of the project.
fn text_files() -> Vec<TextFile> {
    let mut paths = Vec::new();
    gather(&root(), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = String::from_utf8(std::fs::read(&path).ok()?).ok()?;
        Some(TextFile { path: from_root(&path), text })
    };
    let files: Vec<TextFile> = paths.into_iter().filter_map(read).collect();
    assert!(files.len() > 100, "only {} files found", files.len());
    files
}

fn rust_files() -> impl Iterator<Item = TextFile> {
    text_files().into_iter().filter(TextFile::is_rust)
}

fn gather(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let kind = entry.file_type().expect("a kind of file");
        let is_made = MADE.iter().any(|name| entry.file_name() == *name);
        if is_made {
            continue;
        }
        if kind.is_dir() {
            gather(&entry.path(), into);
        } else if kind.is_file() {
            into.push(entry.path());
        }
    }
}

fn from_root(path: &Path) -> String {
    let relative = path.strip_prefix(root()).expect("below the root");
    relative.to_str().expect("a path in UTF-8").replace('\\', "/")
}

/// # Panics
/// With all of `broken`, if there is any.
#[track_caller]
fn assert_kept(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}\n  {}", broken.join("\n  "));
}

/// Whether `word` stands in `text` as a word of its own.
fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !before.ends_with(inside) && !after.starts_with(inside)
    })
}
