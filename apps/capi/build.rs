//! Keeps the library loaded until the process ends: its workers run its code.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Linkers of other systems do not know these.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtegula.so");
    }
}
