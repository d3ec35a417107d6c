//! The described machine with less, or with a disk below it: flags that change it.

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_plan::platform::Platform;
use tegula_runtime::platform::{
    ClassId, MAX_MEMORIES, Machine, MemoryId, MemoryKind, Models, Worker,
};

use crate::error::refused;
use crate::flags::{DISK_RATE, kernels, parse_bytes, parse_rate};
use crate::output::{bytes, count};

/// What is changed of the machine.
#[derive(Args, Debug)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Changes {
    /// Leave only so many accelerators
    #[arg(long, value_name = "N")]
    devices: Option<usize>,
    /// So many cores, equal to those there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=65536))]
    cores: Option<u32>,
    /// Limit the memory of each accelerator
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    device_memory: Option<u64>,
    /// Limit every link, also those that routes share, in bytes per second
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    link_rate: Option<f64>,
    /// Limit the RAM; what does not fit goes to a disk
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Bytes per second that this disk reads, and writes [default: 500MB]
    #[arg(long, value_name = "RATE", value_parser = parse_rate, requires = "memory")]
    disk_rate: Option<f64>,
    /// Tasks whose data an accelerator's memory holds at once, the running one included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pipeline: Option<u16>,
    /// Keep one core for these kernels alone, separated by commas
    #[arg(long, value_name = "KERNELS", value_delimiter = ',', value_parser = kernels())]
    dedicate: Vec<&'static str>,
}

impl Changes {
    /// # Errors
    /// If anything is to be changed: the nodes of a cluster are as its file says.
    pub(in crate::simulate) fn refuse_for_cluster(&self) -> Result<()> {
        let changes = self.describe();
        if changes.is_empty() {
            return Ok(());
        }
        Err(refused(format!(
            "{changes}: flags that change the machine are for one node; describe a cluster in a file, \
             with speed, bytes_per_second and devices of its nodes"
        )))
    }

    /// `platform` with these changes.
    ///
    /// # Errors
    /// If one of them asks for what there is not, or no worker is left.
    pub(in crate::simulate) fn apply(&self, platform: Platform) -> Result<Platform> {
        let Platform { name, mut machine, mut models, .. } = platform;
        self.keep_workers(&mut machine, &name)?;
        if let Some(bytes) = self.device_memory {
            machine.limit_devices(bytes);
        }
        if let Some(rate) = self.link_rate {
            machine.limit_links(rate);
        }
        self.limit_ram(&mut machine, &name)?;
        if let Some(pipeline) = self.pipeline {
            let devices = machine.workers.iter_mut().filter(|w| w.memory != MemoryId::RAM);
            devices.for_each(|worker| worker.pipeline = pipeline.into());
        }
        if !self.dedicate.is_empty() {
            if count_cores(&machine) < 2 {
                return Err(refused("--dedicate keeps one core: the rest needs another at least"));
            }
            machine.dedicate_core(&self.dedicate);
            models = for_classes(&models, &machine);
        }
        Ok(Platform { name, machine, models, ..platform })
    }

    /// Leaves so many workers as asked for.
    fn keep_workers(&self, machine: &mut Machine, name: &str) -> Result<()> {
        let devices = machine.memories.iter().filter(|m| m.kind == MemoryKind::Device).count();
        if let Some(wanted) = self.devices {
            if wanted > devices {
                return Err(refused(format!(
                    "--devices {wanted}: {name} has {}",
                    count(devices, "accelerator")
                )));
            }
            machine.keep_devices(wanted);
        }
        if let Some(wanted) = self.cores.map(|cores| cores as usize) {
            if wanted > 0 && count_cores(machine) == 0 {
                return Err(refused(format!("--cores {wanted}: {name} has no core to copy")));
            }
            machine.keep_cores(wanted);
            grow_cores(machine, wanted);
        }
        if machine.workers.is_empty() {
            return Err(refused("--cores and --devices leave no worker"));
        }
        Ok(())
    }

    fn limit_ram(&self, machine: &mut Machine, name: &str) -> Result<()> {
        let Some(bytes) = self.memory else { return Ok(()) };
        if machine.has_disk() {
            if self.disk_rate.is_some() {
                return Err(refused(format!("--disk-rate: {name} has a disk with its own rates")));
            }
            let capacity = &mut machine.memories[0].capacity;
            *capacity = Some(capacity.map_or(bytes, |there| there.min(bytes)));
        } else if machine.memories.len() == MAX_MEMORIES {
            return Err(refused(format!(
                "--memory: {name} has {MAX_MEMORIES} memories, and no place for a disk below them"
            )));
        } else {
            let rate = self.disk_rate.unwrap_or(DISK_RATE);
            machine.limit_ram(bytes, rate, rate);
        }
        Ok(())
    }

    /// The changes that were asked for, in words.
    pub(super) fn describe(&self) -> String {
        let rate = |rate: f64| format!("{}/s", bytes(rate));
        let dedicated = self.dedicate.join(" and ");
        let parts = [
            self.cores.map(|cores| count(cores as usize, "core")),
            self.devices.map(|devices| count(devices, "accelerator")),
            self.device_memory.map(|most| format!("{} on each accelerator", bytes(most as f64))),
            self.link_rate.map(|most| format!("links of at most {}", rate(most))),
            self.memory.map(|most| format!("{} of RAM, the rest on disk", bytes(most as f64))),
            self.disk_rate.map(|disk| format!("a disk of {}", rate(disk))),
            self.pipeline.map(|pipeline| format!("pipelines of {pipeline}")),
            (!dedicated.is_empty()).then(|| format!("one core for {dedicated} alone")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Adds the changes to a result; null: none.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        for (key, value) in [
            ("cores", json!(self.cores)),
            ("devices", json!(self.devices)),
            ("device_memory", json!(self.device_memory)),
            ("link_rate", json!(self.link_rate)),
            ("memory", json!(self.memory)),
            ("disk_rate", json!(self.disk_rate)),
            ("pipeline", json!(self.pipeline)),
            ("dedicate", json!(self.dedicate)),
        ] {
            into.insert(key.to_owned(), value);
        }
    }
}

fn count_cores(machine: &Machine) -> usize {
    machine.workers.iter().filter(|worker| worker.memory == MemoryId::RAM).count()
}

/// Adds cores like the first one until there are `count`.
fn grow_cores(machine: &mut Machine, count: usize) {
    let first = machine.workers.iter().find(|worker| worker.memory == MemoryId::RAM).cloned();
    let Some(first) = first else { return };
    for number in count_cores(machine)..count {
        machine.workers.push(Worker { name: format!("CPU {number}"), ..first.clone() });
    }
}

/// `models` for the classes of `machine`: those of one name share their times.
fn for_classes(models: &Models, machine: &Machine) -> Models {
    let again = Models::new(machine);
    models.entries().iter().for_each(|entry| again.enter(entry));
    for (number, class) in machine.classes.iter().enumerate() {
        let first = machine.classes.iter().position(|other| other.name == class.name);
        again.guess(ClassId(number), models.guess_of(ClassId(first.expect("itself at least"))));
    }
    again
}
