//! Handles of cuBLAS and cuSOLVER, made once per device, with their functions, and what is missing
//! of the libraries.

use std::ptr;
use std::sync::{Arc, OnceLock};

use tegula_runtime::cuda::Stream;
use tegula_runtime::cuda::library::{Library, Missing};
use tegula_runtime::flow::{Failure, Launch};

use super::calls::{BlasCalls, Handle, SolverCalls, Status};
use super::{LibraryError, told};
use crate::scalar::Scalar;

const CUBLAS: &str = "libcublas";
const CUSOLVER: &str = "libcusolver";
pub(super) const NVRTC: &str = "libnvrtc";

/// Whether the libraries that kernels call are there.
///
/// # Errors
/// The first that is not.
pub fn check() -> Result<(), LibraryError> {
    cublas()?;
    cusolver()?;
    nvrtc().map(drop)
}

/// The library called `name`, which stays in `place` once it is loaded.
fn loaded(
    place: &'static OnceLock<Result<Library, Missing>>,
    name: &'static str,
) -> Result<&'static Library, LibraryError> {
    place.get_or_init(|| Library::open(name)).as_ref().map_err(|reason| told(name, reason))
}

fn cublas() -> Result<&'static Library, LibraryError> {
    static LIBRARY: OnceLock<Result<Library, Missing>> = OnceLock::new();
    loaded(&LIBRARY, CUBLAS)
}

fn cusolver() -> Result<&'static Library, LibraryError> {
    static LIBRARY: OnceLock<Result<Library, Missing>> = OnceLock::new();
    loaded(&LIBRARY, CUSOLVER)
}

pub(super) fn nvrtc() -> Result<&'static Library, LibraryError> {
    static LIBRARY: OnceLock<Result<Library, Missing>> = OnceLock::new();
    loaded(&LIBRARY, NVRTC)
}

/// A handle of a library on the stream of a device.
struct OnStream {
    handle: Handle,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    /// It is there as long as the handle.
    _stream: Arc<Stream>,
}

// SAFETY: both libraries let all threads use a handle.
#[allow(unsafe_code)]
unsafe impl Send for OnStream {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for OnStream {}

impl OnStream {
    /// One on `stream`, by the functions of these names that create, destroy, and set the stream.
    #[allow(unsafe_code)]
    fn new(
        stream: &Arc<Stream>,
        name: &'static str,
        library: &'static Library,
        [create, destroy, set_stream]: [&'static str; 3],
    ) -> Result<Self, LibraryError> {
        let missing = |reason| told(name, &reason);
        type Create = unsafe extern "C" fn(*mut Handle) -> Status;
        type SetStream = unsafe extern "C" fn(Handle, Handle) -> Status;
        stream.context().bind().map_err(|reason| told("libcuda", &reason))?;
        // SAFETY: the types are those of the headers, and the library stays.
        let (create, destroy, set_stream) = unsafe {
            let create: Create = library.function(create).map_err(missing)?;
            let destroy = library.function(destroy).map_err(missing)?;
            let set_stream: SetStream = library.function(set_stream).map_err(missing)?;
            (create, destroy, set_stream)
        };
        let mut handle = ptr::null_mut();
        // SAFETY: it writes one handle.
        answered(name, unsafe { create(&raw mut handle) })?;
        let made = Self { handle, destroy, _stream: stream.clone() };
        // SAFETY: the stream is there as long as the handle.
        answered(name, unsafe { set_stream(handle, stream.handle()) })?;
        Ok(made)
    }
}

impl Drop for OnStream {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was created in `new`. A device that is broken has nothing left to give back.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

/// What a call of a library answered.
fn answered(library: &'static str, status: Status) -> Result<(), LibraryError> {
    let reason = match (library, status) {
        (_, 0) => return Ok(()),
        (CUBLAS, 1) | (CUSOLVER, 1) => "not initialised".to_owned(),
        (CUBLAS, 3) | (CUSOLVER, 2) => "no memory on the device".to_owned(),
        (CUBLAS, 7) | (CUSOLVER, 3) => "an invalid value".to_owned(),
        (CUBLAS, 8) | (CUSOLVER, 4) => "not for this device".to_owned(),
        (CUBLAS, 13) | (CUSOLVER, 6) => "the execution failed".to_owned(),
        (CUBLAS, 14) | (CUSOLVER, 7) => "an internal error".to_owned(),
        _ => format!("status {status}"),
    };
    Err(told(library, &reason))
}

/// cuBLAS on the stream of a device.
pub(crate) struct Blas(OnStream);

impl Blas {
    /// That of the device of `launch`, and its functions.
    pub(crate) fn of<T: Scalar>(
        launch: &Launch<'_>,
    ) -> Result<(Arc<Self>, Arc<BlasCalls<T>>), Failure> {
        const NAMES: [&str; 3] = ["cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2"];
        let library = cublas()?;
        let blas = launch.tool(|stream| {
            OnStream::new(stream, CUBLAS, library, NAMES).map(Self).map_err(Failure::from)
        })?;
        let calls = launch
            .tool(|_| BlasCalls::find(library).map_err(|reason| told(CUBLAS, &reason).into()))?;
        Ok((blas, calls))
    }

    /// Calls one of its functions.
    pub(crate) fn call(&self, function: impl FnOnce(Handle) -> Status) -> Result<(), Failure> {
        Ok(answered(CUBLAS, function(self.0.handle))?)
    }
}

/// cuSOLVER on the stream of a device.
pub(crate) struct Solver(OnStream);

impl Solver {
    /// That of the device of `launch`, and its functions.
    pub(crate) fn of<T: Scalar>(
        launch: &Launch<'_>,
    ) -> Result<(Arc<Self>, Arc<SolverCalls<T>>), Failure> {
        const NAMES: [&str; 3] = ["cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream"];
        let library = cusolver()?;
        let solver = launch.tool(|stream| {
            OnStream::new(stream, CUSOLVER, library, NAMES).map(Self).map_err(Failure::from)
        })?;
        let calls = launch.tool(|_| {
            SolverCalls::find(library).map_err(|reason| told(CUSOLVER, &reason).into())
        })?;
        Ok((solver, calls))
    }

    /// Calls one of its functions.
    pub(crate) fn call(&self, function: impl FnOnce(Handle) -> Status) -> Result<(), Failure> {
        Ok(answered(CUSOLVER, function(self.0.handle))?)
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
    fn what_a_library_answers_is_a_reason() {
        assert_eq!(answered(CUBLAS, 0), Ok(()));
        let reason = |library, status| answered(library, status).expect_err("it is 0").to_string();
        assert_eq!(reason(CUBLAS, 3), "libcublas: no memory on the device");
        assert_eq!(reason(CUSOLVER, 3), "libcusolver: an invalid value");
        assert_eq!(reason(CUSOLVER, 31), "libcusolver: status 31");
    }
}
