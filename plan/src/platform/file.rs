//! The parts of a description of a machine as they stand in the file.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use tegula_kernels::scalar::Precision;
use tegula_runtime::platform::{MemoryKind, WorkerKind};
use toml::Spanned;

use super::power::PowerPart;

/// A description of a machine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) source: String,
    precision: Option<PrecisionWord>,
    pub(super) network: Option<Spanned<NetworkPart>>,
    pub(super) memory: Vec<Spanned<MemoryPart>>,
    #[serde(default)]
    pub(super) link: Vec<Spanned<LinkPart>>,
    #[serde(default)]
    pub(super) route: Vec<Spanned<RoutePart>>,
    pub(super) class: Vec<Spanned<ClassPart>>,
    pub(super) worker: Vec<Spanned<WorkerPart>>,
    #[serde(default)]
    pub(super) kernel: Vec<Spanned<KernelPart>>,
    #[serde(default)]
    pub(super) power: Vec<Spanned<PowerPart>>,
}

impl File {
    pub(super) fn precision(&self) -> Option<Precision> {
        self.precision.map(|word| match word {
            PrecisionWord::S => Precision::Single,
            PrecisionWord::D => Precision::Double,
        })
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PrecisionWord {
    S,
    D,
}

/// The network of a node.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkPart {
    pub(super) site: String,
    pub(super) bytes_per_second: f64,
    pub(super) latency_seconds: f64,
}

/// A memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryPart {
    pub(super) name: String,
    kind: MemoryWord,
    capacity: Option<Capacity>,
    installed: Option<Capacity>,
}

impl MemoryPart {
    pub(super) fn kind(&self) -> MemoryKind {
        match self.kind {
            MemoryWord::Ram => MemoryKind::Ram,
            MemoryWord::Socket => MemoryKind::Socket,
            MemoryWord::Device => MemoryKind::Device,
            MemoryWord::Disk => MemoryKind::Disk,
        }
    }

    pub(super) fn installed(&self) -> Option<u64> {
        self.installed.as_ref().map(|installed| installed.0)
    }

    pub(super) fn capacity(&self) -> Option<u64> {
        self.capacity.as_ref().map(|capacity| capacity.0)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MemoryWord {
    Ram,
    Socket,
    Device,
    Disk,
}

/// A link.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkPart {
    pub(super) name: String,
    pub(super) bytes_per_second: f64,
}

/// A route.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoutePart {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) links: Vec<String>,
    pub(super) latency_seconds: f64,
}

/// A class of workers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassPart {
    pub(super) name: String,
    kind: ClassWord,
    #[serde(default = "one")]
    pub(super) speed: f64,
    pub(super) gflops: Option<f64>,
    pub(super) gbytes_per_second: Option<f64>,
}

impl ClassPart {
    pub(super) fn kind(&self) -> WorkerKind {
        match self.kind {
            ClassWord::Cpu => WorkerKind::Cpu,
            ClassWord::Emulated => WorkerKind::Emulated,
            ClassWord::Cuda => WorkerKind::Cuda,
        }
    }
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ClassWord {
    Cpu,
    Emulated,
    Cuda,
}

/// Workers that are alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkerPart {
    pub(super) class: String,
    pub(super) memory: String,
    pub(super) count: Option<usize>,
    pub(super) pipeline: Option<usize>,
}

/// The time of a kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelPart {
    pub(super) codelet: String,
    pub(super) class: String,
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
    pub(super) seconds: Option<f64>,
    pub(super) deviation: Option<f64>,
    pub(super) samples: Option<u64>,
    pub(super) gflops: Option<f64>,
    pub(super) gbytes_per_second: Option<f64>,
    pub(super) overhead_seconds: Option<f64>,
    #[serde(default)]
    pub(super) never: bool,
}

/// A number of bytes: a whole number, or text like `4.7GiB`.
#[derive(Clone, Copy, Debug)]
struct Capacity(u64);

impl<'de> Deserialize<'de> for Capacity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CapacityVisitor)
    }
}

struct CapacityVisitor;

impl Visitor<'_> for CapacityVisitor {
    type Value = Capacity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes, as 5046586572 or \"4.7GiB\"")
    }

    fn visit_i64<E: Error>(self, bytes: i64) -> Result<Capacity, E> {
        u64::try_from(bytes).map(Capacity).map_err(|_| E::custom(format!("{bytes} bytes")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Capacity, E> {
        amount(text).map(Capacity).ok_or_else(|| {
            E::custom(format!("'{text}' is no number of bytes; write it as 5046586572 or 4.7GiB"))
        })
    }
}

/// Units of an amount of memory, each 1024 times the one before.
pub(super) const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// Bytes of an amount such as `4.7GiB`, rounded.
fn amount(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let power = UNITS.iter().position(|known| *known == unit || unit.is_empty())?;
    let bytes = number.parse::<f64>().ok()? * 1024f64.powi(power as i32);
    (bytes < 2f64.powi(63)).then_some(bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_have_units() {
        assert_eq!(amount("4.7GiB"), Some(5_046_586_573));
        assert_eq!(amount("512 MiB"), Some(512 << 20));
        assert_eq!((amount("17"), amount("17B")), (Some(17), Some(17)));
        for wrong in ["", "GiB", "4GB", "-1GiB", "1e3", "9999999TiB", "1.2.3MiB"] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
    }
}
