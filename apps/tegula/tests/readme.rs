//! The commands that pages show exist, with their flags and values.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How a command of ours starts on a page.
const STARTS: [&str; 3] = ["tegula ", "cargo run --release -- ", "cargo run --release --quiet -- "];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands in the examples of a page, without comments, each on one line.
fn commands(page: &str) -> Vec<String> {
    let text = page.replace("\\\n", " ");
    let examples =
        text.split("```").skip(1).step_by(2).filter(|example| example.starts_with("sh\n"));
    let lines = examples.flat_map(str::lines);
    let start =
        |line: &str| STARTS.iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned);
    let before_comment = |line: String| line.split(['#', '|', '>']).next().map(str::to_owned);
    lines.filter_map(start).filter_map(before_comment).collect()
}

/// What the program says to the command if it is asked for help at the end of it: it reads all
/// that comes before, and does nothing.
fn objection(command: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tegula"))
        .args(command.split_whitespace())
        .arg("--help")
        .current_dir(root())
        .output()
        .expect("the program runs");
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(|| format!("tegula {command}: {says}"))
}

#[test]
fn commands_are_found() {
    let page = "```sh\ntegula a \\\n  b # c\nls\ncargo run --release -- d | e\n```\ntegula f\n```\ntegula g\n```\n";
    assert_eq!(commands(page).iter().map(|c| c.trim()).collect::<Vec<_>>(), ["a    b", "d"]);
    assert!(objection("no-such-command").is_some(), "the program objects to what it does not know");
    assert!(objection("info --no-such-flag").is_some(), "and to flags");
}

#[test]
fn commands_on_pages_exist() {
    let pages = ["README.md", "ARCHITECTURE.md", "apps/tegula/README.md"];
    let read = |page: &&str| {
        std::fs::read_to_string(root().join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
    };
    let commands: Vec<String> = pages.iter().flat_map(|page| commands(&read(page))).collect();
    assert!(commands.len() > 5, "only these were found: {commands:?}");
    let objections: Vec<String> =
        commands.iter().filter_map(|command| objection(command)).collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}
