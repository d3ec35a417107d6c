//! The backends there are, and the one that this process uses.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Backend, native};

/// A backend that a user can ask for by name.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name, as a flag's value.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Loads it for a program that will compute with this many threads at once.
    load: fn(workers: usize) -> Result<&'static dyn Backend, BackendError>,
}

/// Every backend of this build.
pub static BACKENDS: &[Choice] = &[
    Choice {
        name: "native",
        help: "own micro-kernels, on AVX-512 or AVX2 registers where there are such (the default)",
        load: |_| Ok(native::detect()),
    },
    Choice {
        name: "native-avx2",
        help: "own micro-kernels on 256-bit registers, even where wider ones exist",
        load: |_| native::detect_avx2().ok_or(BackendError::NoProcessorSet),
    },
    Choice {
        name: "native-portable",
        help: "own micro-kernels in plain Rust, for any processor",
        load: |_| Ok(native::portable()),
    },
    #[cfg(feature = "faer")]
    Choice { name: "faer", help: "the crate faer", load: |_| Ok(&super::faer::Faer) },
    Choice {
        name: "openblas",
        help: "OpenBLAS, if it is installed",
        load: super::fortran::openblas::load,
    },
    #[cfg(feature = "blas-src")]
    Choice {
        name: "blas-src",
        help: "the BLAS and LAPACK that this program was linked with",
        load: super::fortran::linked::load,
    },
];

/// Backends that this build leaves out: each takes a cargo feature of its name.
pub const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "faer"))]
    "faer",
    #[cfg(not(feature = "blas-src"))]
    "blas-src",
];

/// Why a backend cannot be used.
#[derive(Debug, Error)]
pub enum BackendError {
    /// No backend of this name in this build.
    #[error("no backend is called {name:?}; this build has {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A backend that this build leaves out.
    #[error(
        "this program was built without the backend {name}: build it with cargo build --release --features {name}, or \
         use native"
    )]
    LeftOut {
        /// Its name.
        name: &'static str,
    },
    /// The processor lacks the instructions of the micro-kernels.
    #[error("backend native-avx2 needs a processor with AVX2 and FMA; use native")]
    NoProcessorSet,
    /// No OpenBLAS that the dynamic loader finds.
    #[error("OpenBLAS is not installed (apt install libopenblas0-pthread): {reasons}")]
    NotFound {
        /// What the loader says about each file name.
        reasons: String,
    },
    /// A library without a function that it should have.
    #[error("{file} has no function {name}: it is not a complete OpenBLAS")]
    MissingSymbol {
        /// The library.
        file: String,
        /// The function.
        name: String,
    },
    /// A BLAS without threads has no locks either.
    #[error(
        "this OpenBLAS is the build without threads, which gives wrong results when {workers} \
         workers call it at once: install libopenblas0-pthread, or use one worker"
    )]
    SerialBuild {
        /// Threads that would compute at once.
        workers: usize,
    },
    /// A BLAS that cannot be made sequential.
    #[error(
        "OpenBLAS keeps {threads} threads of its own after being told to use one: set \
         OPENBLAS_NUM_THREADS=1 before the program starts"
    )]
    StillParallel {
        /// Threads that it would use.
        threads: i32,
    },
    /// Another backend is in use already.
    #[error("backend {asked} cannot be selected: {current} is in use already")]
    AlreadySelected {
        /// The backend that was asked for.
        asked: &'static str,
        /// The backend in use.
        current: &'static str,
    },
}

static CURRENT: OnceLock<&'static dyn Backend> = OnceLock::new();

impl Choice {
    /// The choice called `name`.
    ///
    /// # Errors
    /// [`BackendError::Unknown`] or [`BackendError::LeftOut`].
    pub fn named(name: &str) -> Result<Self, BackendError> {
        BACKENDS.iter().copied().find(|choice| choice.name == name).ok_or_else(|| {
            if let Some(name) = LEFT_OUT.iter().find(|left_out| **left_out == name) {
                return BackendError::LeftOut { name };
            }
            let known = BACKENDS.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ");
            BackendError::Unknown { name: name.into(), known }
        })
    }

    /// The backend itself, loaded if need be, for `workers` threads that compute at once. Does not
    /// change what the kernels use.
    ///
    /// # Errors
    /// What keeps it from being used here.
    pub fn load(self, workers: usize) -> Result<&'static dyn Backend, BackendError> {
        (self.load)(workers)
    }
}

/// Makes `choice` the backend of this process; to be called before the first kernel runs.
///
/// # Errors
/// What keeps it from being used here, or that another one is in use already.
pub fn select(choice: Choice, workers: usize) -> Result<&'static dyn Backend, BackendError> {
    let backend = choice.load(workers)?;
    let current = *CURRENT.get_or_init(|| backend);
    if current.name() == backend.name() {
        Ok(current)
    } else {
        let (asked, current) = (backend.name(), current.name());
        Err(BackendError::AlreadySelected { asked, current })
    }
}

/// The backend of this process: the selected one, or else `native`.
#[must_use]
pub fn current() -> &'static dyn Backend {
    *CURRENT.get_or_init(native::detect)
}

#[cfg(test)]
mod tests {
    use super::{BACKENDS, BackendError, Choice, LEFT_OUT};

    #[test]
    fn own_micro_kernels_are_there_on_any_processor() {
        for name in ["native", "native-portable"] {
            let backend = Choice::named(name).and_then(|choice| choice.load(1));
            assert!(backend.is_ok_and(|backend| backend.name().starts_with("native")), "{name}");
        }
    }

    #[test]
    fn a_name_is_listed_left_out_or_unknown() {
        assert!(BACKENDS.iter().all(|choice| !LEFT_OUT.contains(&choice.name)));
        for name in LEFT_OUT {
            assert!(matches!(Choice::named(name), Err(BackendError::LeftOut { .. })), "{name}");
        }
        assert!(matches!(Choice::named("gotoblas"), Err(BackendError::Unknown { .. })));
    }
}
