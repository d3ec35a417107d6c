//! Rules for single files, and for where files stand.

use std::fs::DirEntry;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::{TextFile, assert_kept, root, rust_files, source, text_files};

/// Lines of a file, without its tests, above which it is more than one room.
const MOST_LINES: usize = 500;

/// What may stand at the top, besides files whose name starts with a dot and what is made.
const TOP: [&str; 19] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "apps",
    "bounds",
    "data",
    "docs",
    "figures",
    "files",
    "kernels",
    "plan",
    "runtime",
    "scripts",
    "tiles",
    "traces",
];

/// Files that read or set the environment; flags and the environment else belong to the program.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("runtime/src/cuda/library.rs", "CUDA says there alone where it is installed"),
    ("kernels/src/backend/environment.rs", "OpenBLAS reads its settings there and nowhere else"),
    ("apps/capi/build.rs", "cargo says there what it compiles for"),
    ("apps/capi/src/process.rs", "a library under LAPACK's names has no flags"),
];

/// Files in which `broken` finds something, with what it finds.
fn found(broken: impl Fn(&TextFile) -> Vec<String>) -> Vec<String> {
    let files = text_files();
    let of = |file| {
        broken(file).into_iter().map(|what| format!("{}: {what}", file.path)).collect::<Vec<_>>()
    };
    files.iter().flat_map(of).collect()
}

#[test]
fn rust_files_open_with_what_they_are_for() {
    let opens = |file: &TextFile| file.text.starts_with("//! ");
    let broken: Vec<String> =
        rust_files().filter(|file| !opens(file)).map(|file| file.path).collect();
    assert_kept("a file opens with a line of //! that says what it is for:", &broken);
}

/// Columns that a line of a comment, or of a page, has at most.
const MOST_COLUMNS: usize = 100;

#[test]
fn comments_and_pages_fit_a_screen() {
    let broken = found(|file| {
        let is_page = file.path.ends_with(".md");
        let mut is_code = false;
        let mut long = Vec::new();
        for (number, line) in file.text.lines().enumerate() {
            let start = line.trim_start();
            is_code ^= is_page && start.starts_with("```");
            // Tables and what is typed stand as they are.
            let counts = match (is_page, file.is_rust()) {
                (true, _) => !is_code && !start.starts_with('|'),
                (_, is_rust) => is_rust && start.starts_with("//"),
            };
            if counts && line.chars().count() > MOST_COLUMNS {
                long.push(format!("line {}", number + 1));
            }
        }
        long
    });
    assert_kept("a line of a comment or a page has at most 100 columns:", &broken);
}

#[test]
fn files_are_short() {
    let broken = found(|file| {
        let lines = source::without_tests(&file.text).lines().count();
        let is_long = file.is_rust() && !file.is_test() && lines > MOST_LINES;
        is_long.then(|| format!("{lines} lines")).into_iter().collect()
    });
    assert_kept("a file without its tests is more than one room:", &broken);
}

#[test]
fn nothing_is_left_for_later() {
    let later = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
    let broken = found(|file| {
        let code = if file.is_rust() { source::code(&file.text) } else { String::new() };
        later.into_iter().filter(|word| code.contains(word)).map(str::to_owned).collect()
    });
    assert_kept("no stubs, no ignored tests:", &broken);
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];
    let broken = found(|file| {
        marks.into_iter().filter(|mark| file.text.contains(mark)).map(str::to_owned).collect()
    });
    assert_kept("what is missing is written as a sentence that says so, or not at all:", &broken);
}

/// Places on the machine of whoever wrote the file.
const MACHINE: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/fa", "rm/")];

#[test]
fn no_file_names_a_place_on_one_machine() {
    let broken = found(|file| {
        let starts = |path: &&str| {
            let before = |at| file.text[..at].chars().next_back();
            let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '}' | '*');
            file.text.match_indices(*path).any(|(at, _)| !before(at).is_some_and(inside))
        };
        let outside = concat!("../sha", "red");
        let mut places: Vec<&str> = MACHINE.into_iter().filter(starts).collect();
        places.extend(file.text.contains(outside).then_some(outside));
        places.into_iter().map(str::to_owned).collect()
    });
    assert_kept("paths that exist on one machine only:", &broken);
}

#[test]
fn the_environment_is_not_an_interface() {
    let is_allowed = |file: &TextFile| {
        let is_exception = ENVIRONMENT.iter().any(|(path, _)| *path == file.path);
        is_exception
            || file.is_test()
            || file.path.starts_with("apps/tegula/")
            || file.path.contains("/examples/")
    };
    let reads = |file: &TextFile| {
        ["env::var", "env::args", "env::set_var"].iter().any(|word| file.code().contains(word))
    };
    let broken: Vec<String> = rust_files()
        .filter(|file| !is_allowed(file) && reads(file))
        .map(|file| file.path)
        .collect();
    assert_kept("only the program reads flags and the environment:", &broken);
}

/// What the project has at the top; without git, whatever is there.
fn top_names() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-tree", "--name-only", "-z", "HEAD"])
        .current_dir(root())
        .output();
    if let Some(listed) = listed.ok().filter(|listed| listed.status.success()) {
        let names = String::from_utf8(listed.stdout).expect("UTF-8");
        return names.split_terminator('\0').map(str::to_owned).collect();
    }
    let entries = std::fs::read_dir(root()).expect("the root is a folder");
    let name = |entry: DirEntry| entry.file_name().into_string().expect("UTF-8");
    entries.map(|entry| name(entry.expect("an entry"))).collect()
}

#[test]
fn the_top_level_is_fixed() {
    let is_fixed = |name: &String| {
        name.starts_with('.')
            || TOP.contains(&name.as_str())
            || ["tests", "target", "out"].contains(&name.as_str())
    };
    let broken: Vec<String> = top_names().into_iter().filter(|name| !is_fixed(name)).collect();
    assert_kept("nothing new stands at the top; each thing has its room:", &broken);
}

/// What is wrong with the script `text`.
fn faults(text: &str, mode: u32) -> Vec<String> {
    let is_bash = text.starts_with("#!/usr/bin/env bash\n");
    let is_python = text.starts_with("#!/usr/bin/env python3\n");
    let says = text
        .lines()
        .nth(1)
        .is_some_and(|line| line.starts_with("# ") || line.starts_with("\"\"\""));
    let rules = [
        ("starts as bash or python3, found by env", is_bash || is_python),
        (
            "stops at the first error: set -euo pipefail",
            !is_bash || text.contains("\nset -euo pipefail\n"),
        ),
        ("can be executed", mode & 0o111 != 0),
        ("says what it does in its second line", says),
    ];
    rules.into_iter().filter(|(_, kept)| !kept).map(|(rule, _)| rule.to_owned()).collect()
}

#[test]
fn scripts_are_ready_to_run() {
    let is_script = |file: &TextFile| {
        let folder = [".ci/", "scripts/"].iter().any(|folder| file.path.starts_with(folder));
        folder && file.text.starts_with("#!")
    };
    let mode = |path: &str| {
        std::fs::metadata(root().join(path)).map_or(0, |data| data.permissions().mode())
    };
    let broken =
        found(
            |file| if is_script(file) { faults(&file.text, mode(&file.path)) } else { Vec::new() },
        );
    assert_kept("a script:", &broken);
    let count = text_files().iter().filter(|file| is_script(file)).count();
    assert!(count >= 4, "only {count} scripts were found");
    assert_eq!(faults("#!/bin/sh\nls\n", 0o644).len(), 3, "the rules find what is wrong");
}
