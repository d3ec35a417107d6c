//! The headers say what the library exports, and a C compiler takes them; a program in C that uses
//! both interfaces runs.

#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn committed(name: &str) -> String {
    let path = here().join("include").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
#[allow(clippy::print_stderr)]
fn the_headers_are_up_to_date() {
    let advice =
        "cargo run -p tegula-capi --example header [lapack|scalapack] > apps/capi/include/...";
    assert!(committed("tegula.h") == tegula::header::native(), "tegula.h: {advice}");
    assert!(committed("tegula_lapack.h") == tegula::header::lapack(), "tegula_lapack.h: {advice}");
    assert!(
        committed("tegula_scalapack.h") == tegula::header::scalapack(),
        "tegula_scalapack.h: {advice}"
    );
}

/// The folder of the shared library that cargo has built with this test.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.parent().expect("a file stands in a folder").to_owned();
    assert!(folder.join("libtegula.so").exists(), "no libtegula.so in {}", folder.display());
    folder
}

/// Whether a C compiler is there.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|run| run.status.success());
    if !found {
        eprintln!("SKIPPED a program in C: there is no cc");
    }
    found
}

#[test]
fn a_program_in_c_uses_both_interfaces() {
    run_program("both_interfaces", "3");
}

#[test]
fn a_program_in_c_solves_in_tiles() {
    run_program("tiles", "3");
}

#[test]
fn a_program_in_c_is_refused_what_is_wrong() {
    run_program("refusals", "1000000000");
}

/// Compiles and runs a program of this folder, where the environment asks for so many workers.
fn run_program(name: &str, workers: &str) {
    if !has_compiler() {
        return;
    }
    let libraries = library_folder();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"])
        .args([&program, &here().join(format!("tests/{name}.c"))])
        .arg("-I")
        .arg(here().join("include"))
        .arg("-L")
        .arg(&libraries)
        .args(["-ltegula", "-lm"])
        .output()
        .expect("cc starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program)
        .env("LD_LIBRARY_PATH", &libraries)
        .env("TEGULA_NUM_THREADS", workers)
        .output()
        .expect("the program starts");
    let (out, error) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{}: {out}{error}", run.status);
    assert_eq!(out, "all is well\n", "{error}");
}

#[test]
fn every_name_in_the_lists_is_a_function_of_the_library() {
    // SAFETY: the library runs no code when it is loaded.
    let library = unsafe { libloading::Library::new(library_folder().join("libtegula.so")) };
    let library = library.expect("the library loads");
    let mut count = 0;
    let all = tegula::lapack_exports().chain(tegula::scalapack_exports());
    for export in all.chain(tegula::native_exports()) {
        // SAFETY: the function is not called.
        let found = unsafe { library.get::<unsafe extern "C" fn()>(export.symbol.as_bytes()) };
        assert!(found.is_ok(), "{}", export.symbol);
        count += 1;
    }
    assert!(count > 100, "only {count} names");
}
