//! Device code as C++ of the host: what NVRTC compiles, with [`SHIM`] before it, compiled by g++.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

/// What plays a device on the host.
pub const SHIM: &str = include_str!("shim.cpp");

/// How g++ is called: the arithmetic is that of the text, step by step.
const FLAGS: &[&str] = &[
    "-std=c++20",
    "-O2",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-U_FORTIFY_SOURCE",
    "-Wall",
    "-Wno-unused-function",
    "-Wno-unknown-pragmas",
    "-shared",
    "-fPIC",
];

/// A kernel of a device's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// What it is called.
    pub name: String,
    /// How many threads a block of it has at most.
    pub most_threads: u32,
}

/// The kernels that `source` makes.
#[must_use]
pub fn kernels(source: &str) -> Vec<Kernel> {
    source.split("__global__").skip(1).filter_map(kernel).collect()
}

/// The kernel whose declaration goes on with `rest`.
fn kernel(rest: &str) -> Option<Kernel> {
    let (bounds, rest) = match rest.split_once("__launch_bounds__") {
        Some((before, after)) if !before.contains('(') => after.trim_start().split_once(')')?,
        _ => ("", rest),
    };
    let bounds = bounds.trim_start_matches('(').split(',').next().unwrap_or_default();
    let name = rest.split_once('(')?.0.split_whitespace().last()?;
    Some(Kernel { name: name.to_owned(), most_threads: bounds.trim().parse().unwrap_or(1024) })
}

/// `source` with memory that blocks share and whose size the launch says as the shim has it.
#[must_use]
pub fn translated(source: &str) -> String {
    let mut parts = source.split("extern __shared__");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (declared, rest) = part.split_once(';').unwrap_or((part, ""));
        let declared = declared.trim().trim_end_matches("[]").trim();
        let (kind, name) = declared.rsplit_once(' ').unwrap_or(("char", declared));
        let kind = kind.rsplit_once(')').map_or(kind, |(_, kind)| kind).trim();
        let _ = write!(text, "{kind} *{name} = ({kind} *)play::shared();{rest}");
    }
    text
}

/// Compiles `source`, with `more` text behind it, to a shared library by g++ with these options
/// (`-DNAME=VALUE`), unless one of the same text is there already.
///
/// # Errors
/// What g++ says, or why it cannot be called.
pub fn compile(source: &str, options: &[String], more: &str) -> Result<PathBuf, String> {
    if source.contains("#include") {
        return Err("NVRTC has no headers to include".to_owned());
    }
    let text = format!("{SHIM}\n{}\n{more}", translated(source));
    let mut hasher = DefaultHasher::new();
    (&text, options, FLAGS).hash(&mut hasher);
    let user = fs::metadata("/proc/self").map_or(0, |process| process.uid());
    let folder = env::temp_dir().join(format!("tegula-stand-ins-{user}"));
    let library = folder.join(format!("{:016x}.so", hasher.finish()));
    if library.exists() {
        return Ok(library);
    }
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let made = folder.join(format!("{}-{count}", std::process::id()));
    let (file, new) = (made.with_extension("cpp"), made.with_extension("new"));
    let write = || fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &text));
    write().map_err(|error| format!("{}: {error}", file.display()))?;
    let output =
        Command::new("g++").args(FLAGS).args(options).arg("-o").args([&new, &file]).output();
    let _ = fs::remove_file(&file);
    let output = output.map_err(|error| format!("no g++: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(said);
    }
    // Others find it whole or not at all.
    fs::rename(&new, &library).map_err(|error| format!("{}: {error}", library.display()))?;
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_with_their_bounds() {
        let source = "extern \"C\" __global__ void one(int a) {}\n\
                      extern \"C\" __global__ void __launch_bounds__(256)\ntwo(int a) {}";
        let kernel = |name: &str, most_threads| Kernel { name: name.to_owned(), most_threads };
        assert_eq!(kernels(source), [kernel("one", 1024), kernel("two", 256)]);
    }

    #[test]
    fn shared_memory_of_a_launch_is_found() {
        let source = "{ extern __shared__ __align__(16) double parts[]; parts[0] = 1; }";
        let expected = "{ double *parts = (double *)play::shared(); parts[0] = 1; }";
        assert_eq!(translated(source), expected);
    }
}
