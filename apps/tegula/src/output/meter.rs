//! The energy that this machine counts while the flow of a command runs.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::{Map, Value};
use tegula_runtime::energy::{Energy, Meter, NoMeter, ZONES};
use tegula_runtime::flow::Flow;

use super::{Console, energy};
use crate::{ranks, seat};

/// Names the folder of the zones of power capping where they are elsewhere, as in a container that
/// sees those of its host.
const VARIABLE: &str = "TEGULA_POWERCAP";

/// What a host without counters adds to the number of hosts: more than there are.
const LACKING: u64 = 1 << 32;

thread_local! {
    /// What had been counted as the flow of this thread began.
    static BEFORE: RefCell<Option<Energy>> = const { RefCell::new(None) };
}

/// The flow of this thread begins.
pub(crate) fn begin_energy() {
    BEFORE.set(meter().ok().map(Meter::energy));
}

/// The meter of this process.
pub(crate) fn meter() -> Result<&'static Meter, &'static NoMeter> {
    static METER: OnceLock<Result<Meter, NoMeter>> = OnceLock::new();
    let zones = || std::env::var_os(VARIABLE).map_or_else(|| ZONES.into(), PathBuf::from);
    METER.get_or_init(|| Meter::start(&zones())).as_ref()
}

/// 1 on the rank that counts for its host, the first one there, and 0 on others.
fn counts() -> u64 {
    u64::from(ranks::allocation().place == 0)
}

/// The joules of `here` that this rank counts for its host.
pub(crate) fn joules_of_host(here: &Energy) -> f64 {
    here.joules() * counts() as f64
}

/// Joules as ranks sum them up.
pub(crate) fn microjoules(joules: f64) -> u64 {
    (1e6 * joules).round() as u64
}

/// The energy of a run.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// Of this machine.
    here: Energy,
    /// Joules of all hosts.
    joules: f64,
    hosts: u64,
}

impl Measured {
    /// What was counted since the flow began; none if a host of the run counts nothing, or other
    /// commands run beside this one. All ranks call this.
    pub(super) fn of(flow: &Flow) -> Option<Self> {
        if seat::engine().is_some() {
            return None;
        }
        let before = BEFORE.with_borrow(Clone::clone).unwrap_or_default();
        let here = meter().ok().map(|meter| meter.energy().since(&before));
        let host = if here.is_some() { 1 } else { LACKING };
        let mine = [microjoules(here.as_ref().map_or(0.0, joules_of_host)), host * counts()];
        let [microjoules, hosts] = flow.total(mine).ok()?;
        let joules = 1e-6 * microjoules as f64;
        here.filter(|_| hosts < LACKING).map(|here| Self { here, joules, hosts })
    }

    /// What came on top of `before`, an earlier state of the same run.
    pub(super) fn since(self, before: &Self) -> Self {
        let here = self.here.since(&before.here);
        Self { here, joules: self.joules - before.joules, ..self }
    }

    /// Joules of all hosts.
    pub(super) fn joules(&self) -> f64 {
        self.joules
    }

    pub(super) fn describe(&self, console: &Console) {
        let Energy { seconds, parts } = &self.here;
        let all = energy(self.joules, *seconds);
        let whose = match self.hosts {
            1 => {
                let part = |(name, joules): &(String, f64)| {
                    format!("{name} {}", energy(*joules, *seconds))
                };
                parts.iter().map(part).collect::<Vec<_>>().join("; ")
            }
            hosts => format!("{hosts} hosts"),
        };
        console.field("energy", format_args!("{all}, with all that runs there ({whose})"));
    }

    /// Adds the time in which it was counted, and the parts of this machine, to a result.
    pub(super) fn describe_parts(&self, into: &mut Map<String, Value>) {
        into.insert("energy_seconds".to_owned(), self.here.seconds.into());
        let parts = self.here.parts.iter().map(|(name, joules)| (name.clone(), (*joules).into()));
        into.insert("energy_parts".to_owned(), Value::Object(parts.collect()));
    }
}
