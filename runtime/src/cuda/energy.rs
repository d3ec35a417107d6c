//! Counters of energy of NVIDIA's devices: the functions of the management library (NVML) that are
//! called for them, with the types of NVIDIA's `nvml.h`.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::ptr;

use super::library::{Library, Missing};

/// What a call answers, `nvmlReturn_t`: 0, or the number of an error.
type Status = c_int;
/// `nvmlDevice_t`.
type Handle = *mut c_void;
/// `nvmlDeviceGetTotalEnergyConsumption`: millijoules since the driver was loaded.
type Energy = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> Status;

/// The devices of this machine that count their energy: those from Volta on.
pub struct EnergyCounters {
    energy: Energy,
    /// Number and handle of each.
    devices: Vec<(usize, Handle)>,
    /// The functions are its.
    _library: Library,
}

// SAFETY: NVML is thread-safe, and a handle is good on all threads as long as it is loaded.
#[allow(unsafe_code)]
unsafe impl Send for EnergyCounters {}

impl EnergyCounters {
    /// Those that the library shows.
    ///
    /// # Errors
    /// If the library or a function of it is missing. A library that refuses shows none.
    #[allow(unsafe_code)]
    pub fn open() -> Result<Self, Missing> {
        let library = Library::open("libnvidia-ml")?;
        // SAFETY: the types are those of the header, and this keeps the library.
        let (init, count, handle, energy) = unsafe {
            (
                library.function::<unsafe extern "C" fn() -> Status>("nvmlInit_v2")?,
                library.function::<unsafe extern "C" fn(*mut c_uint) -> Status>(
                    "nvmlDeviceGetCount_v2",
                )?,
                library.function::<unsafe extern "C" fn(c_uint, *mut Handle) -> Status>(
                    "nvmlDeviceGetHandleByIndex_v2",
                )?,
                library.function::<Energy>("nvmlDeviceGetTotalEnergyConsumption")?,
            )
        };
        let mut devices = 0;
        // SAFETY: it may be called any number of times; the other writes one number.
        let is_there = unsafe { init() == 0 && count(&raw mut devices) == 0 };
        let numbers = 0..if is_there { devices } else { 0 };
        let found = numbers.filter_map(|number| {
            let mut found = ptr::null_mut();
            // SAFETY: it writes one handle.
            let is_there = unsafe { handle(number, &raw mut found) } == 0;
            (is_there && millijoules(energy, found).is_some()).then_some((number as usize, found))
        });
        Ok(Self { energy, devices: found.collect(), _library: library })
    }

    /// The numbers that the library gives the devices.
    pub fn devices(&self) -> impl Iterator<Item = usize> + '_ {
        self.devices.iter().map(|&(number, _)| number)
    }

    /// What the device at `place` among them has taken since the driver was loaded; none if it does
    /// not say.
    #[must_use]
    pub fn millijoules(&self, place: usize) -> Option<u64> {
        millijoules(self.energy, self.devices[place].1)
    }
}

#[allow(unsafe_code)]
fn millijoules(energy: Energy, device: Handle) -> Option<u64> {
    let mut taken = 0;
    // SAFETY: it writes one number, and the handle is one that the library gave.
    (unsafe { energy(device, &raw mut taken) } == 0).then_some(taken)
}
