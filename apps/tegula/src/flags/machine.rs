//! `--devices`, `--memory`, `--scratch`: the machine that tasks run on, beside its cores.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use tegula_kernels::kernel::KERNELS;
use tegula_runtime::sched::{EvictionPolicy, Policy};

use super::choice::MachineChoice;
use super::devices::CudaDevices;
use super::{chosen_eviction, evictions, member};
use crate::error::refused;
use crate::machine::usable_memory;
use crate::output::check_folder;

/// Help of `--devices`, in short and at length.
const DEVICES_HELP: &str =
    "Accelerators: none, all, 0,1 or 0:8GiB,1, or emulated:N:MEMORY[:RATE[:SPEED]] [default: all]";
const DEVICES_PAGE: &str = "\
    Accelerators: none, all that are found, numbers as 0,1, where 0:8GiB takes at most so much of \
    the memory, or emulated:N:MEMORY[:RATE[:SPEED]], N threads with memories of their own (lists of unequal ones separated by /; RATE 12GB/s and SPEED \
    1, that of a core, if not given) [default: all; of several ranks on a host each its share]";

/// Accelerators and memory.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct MachineFlags {
    // Not a comment of documentation, in which brackets would be links.
    #[arg(long, value_name = "DEVICES", value_parser = parse_devices, help = DEVICES_HELP, long_help = DEVICES_PAGE)]
    devices: Option<Devices>,
    /// Most memory of matrices and buffers, as 8GiB [default: nine tenths of what there is]
    ///
    /// What does not fit goes to --scratch. Of several ranks on a host each has a share of the
    /// memory by default.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Folder for what does not fit the memory
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Keep one core for these kernels alone ("tegula bench kernels --list"), separated by commas
    #[arg(long, value_name = "KERNELS", value_delimiter = ',', value_parser = kernels(), hide_possible_values = true)]
    dedicate: Vec<&'static str>,
    /// What leaves a memory that is full [default: what suits the policy]
    #[arg(long, value_name = "NAME", value_parser = evictions())]
    eviction: Option<usize>,
}

/// A parser of the names of kernels that a core can be kept for: those of cards whose names are
/// also those of codelets, and the covariances.
pub(crate) fn kernels() -> impl TypedValueParser<Value = &'static str> {
    let dense = KERNELS.iter().filter(|kernel| !kernel.name.ends_with("-strips"));
    let covariance = ("covariance", "a tile of covariances");
    let named: Vec<_> =
        dense.map(|kernel| (kernel.name, kernel.formula)).chain([covariance]).collect();
    member(named.clone()).map(move |index| named[index].0)
}

/// An accelerator that a thread plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Emulated {
    pub(super) memory: u64,
    pub(super) bytes_per_second: f64,
    pub(super) speed: f64,
}

/// Accelerators, as asked for.
#[derive(Clone, Debug, PartialEq)]
enum Devices {
    None,
    All,
    Cuda(Vec<Asked>),
    Emulated(Vec<Emulated>),
}

/// CUDA devices, as asked for.
#[derive(Clone, Debug)]
pub(crate) struct AskedDevices(Devices);

/// Parses CUDA devices: none, all, numbers.
pub(crate) fn parse_asked_devices(text: &str) -> Result<AskedDevices, String> {
    match parse_devices(text)? {
        Devices::Emulated(_) => Err("write none, all or numbers as 0,1: threads that play \
                                     accelerators are as fast as flags say"
            .to_owned()),
        devices => Ok(AskedDevices(devices)),
    }
}

impl AskedDevices {
    /// Opens them.
    ///
    /// # Errors
    /// If one is not there or cannot be opened.
    pub(crate) fn open(&self) -> Result<CudaDevices> {
        match &self.0 {
            Devices::All => Ok(CudaDevices::all()),
            Devices::Cuda(asked) => CudaDevices::asked(asked),
            Devices::None | Devices::Emulated(_) => Ok(CudaDevices::default()),
        }
    }
}

/// A CUDA device that was asked for: its number, and the most bytes to take of its memory.
pub(super) type Asked = (usize, Option<u64>);

/// Rate of an emulated accelerator's bus unless told otherwise: that of PCI Express 3 with 16
/// lanes.
const RATE: f64 = 12e9;

/// Most accelerators of one machine.
const MOST_DEVICES: usize = 16;

fn parse_devices(text: &str) -> Result<Devices, String> {
    match text {
        "none" => return Ok(Devices::None),
        "all" => return Ok(Devices::All),
        _ => {}
    }
    if let Some(rest) = text.strip_prefix("emulated:") {
        return parse_emulated(rest).map(Devices::Emulated);
    }
    text.split(',').map(parse_asked).collect::<Result<_, _>>().map(Devices::Cuda)
}

/// Parses `1`, `1:8GiB`.
fn parse_asked(text: &str) -> Result<Asked, String> {
    let (number, memory) =
        text.split_once(':').map_or((text, None), |(number, memory)| (number, Some(memory)));
    let number = number.parse().map_err(
        |_| "write none, all, numbers as 0,1 or 0:8GiB,1, or emulated:N:MEMORY[:RATE[:SPEED]]",
    )?;
    Ok((number, memory.map(parse_bytes).transpose()?))
}

fn parse_emulated(text: &str) -> Result<Vec<Emulated>, String> {
    let parts: Vec<&str> = text.split(':').collect();
    if !(2..=4).contains(&parts.len()) {
        return Err(
            "write emulated:N:MEMORY[:RATE[:SPEED]], as emulated:2:256MiB:1GB:0.5".to_owned()
        );
    }
    let count: usize =
        parts[0].parse().ok().filter(|count| (1..=MOST_DEVICES).contains(count)).ok_or_else(
            || format!("'{}' is no number of devices from 1 to {MOST_DEVICES}", parts[0]),
        )?;
    let memories = list(parts[1], count, "memories", parse_bytes)?;
    let rates = match parts.get(2) {
        // Slashes separate rates, too.
        Some(text) => list(&text.replace("/s", ""), count, "rates", parse_rate)?,
        None => vec![RATE; count],
    };
    let speeds = match parts.get(3) {
        Some(text) => list(text, count, "speeds", parse_speed)?,
        None => vec![1.0; count],
    };
    let devices = memories.into_iter().zip(rates).zip(speeds);
    let device = |((memory, bytes_per_second), speed)| Emulated { memory, bytes_per_second, speed };
    Ok(devices.map(device).collect())
}

/// One value for all of `count` devices, or as many as there are, separated by slashes.
fn list<T: Clone>(
    text: &str,
    count: usize,
    what: &str,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let values: Vec<T> = text.split('/').map(parse).collect::<Result<_, _>>()?;
    match values.len() {
        1 => Ok(vec![values[0].clone(); count]),
        length if length == count => Ok(values),
        length => Err(format!("{length} {what} for {count} devices: give one, or one for each")),
    }
}

/// Parses `600MB`, `12GB/s`, in bytes per second.
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let bytes = parse_bytes(text.strip_suffix("/s").unwrap_or(text));
    let wrong = |_| format!("'{text}' is no rate above 0, as 12GB/s or 600MB");
    bytes.map(|bytes| bytes as f64).map_err(wrong)
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| *speed > 0.0 && *speed <= 1.0);
    speed.ok_or_else(|| {
        format!(
            "'{text}' is no speed of an emulated device: above 0, and at most 1, that of a core"
        )
    })
}

/// Units of memory, the longest first.
const UNITS: &[(&str, f64)] = &[
    ("TiB", (1u64 << 40) as f64),
    ("GiB", (1u64 << 30) as f64),
    ("MiB", (1u64 << 20) as f64),
    ("KiB", 1024.0),
    ("TB", 1e12),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("B", 1.0),
    ("", 1.0),
];

/// Parses `8GiB`, `500MB`, `1048576`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    let factor = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let value = number.trim().parse().ok().filter(|value: &f64| *value > 0.0 && *value < 1e18);
    match (value, factor) {
        (Some(value), Some((_, factor))) if value * factor >= 1.0 && value * factor < 1e18 => {
            Ok((value * factor) as u64)
        }
        _ => Err(format!("'{text}' is no amount of memory, as 8GiB, 500MB or 1048576")),
    }
}

/// Memory where the system does not tell how much there is.
const UNKNOWN_MEMORY: u64 = 1 << 30;

impl MachineFlags {
    /// Whether nothing was asked for.
    pub(super) fn is_default(&self) -> bool {
        self.is_plain() && self.eviction.is_none()
    }

    /// Whether nothing was asked for but what leaves a full memory.
    pub(super) fn is_plain(&self) -> bool {
        let Self { devices, memory, scratch, dedicate, .. } = self;
        devices.is_none() && memory.is_none() && scratch.is_none() && dedicate.is_empty()
    }

    /// What leaves a full memory under `policy`.
    pub(super) fn eviction(&self, policy: &Policy) -> &'static EvictionPolicy {
        chosen_eviction(self.eviction, policy)
    }

    /// Bytes of memory that the run may use.
    pub(super) fn memory(&self) -> u64 {
        let there = usable_memory();
        let least = |asked: u64| there.map_or(asked, |there| asked.min(there));
        self.memory.map(least).or(there).unwrap_or(UNKNOWN_MEMORY)
    }

    /// Folder for what does not fit the memory, if one was named.
    pub(super) fn scratch(&self) -> Option<PathBuf> {
        self.scratch.clone()
    }

    /// Settles the defaults beside `cores` cores, for a computation of these codelets.
    ///
    /// # Errors
    /// If a device was asked for that is not there, the folder for the rest takes no file, or flags
    /// contradict each other or the computation.
    pub(super) fn resolve(&self, cores: usize, codelets: &[&str]) -> Result<MachineChoice> {
        let (devices, cuda) = match &self.devices {
            Some(Devices::None) => (Vec::new(), CudaDevices::default()),
            None | Some(Devices::All) => (Vec::new(), CudaDevices::all()),
            Some(Devices::Cuda(asked)) => (Vec::new(), CudaDevices::asked(asked)?),
            Some(Devices::Emulated(devices)) => (devices.clone(), CudaDevices::default()),
        };
        if let Some(folder) = &self.scratch {
            check_folder(folder).map_err(|reason| refused(format!("--scratch: {reason}")))?;
        }
        if cores == 0 && devices.is_empty() && cuda.is_empty() {
            return Err(refused(
                "--workers 0 leaves the work to accelerators, and there is none: name some by \
                 --devices"
                    .to_owned(),
            ));
        }
        let dedicate = self.dedicated(cores, codelets)?;
        let Self { memory, scratch, eviction, .. } = self.clone();
        let limit = None;
        Ok(MachineChoice { cores, devices, cuda, memory, scratch, eviction, dedicate, limit })
    }

    /// What one core is kept for.
    fn dedicated(&self, cores: usize, codelets: &[&str]) -> Result<Vec<&'static str>> {
        let names = self.dedicate.clone();
        if !names.is_empty() && cores < 2 {
            return Err(refused(
                "--dedicate keeps one core for some kernels: the rest needs --workers 2 at least"
                    .to_owned(),
            ));
        }
        if let Some(unused) = names.iter().find(|name| !codelets.contains(name)) {
            return Err(refused(format!(
                "--dedicate {unused}: this run has no such kernel; it has {}",
                codelets.join(", ")
            )));
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        for (text, expected) in
            [("8GiB", 8 << 30), ("1.5 MiB", 3 << 19), ("500MB", 500_000_000), ("64", 64)]
        {
            assert_eq!(parse_bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "GiB", "-1GiB", "1 GiX", "0", "nan", "1e30GB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_of_devices() {
        let devices = parse_devices("emulated:2:64MiB:1GB/2GB:0.5").expect("it is well written");
        let device = |bytes_per_second| Emulated { memory: 64 << 20, bytes_per_second, speed: 0.5 };
        assert_eq!(devices, Devices::Emulated(vec![device(1e9), device(2e9)]));
        assert_eq!(parse_devices("0,2"), Ok(Devices::Cuda(vec![(0, None), (2, None)])));
        let some = vec![(1, Some(8 << 30)), (0, None)];
        assert_eq!(parse_devices("1:8GiB,0"), Ok(Devices::Cuda(some)));
        for text in
            ["emulated", "emulated:0:1GiB", "emulated:3:1GiB/2GiB", "emulated:1:1GiB:1GB:2", "gpu"]
        {
            assert!(parse_devices(text).is_err(), "{text}");
        }
    }
}
