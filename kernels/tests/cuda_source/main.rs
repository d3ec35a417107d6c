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

use libloading::Library;
use tegula_kernels::cuda::device_code;
use tegula_kernels::scalar::Real;
use tegula_stand_ins::source::compile;

/// The sources as a library for numbers of type `T`; none, and a reason on the console, without
/// g++.
#[allow(clippy::print_stderr, unsafe_code)]
fn played<T: Real>() -> Option<Library> {
    if let Some(reason) = tegula_stand_ins::missing() {
        eprintln!("SKIPPED: the CUDA sources are not compiled: {reason}");
        return None;
    }
    let options = ["-Werror".to_owned(), format!("-DREAL={}", T::cuda().name())];
    let library = compile(&device_code::source::<T>(), &options, include_str!("calls.cpp"));
    let library =
        library.unwrap_or_else(|words| panic!("the CUDA sources do not compile: {words}"));
    // SAFETY: it was just made, and has nothing that runs when it is loaded.
    Some(unsafe { Library::new(&library) }.expect("it was just made"))
}
