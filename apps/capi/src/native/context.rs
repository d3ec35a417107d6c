//! Contexts: workers of a program's own, for matrices in tiles; and the workers behind LAPACK's names.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tegula_runtime::flow::Flow;

use crate::export::Export;
use crate::kind::CType;
use crate::process;

/// Workers, and a number that tells them from others.
#[derive(Debug)]
pub struct Context {
    pub(crate) id: u64,
    flow: Mutex<Flow>,
}

impl Context {
    /// The flow of the workers; another thread that has it is waited for.
    pub(crate) fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The functions exported here.
pub(crate) const EXPORTS: &[Export] = &[
    Export {
        symbol: "tegula_init",
        summary: "Starts `workers` workers, or with 0 as many as large problems under LAPACK's names get.",
        result: "tegula_context *",
        arguments: &[("workers", CType::Value("int"))],
    },
    Export {
        symbol: "tegula_finalize",
        summary: "Ends the workers. All matrices must be destroyed before.",
        result: "void",
        arguments: &[("context", CType::Out("tegula_context"))],
    },
    Export {
        symbol: "tegula_set_num_threads",
        summary: "Spreads large problems under LAPACK's names over `workers` workers from now on.",
        result: "void",
        arguments: &[("workers", CType::Value("int"))],
    },
    Export {
        symbol: "tegula_get_num_threads",
        summary: "Number of workers that large problems under LAPACK's names are spread over.",
        result: "int",
        arguments: &[],
    },
];

/// Starts `workers` workers, or with 0 as many as large problems under LAPACK's names get. The
/// calling thread is one of them. Returns null if `workers` is negative.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_init(workers: c_int) -> *mut Context {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let Ok(workers) = usize::try_from(workers) else { return std::ptr::null_mut() };
    let workers = if workers == 0 { process::workers() } else { workers };
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    Box::into_raw(Box::new(Context { id, flow: Mutex::new(process::start(workers)) }))
}

/// Ends the workers; nothing happens to null.
///
/// # Safety
/// The context is from [`tegula_init`] and is not used any more, nor are its matrices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_finalize(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(context) });
    }
}

/// Spreads large problems under LAPACK's names over `workers` workers from now on, at least one.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_set_num_threads(workers: c_int) {
    process::set_workers(usize::try_from(workers).unwrap_or(1));
}

/// Number of workers that large problems under LAPACK's names are spread over.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_get_num_threads() -> c_int {
    process::workers() as c_int
}
