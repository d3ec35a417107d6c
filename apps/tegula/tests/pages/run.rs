//! Runs the blocks of the pages for users, in order, in a folder for each page, and compares what
//! they print with what the page quotes.
//!
//! The folders stay, below the target folder, to be looked at.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use crate::blocks::{Block, blocks};
use crate::compare::difference;
use crate::{page, pages_for_users, root};

/// What a page finds in the folder in which its blocks are run, as in the root of the project; what
/// is fetched may be missing.
const LENT: [&str; 5] =
    ["data", "docs/examples", "plan/platforms", "target/peers/meuse.csv", "target/peers/16s.fasta"];

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.is_file() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}

/// A new folder called `name` with what is lent.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder");
    for lent in LENT {
        copy(&root().join(lent), &folder.join(lent));
    }
    folder
}

/// What a script did: whether it ended well, and all that it printed.
pub(crate) fn bash(folder: &Path, script: &str) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_tegula")).parent().expect("a folder");
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program.to_owned()].into_iter().chain(env::split_paths(&others)))
        .expect("folders without colons");
    let output = Command::new("bash")
        .args(["-c", &format!("set -euo pipefail; exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", path)
        // What runs learn of this machine must not reach the user's own folder.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        // Open MPI as root, and with more ranks than cores.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether what a block or script needs is there: a program, or a file that may be fetched.
pub(crate) fn is_there(folder: &Path, needed: &str) -> bool {
    folder.join(needed).exists()
        || env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .any(|at| at.join(needed).is_file())
}

/// Runs the block, and compares what it prints with `quoted`.
fn check(folder: &Path, block: &Block, quoted: Option<&Block>) -> Result<(), String> {
    let (is_well, printed) = bash(folder, &block.text);
    if !is_well {
        return Err(format!("fails:\n{printed}"));
    }
    let Some(quoted) = quoted else { return Ok(()) };
    let lines = |text: &str| match quoted.is_folded() {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => text.to_owned(),
    };
    difference(&lines(&quoted.text), &lines(&printed))
        .map_or(Ok(()), |what| Err(format!("{what}\nall of it:\n{printed}")))
}

/// Runs the page, and says what is wrong with it.
fn run(path: &str) -> Vec<String> {
    let name = Path::new(path).file_stem().and_then(|name| name.to_str()).expect("a name");
    let folder = folder(name);
    let blocks = blocks(&page(path));
    let mut wrong = Vec::new();
    // A block that needs what the blocks before it would have made.
    let mut is_skipping = false;
    for (at, block) in blocks.iter().enumerate() {
        if let Some(word) = block.unknown_word() {
            wrong.push(format!("{path}:{}: what does '{word}' mean?", block.line));
        }
        if block.language != "sh" || block.is_shown() {
            continue;
        }
        if let Some(needed) = block.value("needs") {
            is_skipping = !is_there(&folder, needed);
            if is_skipping {
                eprintln!("SKIPPED: {path}:{}: no {needed} (scripts/setup tests)", block.line);
            }
        }
        if is_skipping {
            continue;
        }
        let quoted = blocks.get(at + 1).filter(|next| next.language == "text");
        if let Err(what) = check(&folder, block, quoted) {
            wrong.push(format!("{path}:{}: {}\n{what}", block.line, block.text));
            // What follows may need what this has not made.
            break;
        }
    }
    wrong
}

#[test]
fn the_blocks_of_pages_do_what_pages_say() {
    let mut wrong = Vec::new();
    for page in pages_for_users() {
        let start = Instant::now();
        wrong.extend(run(&page));
        eprintln!("{page}: {:.1} s", start.elapsed().as_secs_f64());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of a block `rust from=FILE` stand in that file in this order, but for `...`.
#[test]
fn quoted_source_is_there() {
    let mut missing = Vec::new();
    for path in pages_for_users() {
        for block in blocks(&page(&path)) {
            let Some(file) = block.value("from") else { continue };
            let source = page(file);
            let mut lines = source.lines().map(str::trim);
            for line in block.text.lines().map(str::trim).filter(|line| !["", "..."].contains(line))
            {
                if !lines.any(|there| there == line) {
                    missing.push(format!("{path}:{}: {file} has not: {line}", block.line));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
