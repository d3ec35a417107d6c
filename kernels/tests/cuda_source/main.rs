//! The source of our CUDA kernels, compiled by g++ for a device that threads of the host play,
//! against the kernels of the CPU: what can be tested of it without a device.

/// Calls a function of the library: its name, the types of its arguments, and these.
macro_rules! call {
    ($library:ident, $name:expr, ($($type:ty),*), ($($argument:expr),*)) => {{
        #[allow(unsafe_code)]
        // SAFETY: this is the function's type in the source.
        let function = unsafe { $library.get::<unsafe extern "C" fn($($type),*)>($name) };
        let function = function.expect("it is there");
        #[allow(unsafe_code)]
        // SAFETY: the arguments have the sizes of the contract.
        unsafe {
            function($($argument),*)
        };
    }};
}

mod covariance;
mod dense;
mod entries;
mod reflectors;

use std::path::PathBuf;
use std::process::Command;

use libloading::Library;
use tegula_kernels::cuda::device_code;
use tegula_kernels::scalar::Real;

/// The sources as a library for numbers of type `T`; none, and a reason on the console, without
/// g++.
#[allow(clippy::print_stderr, unsafe_code)]
fn played<T: Real>() -> Option<Library> {
    if let Err(error) = Command::new("g++").arg("--version").output() {
        eprintln!("SKIPPED: the CUDA sources are not compiled: no g++: {error}");
        return None;
    }
    let name = format!("tegula-cuda-{}-{}", std::process::id(), T::cuda().name());
    let thread = format!("{:?}", std::thread::current().id());
    let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
    let folder: PathBuf = std::env::temp_dir().join(format!("{name}-{thread}"));
    std::fs::create_dir_all(&folder).expect("there is room for temporary files");
    let (source, library) = (folder.join("kernels.cpp"), folder.join("kernels.so"));
    let text = [include_str!("shim.cpp"), &device_code::source::<T>(), include_str!("calls.cpp")];
    std::fs::write(&source, text.concat()).expect("there is room for temporary files");
    let output = Command::new("g++")
        .args(["-std=c++20", "-O1", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC"])
        .arg("-Wno-unused-function")
        .arg(format!("-DREAL={}", T::cuda().name()))
        .args(["-pthread", "-o"])
        .args([&library, &source])
        .output()
        .expect("g++ was there a moment ago");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the CUDA sources do not compile:\n{text}");
    // SAFETY: it was just made, and has nothing that runs when it is loaded.
    let loaded = unsafe { Library::new(&library) }.expect("it was just made");
    std::fs::remove_dir_all(&folder).expect("nobody else uses it");
    Some(loaded)
}
