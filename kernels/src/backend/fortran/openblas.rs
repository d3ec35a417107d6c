//! OpenBLAS, loaded at run time, so that the program builds and starts without it.

use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, PoisonError};

use libloading::Library as Dynamic;

use super::super::{Backend, BackendError, environment};
use super::{Calls, Library};
use crate::scalar::Real;

/// File names under which the dynamic loader may know the library.
const FILES: &[&str] =
    &["libopenblas.so.0", "libopenblas.so", "libopenblas64_.so.0", "libopenblas.0.dylib"];

/// What stands before and after a function's name: plain, with integers of 64 bits, and as the
/// Python packages rename them.
const DECORATIONS: &[(&str, &str)] =
    &[("", "_"), ("", "_64_"), ("", "64_"), ("scipy_", "_"), ("scipy_", "_64_")];

/// What OpenBLAS tells about itself beside BLAS and LAPACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    set_threads: unsafe extern "C" fn(c_int),
    threads: unsafe extern "C" fn() -> c_int,
    parallel: unsafe extern "C" fn() -> c_int,
    config: unsafe extern "C" fn() -> *const c_char,
    core: unsafe extern "C" fn() -> *const c_char,
}

static LOADED: Mutex<Option<&'static (Library, Control)>> = Mutex::new(None);

/// OpenBLAS for `workers` threads that compute at once, loaded at the first call; its environment
/// is prepared before, if that is still possible.
pub(in super::super) fn load(workers: usize) -> Result<&'static dyn Backend, BackendError> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let (library, control) = match *loaded {
        Some(pair) => pair,
        None => {
            let _late = environment::prepare(&[]);
            let pair: &'static _ = Box::leak(Box::new(open()?));
            *loaded = Some(pair);
            pair
        }
    };
    control.check(workers)?;
    Ok(library)
}

fn open() -> Result<(Library, Control), BackendError> {
    let mut reasons = Vec::new();
    for file in FILES {
        // SAFETY: OpenBLAS's initializer has no precondition.
        match unsafe { Dynamic::new(*file) } {
            Ok(dynamic) => {
                // Never unloaded: its functions are called until the process ends.
                let dynamic: &'static Dynamic = Box::leak(Box::new(dynamic));
                let (library, control) = bind(dynamic, "openblas", file)?;
                let name = "openblas_get_parallel".into();
                let missing = BackendError::MissingSymbol { file: (*file).into(), name };
                return Ok((library, control.ok_or(missing)?));
            }
            Err(reason) => reasons.push(reason.to_string()),
        }
    }
    Err(BackendError::NotFound { reasons: reasons.join("; ") })
}

/// The calls of a library and, if it is an OpenBLAS, its controls.
pub(super) fn bind(
    dynamic: &'static Dynamic,
    name: &'static str,
    file: &str,
) -> Result<(Library, Option<Control>), BackendError> {
    let missing =
        |function: String| BackendError::MissingSymbol { file: file.to_owned(), name: function };
    let symbols = DECORATIONS
        .iter()
        .map(|&(before, after)| Symbols { dynamic, before, after })
        .find(|symbols| symbols.address("dgemm", symbols.after).is_ok())
        .ok_or_else(|| missing("dgemm".into()))?;
    let control = symbols.control().ok();
    let description = control.map_or_else(|| file.to_owned(), Control::describe);
    let (single, double) = (symbols.calls().map_err(missing)?, symbols.calls().map_err(missing)?);
    Ok((Library { name, description, single, double }, control))
}

impl Control {
    /// Makes the library sequential and refuses a build that many threads cannot call at once.
    pub(super) fn check(self, workers: usize) -> Result<(), BackendError> {
        // SAFETY: these functions of OpenBLAS have no precondition.
        let (parallel, threads) = unsafe {
            (self.set_threads)(1);
            ((self.parallel)(), (self.threads)())
        };
        if threads != 1 {
            return Err(BackendError::StillParallel { threads });
        }
        // A build without threads has no lock around its buffers: calls from several threads at
        // once give wrong results.
        if parallel == 0 && workers > 1 {
            return Err(BackendError::SerialBuild { workers });
        }
        Ok(())
    }

    /// Version, options and chosen processor.
    fn describe(self) -> String {
        // SAFETY: both return strings that live as long as the library.
        let text = |call: unsafe extern "C" fn() -> *const c_char| unsafe {
            CStr::from_ptr(call()).to_string_lossy().trim().to_owned()
        };
        format!("{}, kernels for {}", text(self.config), text(self.core))
    }
}

/// The functions of a library, by name.
#[derive(Clone, Copy)]
struct Symbols {
    dynamic: &'static Dynamic,
    before: &'static str,
    after: &'static str,
}

impl Symbols {
    fn address(self, name: &str, after: &str) -> Result<*const (), String> {
        let name = format!("{}{name}{after}", self.before);
        // SAFETY: the address is only made a function by `call`.
        let found = unsafe { self.dynamic.get::<*const ()>(name.as_bytes()) };
        found.map(|symbol| *symbol).map_err(|_| name)
    }

    /// # Safety
    /// `F` is the type of the function called `name`.
    unsafe fn call<F: Copy>(self, name: &str, after: &str) -> Result<F, String> {
        let address = self.address(name, after)?;
        assert!(size_of::<F>() == size_of::<*const ()>(), "{name} is not a function");
        // SAFETY: a function pointer has the size of an address, and the caller knows its type.
        Ok(unsafe { std::mem::transmute_copy::<*const (), F>(&address) })
    }

    fn control(self) -> Result<Control, String> {
        // OpenBLAS's own functions carry the mark of 64-bit integers, but no underscore alone.
        let after = match self.after {
            "_" => "",
            "_64_" if self.address("openblas_get_parallel64_", "").is_ok() => "64_",
            marked => marked,
        };
        // SAFETY: the types are those of OpenBLAS's header cblas.h.
        unsafe {
            Ok(Control {
                set_threads: self.call("openblas_set_num_threads", after)?,
                threads: self.call("openblas_get_num_threads", after)?,
                parallel: self.call("openblas_get_parallel", after)?,
                config: self.call("openblas_get_config", after)?,
                core: self.call("openblas_get_corename", after)?,
            })
        }
    }

    fn calls<T: Real>(self) -> Result<Calls<T>, String> {
        let letter = T::PRECISION.letter();
        // SAFETY: the types are those of BLAS and LAPACK in the precision of the letter.
        unsafe {
            Ok(Calls {
                gemm: self.call(&format!("{letter}gemm"), self.after)?,
                syrk: self.call(&format!("{letter}syrk"), self.after)?,
                trsm: self.call(&format!("{letter}trsm"), self.after)?,
                trmm: self.call(&format!("{letter}trmm"), self.after)?,
                gemv: self.call(&format!("{letter}gemv"), self.after)?,
                trsv: self.call(&format!("{letter}trsv"), self.after)?,
                potrf: self.call(&format!("{letter}potrf"), self.after)?,
                lauum: self.call(&format!("{letter}lauum"), self.after)?,
                trtri: self.call(&format!("{letter}trtri"), self.after)?,
            })
        }
    }
}
