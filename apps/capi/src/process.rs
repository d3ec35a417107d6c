//! The workers of this process: one flow for all calls, made when the first large problem comes.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::usable_cores;

/// The variable that says how many workers to take.
const VARIABLE: &str = "TEGULA_NUM_THREADS";

/// Most workers that can be asked for.
pub(crate) const MOST_WORKERS: usize = 1024;

/// Workers of the flow; 0 until it is known.
static WORKERS: AtomicUsize = AtomicUsize::new(0);

/// What the program has set; 0 if it has not.
static SET: AtomicUsize = AtomicUsize::new(0);

/// The flow of this process, and which process it belongs to: after a fork the child has none of
/// the threads.
struct Process {
    id: u32,
    flow: Mutex<Option<Flow>>,
}

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

impl Process {
    /// That of this process; made if need be, and never freed.
    fn this() -> &'static Self {
        let found = PROCESS.load(Ordering::Acquire);
        let id = std::process::id();
        // SAFETY: a pointer that was stored is never freed.
        if let Some(process) = unsafe { found.as_ref() }.filter(|process| process.id == id) {
            return process;
        }
        let made: &'static Self = Box::leak(Box::new(Self { id, flow: Mutex::new(None) }));
        let new = std::ptr::from_ref(made).cast_mut();
        match PROCESS.compare_exchange(found, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            // SAFETY: as above; another thread of this process was faster.
            Err(other) => unsafe { &*other },
        }
    }
}

/// Number of workers that large problems are spread over: what the program has set, or else the
/// environment, or else the cores that this process may use.
pub(crate) fn workers() -> usize {
    match WORKERS.load(Ordering::Relaxed) {
        0 => {
            let workers = wanted().unwrap_or_else(usable_cores);
            WORKERS.store(workers, Ordering::Relaxed);
            workers
        }
        workers => workers,
    }
}

/// What the program has set, or else the environment, if either has.
pub(crate) fn chosen() -> Option<usize> {
    match SET.load(Ordering::Relaxed) {
        0 => wanted(),
        workers => Some(workers),
    }
}

/// What the environment asks for, if it is a positive number; no more than there may be.
fn wanted() -> Option<usize> {
    let workers: usize = std::env::var(VARIABLE).ok()?.trim().parse().ok()?;
    (workers > 0).then_some(workers.min(MOST_WORKERS))
}

/// Takes `workers` workers from now on, at least one and no more than there may be; those that
/// there are end when their work is done.
pub(crate) fn set_workers(workers: usize) {
    let mut flow = Process::this().flow.lock().unwrap_or_else(PoisonError::into_inner);
    let workers = workers.clamp(1, MOST_WORKERS);
    WORKERS.store(workers, Ordering::Relaxed);
    SET.store(workers, Ordering::Relaxed);
    *flow = None;
}

/// Runs `work` on the workers of this process; if another call has them, on the calling thread
/// alone rather than later.
pub(crate) fn on_flow<R>(work: impl FnOnce(&mut Flow) -> R) -> R {
    match Process::this().flow.try_lock() {
        Ok(mut flow) => work(flow.get_or_insert_with(|| start(workers()))),
        Err(TryLockError::Poisoned(error)) => {
            work(error.into_inner().get_or_insert_with(|| start(workers())))
        }
        Err(TryLockError::WouldBlock) => work(&mut alone()),
    }
}

/// A flow of `workers` workers, or of fewer where the system refuses threads.
pub(crate) fn start(workers: usize) -> Flow {
    let start = || Flow::new(Exec::with_workers(workers), FlowOptions::default());
    catch_unwind(AssertUnwindSafe(start)).unwrap_or_else(|_| alone())
}

/// A flow on the calling thread.
fn alone() -> Flow {
    Flow::new(Exec::with_workers(1), FlowOptions::default())
}
