//! Signals that ask a run to end: noted until its next pause, and answered at once; elsewhere they
//! end the process, after its temporary files were removed.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::thread;

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGUSR1};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

use super::bell::{self, Bell, Ear};
use crate::guest;
use crate::machine::system_entry;
use crate::ranks;

/// The signals with their names.
#[cfg(unix)]
const SIGNALS: [(i32, &str); 4] =
    [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, HANG_UP), (SIGUSR1, "SIGUSR1")];
#[cfg(not(unix))]
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")];

/// The signal of a terminal that is closed: nohup has it ignored.
const HANG_UP: &str = "SIGHUP";

/// Those by which a user or a system ends a process: temporary files are then removed.
const ENDING: [&str; 3] = ["SIGINT", "SIGTERM", HANG_UP];

/// What signals do; there once they are caught.
static NOTED: OnceLock<Noted> = OnceLock::new();
/// What follows a signal, until that was said.
static REPLY: Mutex<Option<String>> = Mutex::new(None);

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
    /// Has the signals noted, each of which then rings `bell`: their actions come in the order in
    /// which they are registered.
    fn register(self, bell: &Bell) -> io::Result<Self> {
        // The first SIGINT finds nothing yet.
        flag::register_conditional_default(SIGINT, Arc::clone(&self.interrupted))?;
        flag::register(SIGINT, Arc::clone(&self.interrupted))?;
        for (signal, name) in SIGNALS {
            if name == HANG_UP && is_ignored(signal) {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&self.released))?;
            flag::register_usize(signal, Arc::clone(&self.caught), signal.unsigned_abs() as usize)?;
            bell.ring_on(signal)?;
        }
        Ok(self)
    }
}

/// Whether whoever started this process has had `signal` ignored.
fn is_ignored(signal: i32) -> bool {
    let mask = system_entry("/proc/self/status", "SigIgn:");
    let mask = mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// From now on these signals are noted and do nothing else, but for a second SIGINT, which ends the
/// process. The first one is answered at once, on standard error: `reply` says what follows.
pub(crate) fn catch_signals(reply: impl Into<String>) {
    // They are the program's that runs the command.
    if guest::is_guest() {
        return;
    }
    NOTED.get_or_init(|| {
        let caught = "the system lets a process catch these signals";
        let (bell, ear) = bell::pair().expect(caught);
        let noted = Noted::default().register(&bell).expect(caught);
        if ranks::is_speaker() {
            *REPLY.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply.into());
            let body = move || wait(ear);
            // Without a thread the reply comes in the next pause.
            let _ = thread::Builder::new().name("signals".to_owned()).spawn(body);
        }
        noted
    });
}

/// Waits for the first signal and says what follows it.
fn wait(mut ear: Ear) {
    if ear.wait() {
        answer();
    }
}

/// Says what follows the signal that has come, unless that was said: it stands before all that the
/// run says when it ends.
pub(super) fn answer() {
    let mut reply = REPLY.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(reply) = reply.take() else { return };
    let mut out = io::stderr().lock();
    // A line of progress may stand on the terminal.
    let start = if out.is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(out, "{start}{} came: {reply}", name(caught()));
}

/// From now on signals end the process again, also one that came in between.
pub(crate) fn release_signals() {
    let Some(noted) = NOTED.get() else { return };
    noted.released.store(true, Ordering::SeqCst);
    if let Some((signal, _)) = SIGNALS.iter().find(|(signal, _)| number(*signal) == caught()) {
        emulate_default_handler(*signal).expect("a signal that ends a process");
    }
}

/// From now on a signal that ends the process removes the temporary files that it has not finished.
/// A thread does it, since a handler may not; where signals are noted, runs end by themselves.
pub(crate) fn tidy_on_signals() {
    if guest::is_guest() {
        return;
    }
    static TIDY: Once = Once::new();
    // Without it files stay, as they do where a process is killed.
    TIDY.call_once(|| _ = watch());
}

/// The signals of [`ENDING`] that this system has.
fn ending() -> impl Iterator<Item = i32> {
    SIGNALS.into_iter().filter(|(_, name)| ENDING.contains(name)).map(|(signal, _)| signal)
}

fn watch() -> io::Result<()> {
    let (bell, mut ear) = bell::pair()?;
    let last = Arc::new(AtomicUsize::new(0));
    let came = Arc::clone(&last);
    let body = move || {
        while ear.wait() {
            let signal = ending().find(|one| number(*one) == came.load(Ordering::SeqCst) as u64);
            let is_noted = NOTED.get().is_some_and(|noted| !noted.released.load(Ordering::SeqCst));
            if let Some(signal) = signal.filter(|_| !is_noted) {
                tegula_files::remove_temporaries();
                let _ = emulate_default_handler(signal);
            }
        }
    };
    thread::Builder::new().name("tidy".to_owned()).spawn(body)?;
    for signal in ending().filter(|signal| !is_ignored(*signal)) {
        flag::register_usize(signal, Arc::clone(&last), signal.unsigned_abs() as usize)?;
        bell.ring_on(signal)?;
    }
    Ok(())
}

fn number(signal: i32) -> u64 {
    u64::from(signal.unsigned_abs())
}

/// The number of the signal that has come, 0 if none has.
pub(crate) fn caught() -> u64 {
    if guest::is_stopped() {
        return number(SIGINT);
    }
    NOTED.get().map_or(0, |noted| noted.caught.load(Ordering::SeqCst) as u64)
}

/// The name of a signal.
pub(super) fn name(signal: u64) -> &'static str {
    let found = SIGNALS.iter().find(|(listed, _)| number(*listed) == signal);
    found.map_or("a signal", |(_, name)| name)
}
