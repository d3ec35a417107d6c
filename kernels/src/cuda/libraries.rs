//! Handles of cuBLAS and cuSOLVER, made once per device, and what is missing of the libraries.

use std::sync::Arc;

use cudarc::cublas::{self, CudaBlas};
use cudarc::cusolver::{self, DnHandle};
use cudarc::nvrtc;
use tegula_runtime::flow::{Failure, Launch};

use super::{LibraryError, caught};

/// Whether the libraries that kernels call are there.
///
/// # Errors
/// The first that is not.
pub fn check() -> Result<(), LibraryError> {
    for (library, is_there) in libraries() {
        if !is_there() {
            return Err(missing(library));
        }
    }
    Ok(())
}

fn missing(library: &'static str) -> LibraryError {
    LibraryError { library, reason: "it is not there".to_owned() }
}

/// A library and the question whether it can be loaded.
type Library = (&'static str, fn() -> bool);

/// The libraries that kernels call.
#[allow(unsafe_code)]
fn libraries() -> [Library; 3] {
    // SAFETY: each loads and unloads a library whose initialisation is harmless.
    [
        ("libcublas", || unsafe { cublas::sys::is_culib_present() }),
        // SAFETY: as above.
        ("libcusolver", || unsafe { cusolver::sys::is_culib_present() }),
        // SAFETY: as above.
        ("libnvrtc", || unsafe { nvrtc::sys::is_culib_present() }),
    ]
}

/// cuBLAS on the stream of a device.
pub(crate) struct Blas(CudaBlas);

impl Blas {
    /// That of the device of `launch`.
    pub(crate) fn of(launch: &Launch<'_>) -> Result<Arc<Self>, Failure> {
        launch.tool(|stream| caught("libcublas", || CudaBlas::new(stream.clone())).map(Self))
    }

    /// Calls one of its functions.
    pub(crate) fn call(
        &self,
        function: impl FnOnce(cublas::sys::cublasHandle_t) -> cublas::sys::cublasStatus_t,
    ) -> Result<(), Failure> {
        caught("libcublas", || function(*self.0.handle()).result())
    }
}

/// cuSOLVER on the stream of a device.
pub(crate) struct Solver(DnHandle);

impl Solver {
    /// That of the device of `launch`.
    pub(crate) fn of(launch: &Launch<'_>) -> Result<Arc<Self>, Failure> {
        launch.tool(|stream| caught("libcusolver", || DnHandle::new(stream.clone())).map(Self))
    }

    /// Calls one of its functions.
    pub(crate) fn call(
        &self,
        function: impl FnOnce(cusolver::sys::cusolverDnHandle_t) -> cusolver::sys::cusolverStatus_t,
    ) -> Result<(), Failure> {
        caught("libcusolver", || function(self.0.cu()).result())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_there_or_is_named() {
        match check() {
            Ok(()) => {}
            Err(error) => assert!(error.to_string().ends_with("it is not there"), "{error}"),
        }
    }

    #[test]
    fn a_missing_function_is_a_reason() {
        let call = || -> Result<(), String> { panic!("Missing symbol {}", "cublasDgemm_v2") };
        let error = caught("libcublas", call).expect_err("the bindings panicked");
        assert_eq!(error.to_string(), "libcublas: Missing symbol cublasDgemm_v2");
    }
}
