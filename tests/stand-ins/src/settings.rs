//! What the environment asks for: devices, delays, failures.
//!
//! | variable | asks for |
//! |---|---|
//! | `TEGULA_STAND_IN_DEVICES` | so many devices; 1 by itself |
//! | `TEGULA_STAND_IN_MEMORY` | bytes of each, with commas between; 8 GiB by itself |
//! | `TEGULA_STAND_IN_SLOWNESS` | how many times as long work takes on each, with commas between |
//! | `TEGULA_STAND_IN_SEED` | random delays of streams, and threads of a block in random order |
//! | `TEGULA_STAND_IN_FAIL` | failures, `KIND:K` or `KIND:K:DEVICE`, with commas between |
//! | `TEGULA_STAND_IN_REPORT` | at the end, a line on standard error that says what was called |
//!
//! The K-th `allocate`, `pin`, `copy` or `launch` of a device is refused; the K-th `run` is started
//! and fails under way, and the device with it; with the K-th `call` the device is lost.

use std::env;
use std::sync::OnceLock;

use crate::abi::mistake;

/// What is counted, and can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Memory of a device is taken.
    Allocate,
    /// Memory of the host is taken or pinned.
    Pin,
    /// A copy is put on a stream.
    Copy,
    /// A kernel or a function of a library is put on a stream.
    Launch,
    /// The same, as it runs.
    Run,
    /// Any call.
    Call,
}

impl Kind {
    /// All, with their names.
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::Allocate, "allocate"),
        (Self::Pin, "pin"),
        (Self::Copy, "copy"),
        (Self::Launch, "launch"),
        (Self::Run, "run"),
        (Self::Call, "call"),
    ];
}

/// A failure that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) at: u64,
    /// All devices, if none is named.
    pub(crate) device: Option<usize>,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) devices: usize,
    memory: Vec<u64>,
    slowness: Vec<f64>,
    pub(crate) seed: Option<u64>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) reports: bool,
}

impl Settings {
    /// Those of this process.
    pub(crate) fn get() -> &'static Self {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(|| Self {
            devices: list("DEVICES").first().copied().unwrap_or(1),
            memory: list("MEMORY"),
            slowness: list("SLOWNESS"),
            seed: list("SEED").first().copied(),
            faults: text("FAIL").split(',').filter(|word| !word.is_empty()).map(fault).collect(),
            reports: !text("REPORT").is_empty(),
        })
    }

    /// Bytes of the memory of a device.
    pub(crate) fn memory(&self, device: usize) -> u64 {
        self.memory.get(device).or(self.memory.last()).copied().unwrap_or(8 << 30)
    }

    /// How many times as long work takes there.
    pub(crate) fn slowness(&self, device: usize) -> f64 {
        self.slowness.get(device).or(self.slowness.last()).copied().unwrap_or(1.0)
    }
}

fn text(name: &str) -> String {
    env::var(format!("TEGULA_STAND_IN_{name}")).unwrap_or_default()
}

fn list<T: std::str::FromStr>(name: &str) -> Vec<T> {
    let number = |word: &str| {
        word.parse().unwrap_or_else(|_| mistake!("TEGULA_STAND_IN_{name}: '{word}' is no number"))
    };
    text(name).split(',').filter(|word| !word.is_empty()).map(number).collect()
}

fn fault(word: &str) -> Fault {
    let wrong =
        || -> ! { mistake!("TEGULA_STAND_IN_FAIL: '{word}' is not KIND:K or KIND:K:DEVICE") };
    let parts: Vec<&str> = word.split(':').collect();
    let kind = Kind::ALL.iter().find(|(_, name)| *name == parts[0]);
    let (Some(&(kind, _)), Some(Ok(at))) = (kind, parts.get(1).map(|at| at.parse())) else {
        wrong()
    };
    let device = parts.get(2).map(|device| device.parse().unwrap_or_else(|_| wrong()));
    Fault { kind, at, device }
}
