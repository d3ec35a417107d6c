//! Contexts: workers of a program's own, for matrices in tiles; and the workers behind LAPACK's
//! names.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tegula_runtime::flow::Flow;

use crate::check::{Checked, Wrong};
use crate::export::Export;
use crate::kind::CType;
use crate::process::{self, MOST_WORKERS};
use crate::run::{info, numerical};

/// Workers, and a number that tells them from others.
#[derive(Debug)]
pub struct Context {
    pub(crate) id: u64,
    flow: Mutex<Flow>,
    is_asynchronous: AtomicBool,
    /// The first failure that nobody has been told of, as a routine's code.
    failed: AtomicI32,
    /// How many tiles its matrices have.
    tiles: AtomicUsize,
}

/// Most tiles of the matrices of a context: half of the handles that a flow has, so that routines
/// have theirs, too.
const MOST_TILES: usize = 8 << 20;

impl Context {
    /// The flow of the workers; another thread that has it is waited for.
    pub(crate) fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flow, after everything submitted has run; a failure is kept for who asks for it.
    pub(crate) fn settled(&self) -> MutexGuard<'_, Flow> {
        let mut flow = self.flow();
        let code = info(flow.wait().map_err(numerical));
        if self.failed.load(Ordering::Relaxed) == 0 {
            self.failed.store(code, Ordering::Relaxed);
        }
        flow
    }

    /// Waits; the code is that of the first failure that nobody has been told of.
    fn wait(&self) -> i32 {
        drop(self.settled());
        self.failed.swap(0, Ordering::Relaxed)
    }

    /// Whether routines only submit.
    pub(crate) fn is_asynchronous(&self) -> bool {
        self.is_asynchronous.load(Ordering::Relaxed)
    }

    /// Takes so many more tiles into account; argument `place` is wrong if they are too many.
    pub(crate) fn admit(&self, place: i32, tiles: usize) -> Checked<()> {
        let sum = |held: usize| held.checked_add(tiles).filter(|&sum| sum <= MOST_TILES);
        let held = self.tiles.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        held.map(|_| ()).map_err(|_| Wrong(place))
    }

    /// So many tiles are there no more.
    pub(crate) fn release(&self, tiles: usize) {
        self.tiles.fetch_sub(tiles, Ordering::Relaxed);
    }

    /// Runs what `submit` submits; the code is that of the first numerical failure. Does not wait,
    /// and answers 0, if the context is asynchronous.
    pub(crate) fn run(&self, submit: impl FnOnce(&mut Flow)) -> Checked<i32> {
        let flow = &mut self.flow();
        submit(flow);
        Ok(if self.is_asynchronous() { 0 } else { info(flow.wait().map_err(numerical)) })
    }
}

/// The functions exported here.
pub(crate) const EXPORTS: &[Export] = &[
    Export {
        symbol: "tegula_init",
        summary: "Starts `workers` workers, or with 0 as many as large problems under LAPACK's names get. \
                  Null if there are to be more than 1024, or less than none.",
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
        symbol: "tegula_set_async",
        summary: "Lets routines on matrices in tiles only submit their work, if `only_submit` is not 0. \
                  They then run in the order that their data asks for.",
        result: "void",
        arguments: &[
            ("context", CType::Out("tegula_context")),
            ("only_submit", CType::Value("int")),
        ],
    },
    Export {
        symbol: "tegula_wait",
        summary: "Waits for everything that was submitted; returns the first failure as a routine would. \
                  Of a zero pivot of getrf or gesv, after which the solution is infinite, only \
                  tegula_ipiv_get tells.",
        result: "int",
        arguments: &[("context", CType::Out("tegula_context"))],
    },
    Export {
        symbol: "tegula_set_num_threads",
        summary: "Spreads large problems under LAPACK's names over `workers` workers from now on, at least \
                  one and at most 1024.",
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
/// calling thread is one of them. Returns null if `workers` is negative or more than 1024.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_init(workers: c_int) -> *mut Context {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let workers = usize::try_from(workers).ok().filter(|&workers| workers <= MOST_WORKERS);
    let Some(workers) = workers else { return std::ptr::null_mut() };
    let workers = if workers == 0 { process::workers() } else { workers };
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    Box::into_raw(Box::new(Context {
        id,
        flow: Mutex::new(process::start(workers)),
        is_asynchronous: AtomicBool::new(false),
        failed: AtomicI32::new(0),
        tiles: AtomicUsize::new(0),
    }))
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

/// Lets routines on matrices in tiles only submit their work, if `only_submit` is not 0, and wait
/// for it otherwise. They then run in the order that their data asks for, and what they return is
/// about their arguments alone.
///
/// # Safety
/// The context is from [`tegula_init`], or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_set_async(context: *mut Context, only_submit: c_int) {
    // SAFETY: the caller's promise.
    if let Some(context) = unsafe { context.as_ref() } {
        context.is_asynchronous.store(only_submit != 0, Ordering::Relaxed);
    }
}

/// Waits for everything that was submitted. Returns 0, or LAPACK's `info` of the first routine that
/// failed, or -1 if the context is null. Of a zero pivot of `getrf` or `gesv`, after which the
/// solution is infinite, only `tegula_ipiv_get` tells.
///
/// # Safety
/// The context is from [`tegula_init`], or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_wait(context: *mut Context) -> c_int {
    // SAFETY: the caller's promise.
    let context = unsafe { context.as_ref() }.ok_or(Wrong(1));
    crate::export::code(context.map(Context::wait))
}

/// Spreads large problems under LAPACK's names over `workers` workers from now on, at least one and
/// at most 1024.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_set_num_threads(workers: c_int) {
    process::set_workers(usize::try_from(workers).unwrap_or(1));
}

/// Number of workers that large problems under LAPACK's names are spread over.
#[unsafe(no_mangle)]
pub extern "C" fn tegula_get_num_threads() -> c_int {
    process::workers() as c_int
}
