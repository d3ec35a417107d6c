//! The commands that pages show exist, with their flags and values.

use std::process::Command;

use crate::blocks::{Block, blocks};
use crate::{page, pages_for_users, root};

/// How a command of ours starts on a page.
const STARTS: [&str; 3] = ["tegula ", "cargo run --release -- ", "cargo run --release --quiet -- "];

/// The commands in the examples of a page that `are_told`, without comments, each on one line.
fn commands(page: &str, are_told: impl Fn(&Block) -> bool) -> Vec<String> {
    let examples = blocks(page).into_iter().filter(|block| block.language == "sh");
    let examples = examples.filter(are_told);
    let text: String = examples.map(|block| block.text.replace("\\\n", " ")).collect();
    let lines = text.lines().map(str::trim_start);
    let start =
        |line: &str| STARTS.iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned);
    let before_comment = |line: String| line.split(['#', '|', '>']).next().map(str::to_owned);
    lines.filter_map(start).filter_map(before_comment).collect()
}

/// What the program says to the command if it is asked for help at the end of it: it reads all
/// that comes before, and does nothing.
fn objection(command: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tegula"))
        .args(shlex::split(command).expect("quotes are closed"))
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
    assert_eq!(
        commands(page, |_| true).iter().map(|c| c.trim()).collect::<Vec<_>>(),
        ["a    b", "d"]
    );
    assert!(objection("no-such-command").is_some(), "the program objects to what it does not know");
    assert!(objection("info --no-such-flag").is_some(), "and to flags");
}

#[test]
fn commands_on_pages_exist() {
    let pages = ["README.md", "ARCHITECTURE.md", "apps/tegula/README.md"];
    let mut found: Vec<String> =
        pages.iter().flat_map(|path| commands(&page(path), |_| true)).collect();
    // Those for users are run, but for what is only shown.
    found.extend(pages_for_users().iter().flat_map(|path| commands(&page(path), Block::is_shown)));
    assert!(found.len() > 5, "only these were found: {found:?}");
    let objections: Vec<String> = found.iter().filter_map(|command| objection(command)).collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}
