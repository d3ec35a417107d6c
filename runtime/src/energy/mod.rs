//! The energy that this machine takes, as its processors and devices count it.
//!
//! Processors: the zones of Linux's power capping (RAPL). Devices: NVIDIA's management library.
//! Both count what the whole machine takes, whoever runs on it.

mod zones;

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::cuda::EnergyCounters;
use zones::Zone;

/// Where Linux shows the zones of power capping.
pub const ZONES: &str = "/sys/class/powercap";

/// How often counters are read: a zone counts up to some 262 kJ and begins anew, which a processor
/// of 1 kW does after 262 seconds.
const PERIOD: Duration = Duration::from_secs(60);

/// Counts the energy of this machine from when it is made.
#[derive(Debug)]
pub struct Meter {
    counters: Arc<Mutex<Counters>>,
    start: Instant,
    /// The thread that reads the counters now and then, and what ends it.
    reader: Option<(Sender<()>, JoinHandle<()>)>,
}

/// What a [`Meter`] has counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    /// Seconds in which it was counted.
    pub seconds: f64,
    /// Joules of each part of the machine, by its name: `package-0`, `package-0 dram`, `device 0`.
    pub parts: Vec<(String, f64)>,
}

/// Why there is nothing to count by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMeter {
    /// Neither processors nor devices have counters.
    #[error("neither {0} nor NVIDIA's management library has a counter of energy")]
    Nothing(String),
    /// There are counters, which this user may not read.
    #[error(
        "{0}: {1}; whoever administers the machine can allow it (chmod o+r), since some processors \
         leak secrets by their energy"
    )]
    Forbidden(String, String),
}

/// The counters of the machine.
struct Counters {
    zones: Vec<Zone>,
    devices: Option<EnergyCounters>,
    /// Of each device millijoules at the start.
    before: Vec<u64>,
}

impl Energy {
    /// Joules of all parts.
    #[must_use]
    pub fn joules(&self) -> f64 {
        self.parts.iter().map(|(_, joules)| joules).sum()
    }

    /// What came on top of `before`, an earlier count of the same meter.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        self.seconds -= before.seconds;
        for ((_, now), (_, before)) in self.parts.iter_mut().zip(&before.parts) {
            *now -= before;
        }
        self
    }
}

impl Meter {
    /// One by the zones in the folder `zones`, mostly [`ZONES`], and by the devices that NVIDIA's
    /// management library shows.
    ///
    /// # Errors
    /// If there are none, or they cannot be read.
    pub fn start(zones: &Path) -> Result<Self, NoMeter> {
        let devices = EnergyCounters::open().ok().filter(|found| found.devices().count() > 0);
        let zones = match zones::find(zones) {
            Ok(found) if found.is_empty() && devices.is_none() => {
                return Err(NoMeter::Nothing(zones.display().to_string()));
            }
            Ok(found) => found,
            Err(_) if devices.is_some() => Vec::new(),
            Err((file, error)) => {
                return Err(NoMeter::Forbidden(file.display().to_string(), error.to_string()));
            }
        };
        let before = match &devices {
            Some(found) => {
                let places = 0..found.devices().count();
                places.map(|place| found.millijoules(place).unwrap_or(0)).collect()
            }
            None => Vec::new(),
        };
        let counters = Arc::new(Mutex::new(Counters { zones, devices, before }));
        let (end, ended) = channel::<()>();
        let read = {
            let counters = Arc::clone(&counters);
            move || {
                while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                    locked(&counters).read();
                }
            }
        };
        let reader = Builder::new().name("energy".to_owned()).spawn(read).ok();
        let reader = reader.map(|reader| (end, reader));
        Ok(Self { counters, start: Instant::now(), reader })
    }

    /// What it has counted so far.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let mut counters = locked(&self.counters);
        counters.read();
        Energy { seconds: self.start.elapsed().as_secs_f64(), parts: counters.parts() }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((end, reader)) = self.reader.take() {
            drop(end);
            // It has not panicked, and nothing is lost if it has.
            let _ = reader.join();
        }
    }
}

fn locked(counters: &Mutex<Counters>) -> std::sync::MutexGuard<'_, Counters> {
    counters.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Counters {
    /// Reads what may begin anew.
    fn read(&mut self) {
        self.zones.iter_mut().for_each(Zone::read);
    }

    fn parts(&self) -> Vec<(String, f64)> {
        let zones = self.zones.iter().map(Zone::part);
        let devices = self.devices.iter().flat_map(|found| {
            found.devices().zip(&self.before).enumerate().map(|(place, (number, &before))| {
                let now = found.millijoules(place).unwrap_or(before);
                (format!("device {number}"), 1e-3 * now.saturating_sub(before) as f64)
            })
        });
        zones.chain(devices).collect()
    }
}

impl std::fmt::Debug for Counters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.parts()).finish()
    }
}
