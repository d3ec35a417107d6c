//! The BLAS and LAPACK that the crate `blas-src` links at build time, OpenBLAS as this crate asks
//! for it; a system may put another library behind the same name.

use std::sync::OnceLock;

use blas_src as _;
use libloading::Library as Dynamic;
use libloading::os::unix::Library as Process;
use openblas_src as _;

use super::super::{Backend, BackendError};
use super::Library;
use super::openblas::{Control, bind};

unsafe extern "C" {
    /// Referred to so that the linker keeps the library; calls go through addresses by name.
    fn dgemm_();
}

/// The linked library for `workers` threads that compute at once.
pub(in super::super) fn load(workers: usize) -> Result<&'static dyn Backend, BackendError> {
    static LINKED: OnceLock<(Library, Option<Control>)> = OnceLock::new();
    let (library, control) = match LINKED.get() {
        Some(linked) => linked,
        None => {
            std::hint::black_box(dgemm_ as *const ());
            let process: &'static Dynamic = Box::leak(Box::new(Process::this().into()));
            let bound = bind(process, "blas-src", "the linked BLAS")?;
            LINKED.get_or_init(|| bound)
        }
    };
    // Another BLAS than OpenBLAS has no such functions: nothing can be asked or set then.
    if let Some(control) = control {
        control.check(workers)?;
    }
    Ok(library)
}
