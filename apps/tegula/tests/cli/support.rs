//! Runs the binary, and finds samples, reference answers and a folder to write to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tegula_files::Table;

/// What a run of the binary left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// What `output` tells.
    pub(crate) fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        let code = output.status.code().expect("no signal ended the run");
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Asserts that the run succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the run ended with `code` and that standard error contains all of `words`.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is not in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }

    /// Asserts that the run succeeded and that standard output contains all of `words`.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) {
        let Self { stdout, .. } = self.succeeded();
        for word in words {
            assert!(stdout.contains(word), "'{word}' is not in: {stdout}");
        }
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}{}", self.stdout, self.stderr))
    }
}

/// The binary with `arguments`, words separated by blanks.
pub(crate) fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tegula"));
    command.args(arguments.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    // What runs learn of this machine must not reach the user's own folder.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the binary in `folder`.
pub(crate) fn tegula_in(folder: &Path, arguments: &str) -> Run {
    Run::new(command(folder, arguments).output().expect("the binary starts"))
}

/// Runs the binary in the root of the project.
pub(crate) fn tegula(arguments: &str) -> Run {
    tegula_in(&root(), arguments)
}

/// Runs the binary in the root of the project; the words of `more` may contain blanks.
pub(crate) fn tegula_with(arguments: &str, more: &[&str]) -> Run {
    Run::new(command(&root(), arguments).args(more).output().expect("the binary starts"))
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    folder.expect("a crate in a workspace").to_owned()
}

/// A new folder to write to.
pub(crate) fn folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Writes `text` to a file called `name` in a new folder; returns the folder.
pub(crate) fn folder_with(name: &str, text: &str) -> PathBuf {
    let folder = folder();
    fs::write(folder.join(name), text).expect("a file can be written");
    folder
}

/// A file of reference answers.
pub(crate) fn answers(name: &str) -> Value {
    let path = root().join("tests/answers").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("the answers are JSON")
}

/// The number at `pointer`.
#[track_caller]
pub(crate) fn number(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no number {pointer} in {value:#}"))
}

/// The numbers of column `name` of the table at `path`.
#[track_caller]
pub(crate) fn column(path: &Path, name: &str) -> Vec<f64> {
    let table = Table::read(path).unwrap_or_else(|error| panic!("{error}"));
    let index = table.find(name).unwrap_or_else(|error| panic!("{error}"));
    table.numbers(index).unwrap_or_else(|error| panic!("{error}")).to_vec()
}

/// Asserts that `x` and `y` differ by at most `tolerance` relative to `y`.
#[track_caller]
pub(crate) fn assert_close(x: f64, y: f64, tolerance: f64) {
    let error = (x - y).abs() / y.abs();
    assert!(error <= tolerance, "{x} against {y}: relative difference {error:e}");
}
