//! How a release is linked, on Linux with glibc: so that it is smaller.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_known = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !features.contains("crt-static");
    let is_release = is("OPT_LEVEL", "3") && is("DEBUG", "false");
    if !is_known || !is_release {
        return;
    }
    // A program at fixed addresses needs no table of what is to be moved, a twentieth of it.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if has_own_linker() {
        // Functions of one code are one.
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Whether the linker is LLD, which comes with the compiler and is taken unless flags name another.
fn has_own_linker() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if env::var_os("RUSTC_LINKER").is_some() || flags.contains("link") {
        return false;
    }
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(compiler).args(["--print", "target-libdir"]).output();
    let folder = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    folder.is_some_and(|folder| {
        let linker = Path::new(folder.trim()).with_file_name("bin").join("gcc-ld/ld.lld");
        linker.exists() && env::var("TARGET").is_ok_and(|target| target.starts_with("x86_64"))
    })
}
