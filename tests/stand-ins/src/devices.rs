//! The devices: their memory, what was called, and what has failed.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::abi::{
    Handle, INVALID_CONTEXT, INVALID_DEVICE, LAUNCH_FAILED, OUT_OF_MEMORY, OUT_OF_RESOURCES,
    Outcome, Status, UNKNOWN,
};
use crate::host::locked;
use crate::settings::{Kind, Settings};

/// Contexts are this number and that of their device.
const CONTEXT: Handle = 0x00C0_4E7E_0000_0000;

/// One device.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) number: usize,
    pub(crate) memory: u64,
    pub(crate) slowness: f64,
    /// Bytes that are taken.
    pub(crate) used: AtomicU64,
    /// How often its context is held.
    pub(crate) retained: AtomicUsize,
    /// Devices whose memory its kernels may use.
    pub(crate) peers: Mutex<HashSet<usize>>,
    /// What every call answers from now on, if not 0.
    failed: AtomicI32,
    counts: [AtomicU64; Kind::ALL.len()],
}

thread_local! {
    /// The device whose context is current on this thread.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// All devices.
pub(crate) fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let settings = Settings::get();
        let device = |number| Device {
            number,
            memory: settings.memory(number),
            slowness: settings.slowness(number),
            used: AtomicU64::new(0),
            retained: AtomicUsize::new(0),
            peers: Mutex::default(),
            failed: AtomicI32::new(0),
            counts: Default::default(),
        };
        (0..settings.devices).map(device).collect()
    })
}

/// The device of a number.
pub(crate) fn device(number: i32) -> Outcome<&'static Device> {
    let number = usize::try_from(number).map_err(|_| INVALID_DEVICE)?;
    devices().get(number).ok_or(INVALID_DEVICE)
}

/// The device of a context that is held.
pub(crate) fn device_of(context: Handle) -> Outcome<&'static Device> {
    let device = device((context ^ CONTEXT) as i32).map_err(|_| INVALID_CONTEXT)?;
    let is_held = context & CONTEXT == CONTEXT && device.retained.load(Ordering::SeqCst) > 0;
    if is_held { Ok(device) } else { Err(INVALID_CONTEXT) }
}

/// The device whose context is current on this thread.
pub(crate) fn current() -> Option<&'static Device> {
    CURRENT.get().map(|number| &devices()[number])
}

/// Makes the context of `device` current on this thread.
pub(crate) fn set_current(device: Option<&'static Device>) {
    CURRENT.set(device.map(|device| device.number));
}

/// Counts a call on the current device.
pub(crate) fn here(kind: Kind) -> Outcome<&'static Device> {
    let device = current().ok_or(INVALID_CONTEXT)?;
    if device.retained.load(Ordering::SeqCst) == 0 {
        return Err(INVALID_CONTEXT);
    }
    device.count(kind)?;
    Ok(device)
}

impl Device {
    pub(crate) fn context(&self) -> Handle {
        CONTEXT + self.number as Handle
    }

    /// What its maker would call it.
    pub(crate) fn name(&self) -> String {
        let slowness = self.slowness;
        if slowness == 1.0 {
            "Stand-in".to_owned()
        } else {
            format!("Stand-in, {slowness} times as slow")
        }
    }

    /// Whether it still works.
    pub(crate) fn check(&self) -> Outcome {
        match self.failed.load(Ordering::SeqCst) {
            0 => Ok(()),
            status => Err(status),
        }
    }

    /// From now on every call answers with `status`.
    pub(crate) fn fail(&self, status: Status) {
        let _ = self.failed.compare_exchange(0, status, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Counts a call, which may be one that is to fail.
    pub(crate) fn count(&self, kind: Kind) -> Outcome {
        self.check()?;
        if kind != Kind::Run && kind != Kind::Call {
            self.meet(Kind::Call)?;
        }
        self.meet(kind)
    }

    fn meet(&self, kind: Kind) -> Outcome {
        let count = self.counts[kind as usize].fetch_add(1, Ordering::SeqCst) + 1;
        let mut faults = Settings::get().faults.iter();
        let is_met = faults.any(|fault| {
            (fault.kind, fault.at) == (kind, count)
                && fault.device.is_none_or(|number| number == self.number)
        });
        if !is_met {
            return Ok(());
        }
        let status = match kind {
            Kind::Allocate | Kind::Pin => OUT_OF_MEMORY,
            Kind::Launch => OUT_OF_RESOURCES,
            Kind::Run => LAUNCH_FAILED,
            Kind::Copy | Kind::Call => UNKNOWN,
        };
        if matches!(kind, Kind::Run | Kind::Call) {
            self.fail(status);
        }
        Err(status)
    }

    /// How much was called.
    pub(crate) fn report(&self) -> String {
        let count = |(kind, name): &(Kind, &str)| {
            format!(", {} {name}", self.counts[*kind as usize].load(Ordering::SeqCst))
        };
        let counts: String = Kind::ALL.iter().map(count).collect();
        let used = self.used.load(Ordering::SeqCst);
        format!("device {}{counts}, {used} bytes not given back", self.number)
    }

    /// Takes `bytes` bytes of its memory.
    pub(crate) fn take(&self, bytes: u64) -> Outcome {
        let room = |used: u64| Some(used + bytes).filter(|&used| used <= self.memory);
        let taken = self.used.fetch_update(Ordering::SeqCst, Ordering::SeqCst, room);
        taken.map(drop).map_err(|_| OUT_OF_MEMORY)
    }

    /// Whether its kernels may use the memory of `other`.
    pub(crate) fn reaches(&self, other: usize) -> bool {
        other == self.number || locked(&self.peers).contains(&other)
    }
}
