//! Signals that ask a run to end.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

/// The signals with their names.
const SIGNALS: [(i32, &str); 3] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGUSR1, "SIGUSR1")];

/// What signals do; there once they are caught.
static NOTED: OnceLock<Noted> = OnceLock::new();

/// What signals find and leave.
#[derive(Default)]
struct Noted {
    /// The last signal that came, 0 if none did.
    caught: Arc<AtomicUsize>,
    /// Whether SIGINT came.
    interrupted: Arc<AtomicBool>,
    /// Whether signals do again what they do elsewhere.
    released: Arc<AtomicBool>,
}

impl Noted {
    /// Has the signals noted: their actions come in the order in which they are registered.
    fn register(self) -> io::Result<Self> {
        // The first SIGINT finds nothing yet.
        flag::register_conditional_default(SIGINT, Arc::clone(&self.interrupted))?;
        flag::register(SIGINT, Arc::clone(&self.interrupted))?;
        for (signal, _) in SIGNALS {
            flag::register_conditional_default(signal, Arc::clone(&self.released))?;
            flag::register_usize(signal, Arc::clone(&self.caught), signal.unsigned_abs() as usize)?;
        }
        Ok(self)
    }
}

/// From now on these signals are noted and do nothing else, but for a second SIGINT, which ends the process.
pub(crate) fn catch_signals() {
    NOTED.get_or_init(|| {
        Noted::default().register().expect("the system lets a process catch these signals")
    });
}

/// From now on signals end the process again, also one that came in between.
pub(crate) fn release_signals() {
    let Some(noted) = NOTED.get() else { return };
    noted.released.store(true, Ordering::SeqCst);
    if let Some((signal, _)) = SIGNALS.iter().find(|(signal, _)| number(*signal) == caught()) {
        emulate_default_handler(*signal).expect("a signal that ends a process");
    }
}

fn number(signal: i32) -> u64 {
    u64::from(signal.unsigned_abs())
}

/// The number of the signal that has come, 0 if none has.
pub(super) fn caught() -> u64 {
    NOTED.get().map_or(0, |noted| noted.caught.load(Ordering::SeqCst) as u64)
}

/// The name of a signal.
pub(super) fn name(signal: u64) -> &'static str {
    let found = SIGNALS.iter().find(|(listed, _)| number(*listed) == signal);
    found.map_or("a signal", |(_, name)| name)
}
