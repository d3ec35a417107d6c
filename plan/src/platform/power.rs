//! What a machine draws, and the energy that a run takes of it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;
use tegula_runtime::platform::Machine;
use tegula_runtime::trace::Totals;
use toml::Spanned;

use super::PlatformError;
use super::read::Reader;

/// Watts of a node or of a part of one.
const WATTS: RangeInclusive<f64> = 0.0..=1e6;

/// Electric power of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Power {
    /// Watts of the whole node while nothing computes on it.
    pub idle: f64,
    /// Watts that one worker takes on top of that while it computes, by the name of its class.
    pub classes: BTreeMap<String, f64>,
    /// Watts of workers that run one codelet, where they are others: by class and codelet.
    pub kernels: BTreeMap<(String, String), f64>,
}

impl Power {
    /// Watts that a worker of `class` takes on top of the idle node while it runs `codelet`.
    #[must_use]
    pub fn watts(&self, codelet: &str, class: &str) -> f64 {
        let of_kernel = self.kernels.get(&(class.to_owned(), codelet.to_owned()));
        of_kernel.or_else(|| self.classes.get(class)).copied().unwrap_or(0.0)
    }

    /// Joules that a node with `machine` takes in so many `seconds`, in which its workers computed
    /// as `totals` of a simulation say: `idle seconds + sum of watts of each task by its time`.
    #[must_use]
    pub fn joules(&self, machine: &Machine, totals: &Totals, seconds: f64) -> f64 {
        let of_tasks = totals.computed.iter().map(|computed| {
            let class = &machine.classes[computed.class].name;
            self.watts(computed.codelet, class) * 1e-9 * computed.nanoseconds as f64
        });
        self.idle * seconds + of_tasks.sum::<f64>()
    }

    /// Its lines in a file: class, codelet and watts.
    pub(super) fn lines(&self) -> Vec<(Option<&str>, Option<&str>, f64)> {
        let classes =
            self.classes.iter().map(|(class, &watts)| (Some(class.as_str()), None, watts));
        let kernels = self.kernels.iter().map(|((class, codelet), &watts)| {
            (Some(class.as_str()), Some(codelet.as_str()), watts)
        });
        [(None, None, self.idle)].into_iter().chain(classes).chain(kernels).collect()
    }
}

/// A line on power: of the idle node, of a class, or of a codelet on a class.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PowerPart {
    class: Option<String>,
    codelet: Option<String>,
    watts: f64,
}

impl Reader<'_> {
    /// What the lines say of `machine`; none, if there are none.
    pub(super) fn power(
        &self,
        parts: &[Spanned<PowerPart>],
        machine: &Machine,
    ) -> Result<Option<Power>, PlatformError> {
        let known: Vec<&str> = machine.classes.iter().map(|class| class.name.as_str()).collect();
        let (mut power, mut idle) = (Power::default(), None);
        for part in parts {
            let PowerPart { class, codelet, watts } = part.get_ref();
            let watts = self.within(part, "watts", *watts, &WATTS)?;
            if let Some(class) = class {
                self.find(part, "class", class, &known)?;
            }
            let before = match (class.clone(), codelet.clone()) {
                (None, None) => idle.replace(watts),
                (Some(class), None) => power.classes.insert(class, watts),
                (Some(class), Some(codelet)) => power.kernels.insert((class, codelet), watts),
                (None, Some(codelet)) => {
                    let why = format_args!("codelet '{codelet}': say on which class, too");
                    return self.wrong(part, why);
                }
            };
            if before.is_some() {
                return self.wrong(part, "watts: they stood before; give one line for each");
            }
        }
        match (idle, parts.first()) {
            (Some(idle), _) => Ok(Some(Power { idle, ..power })),
            (None, None) => Ok(None),
            (None, Some(part)) => {
                self.wrong(part, "power: give the watts of the idle node, too: { watts = 100.0 }")
            }
        }
    }
}
