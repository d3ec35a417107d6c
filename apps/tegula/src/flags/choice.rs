//! The machine that a run settled on: what fits it, and how it is described.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};
use tegula_runtime::exec::accelerator::Accelerator;
use tegula_runtime::platform::{Machine, MemoryId, Worker, WorkerKind};
use tegula_runtime::sched::{DEFAULT_POLICY, EvictionPolicy, Policy, policy};

use super::chosen_eviction;
use super::devices::CudaDevices;
use super::machine::Emulated;
use crate::error::{no_room, refused};
use crate::machine::{free_bytes, usable_memory};
use crate::output::{bytes, bytes_up, count, rate};
use tegula_linalg::program::Footprint;

/// Cores, accelerators and memory, every default settled.
#[derive(Clone, Debug)]
pub(crate) struct MachineChoice {
    pub(super) cores: usize,
    pub(super) devices: Vec<Emulated>,
    pub(super) cuda: CudaDevices,
    pub(super) memory: Option<u64>,
    pub(super) scratch: Option<PathBuf>,
    pub(super) eviction: Option<usize>,
    /// What one core is kept for.
    pub(super) dedicate: Vec<&'static str>,
    /// Bytes of the RAM, if what is computed on does not fit.
    pub(super) limit: Option<u64>,
}

/// Beside the memory that a run may use, and a tenth of that, it may take 64 MiB; half of it is
/// left to the program itself, the rest to copies.
const SLACK: u64 = 32 << 20;

fn and_copies(copy_bytes: u64) -> String {
    if copy_bytes == 0 {
        return String::new();
    }
    format!(" and {} of copies", bytes(copy_bytes as f64))
}

/// Share of what is announced from which on it is worth saying how much more it may be.
const WORTH_SAYING: f64 = 0.05;

impl MachineChoice {
    /// What it may take at most, if that is much more than what it usually takes.
    fn and_most(&self, footprint: &Footprint) -> String {
        let worth_saying = (1.0 + WORTH_SAYING) * self.needed(footprint) as f64;
        match self.most_needed(footprint).filter(|&most| most as f64 > worth_saying) {
            Some(most) => format!(", at most {} in the worst order of tasks", bytes_up(most)),
            None => String::new(),
        }
    }

    /// Whether all workers share one memory without limit.
    fn has_one_memory(&self) -> bool {
        self.accelerator_count() == 0 && self.limit.is_none()
    }

    /// Whether CUDA devices compute.
    pub(super) fn has_cuda(&self) -> bool {
        !self.cuda.is_empty()
    }

    /// The most bytes that may be held in whatever order workers run tasks, where that is known.
    pub(super) fn most_needed(&self, footprint: &Footprint) -> Option<u64> {
        let more = footprint.race_bytes.filter(|_| self.has_one_memory());
        more.map(|more| self.needed(footprint) + more)
    }

    /// Bytes of the copies that are made on this machine.
    fn copies(&self, footprint: &Footprint) -> u64 {
        if self.has_one_memory() { footprint.copy_bytes } else { 0 }
    }

    /// Bytes of all that is held.
    pub(super) fn needed(&self, footprint: &Footprint) -> u64 {
        footprint.bytes + footprint.plain_bytes + self.copies(footprint)
    }

    /// The most that may be held in the RAM, and who says so.
    pub(super) fn most(&self) -> Option<(u64, &'static str)> {
        let there = usable_memory();
        match self.memory {
            Some(asked) if there.is_none_or(|there| asked <= there) => {
                Some((asked, "--memory allows"))
            }
            _ => there.map(|there| (there, "this process may use")),
        }
    }

    /// Sees to it that what is computed on fits, if need be with the help of the disk.
    ///
    /// # Errors
    /// If it does not fit the memory, and there is no folder with room for the rest.
    pub(super) fn fit(&mut self, footprint: &Footprint) -> Result<()> {
        let Some((most, who)) = self.most() else { return Ok(()) };
        let (copies, plain) = (self.copies(footprint), footprint.plain_bytes);
        let held = footprint.bytes + plain;
        if held <= most && held + copies <= most + most / 10 + SLACK {
            return Ok(());
        }
        let needed = bytes_up(held) + &and_copies(copies);
        let what = format!("this run takes {needed}, {who} {}", bytes(most as f64));
        let Some(folder) = &self.scratch else {
            return Err(no_room(format!(
                "{what}; with --scratch DIR what does not fit goes to a file there"
            )));
        };
        if plain >= most {
            return Err(no_room(format!(
                "{what}, and {} of it no disk takes: allow more memory",
                bytes_up(plain)
            )));
        }
        let most = most - plain;
        let rest = footprint.bytes.saturating_sub(most);
        if let Some(free) = free_bytes(folder).filter(|free| rest > *free) {
            return Err(no_room(format!(
                "{what}, and the rest does not fit --scratch {}, where {} are free",
                folder.display(),
                bytes(free as f64)
            )));
        }
        self.limit = Some(most);
        Ok(())
    }

    /// Whether the RAM, and devices where they count, hold two tasks of `task_bytes` for each of
    /// their workers: one that runs, and one whose data comes meanwhile.
    fn is_roomy(&self, task_bytes: u64, devices_count: bool) -> bool {
        let machine = self.machine();
        let counted = if devices_count { machine.memories.len() } else { 1 };
        machine.memories.iter().take(counted).enumerate().all(|(memory, of)| {
            let workers = machine.workers.iter().filter(|worker| worker.memory.0 == memory).count();
            of.capacity.is_none_or(|most| 2 * workers as u64 * task_bytes <= most)
        })
    }

    /// Bytes of the largest memory that tasks run in; the largest number if it has no limit.
    fn room(&self) -> u64 {
        let machine = self.machine();
        let rooms = machine.workers.iter().map(|worker| machine.memories[worker.memory.0].capacity);
        rooms.map(|room| room.unwrap_or(u64::MAX)).max().unwrap_or(0)
    }

    /// The first of `sizes` on which tasks fit: with ease in all memories, else in the RAM, which a
    /// device that is nearly full should not spoil; else in any memory at all.
    pub(super) fn tile_size(
        &self,
        sizes: impl Iterator<Item = usize> + Clone,
        footprint: &dyn Fn(usize) -> Footprint,
    ) -> Option<usize> {
        let (task_bytes, room) = (|nb: usize| footprint(nb).task_bytes, self.room());
        let fits = |nb: &usize| task_bytes(*nb) <= room;
        let is_roomy = |nb: usize, devices| self.is_roomy(task_bytes(nb), devices);
        let mut fitting = sizes.filter(fits);
        let (mut easy, mut easy_in_ram) = (fitting.clone(), fitting.clone());
        let easy = easy.find(|&nb| is_roomy(nb, true));
        easy.or_else(|| easy_in_ram.find(|&nb| is_roomy(nb, false))).or_else(|| fitting.next())
    }

    /// Refuses tiles of order `nb` if no memory holds the largest task on them.
    pub(super) fn check_task(
        &self,
        nb: usize,
        footprint: &dyn Fn(usize) -> Footprint,
    ) -> Result<()> {
        let most = self.room();
        let fits = |nb: &usize| footprint(*nb).task_bytes <= most;
        if fits(&nb) {
            return Ok(());
        }
        let smaller = (1..nb).rev().find(fits);
        let remedy =
            smaller.map(|nb| format!(", or use smaller tiles (--tile-size {nb} or less fits)"));
        let remedy = remedy.unwrap_or_default();
        Err(refused(format!(
            "the largest task on tiles of {nb} works on {} at once, and no memory of a worker \
             holds more than {}: allow more memory{remedy}",
            bytes_up(footprint(nb).task_bytes),
            bytes(most as f64)
        )))
    }

    /// The workers whose memories are too small for a task of `task_bytes`.
    pub(super) fn too_small(&self, task_bytes: u64) -> Option<String> {
        let machine = self.machine();
        let small = |memory: MemoryId| {
            machine.memories[memory.0].capacity.is_some_and(|most| most < task_bytes)
        };
        let names: Vec<&str> = machine
            .workers
            .iter()
            .filter(|worker| small(worker.memory))
            .map(|worker| worker.name.as_str())
            .collect();
        let verb = if names.len() == 1 { "holds" } else { "hold" };
        (!names.is_empty()).then(|| format!("{} {verb}", names.join(", ")))
    }

    /// Whether all workers are equal cores that share one memory without limit.
    pub(super) fn is_flat(&self) -> bool {
        self.has_one_memory() && self.dedicate.is_empty()
    }

    /// Whether a memory has a limit, so that something may have to leave it.
    pub(super) fn is_limited(&self) -> bool {
        self.machine().memories.iter().any(|memory| memory.capacity.is_some())
    }

    /// Whether it was said what leaves a full memory, and none can be full.
    pub(super) fn has_idle_eviction(&self) -> bool {
        self.eviction.is_some() && !self.is_limited()
    }

    /// The policy that suits it.
    pub(super) fn default_policy(&self) -> &'static DefaultPolicy {
        let place = match (self.limit, self.accelerator_count()) {
            (None, 0) => 0,
            (None, _) => 1,
            (Some(_), _) => 2,
        };
        &DEFAULT_POLICIES[place]
    }

    fn accelerator_count(&self) -> usize {
        self.devices.len() + self.cuda.len()
    }

    /// Number of workers: cores and accelerators.
    pub(super) fn workers(&self) -> usize {
        self.cores + self.accelerator_count()
    }

    /// The machine as the engine takes it.
    pub(crate) fn machine(&self) -> Machine {
        let mut machine = Machine::cores(self.cores);
        if !self.dedicate.is_empty() {
            machine.dedicate_core(&self.dedicate);
        }
        if let Some(limit) = self.limit {
            machine.limit_ram(limit, DISK_RATE, DISK_RATE);
        }
        for device in &self.devices {
            let Emulated { memory, bytes_per_second, speed } = *device;
            machine.add_accelerator(WorkerKind::Emulated, Some(memory), bytes_per_second, speed);
        }
        self.cuda.join(&mut machine);
        machine
    }

    /// How much it computes in a second, in thousandths of a core; a CUDA device counts as
    /// [`CORES_OF_CUDA`], since its rate is known only after the first runs.
    pub(super) fn power(&self) -> u64 {
        let emulated: f64 = self.devices.iter().map(|device| device.speed).sum();
        let cuda = CORES_OF_CUDA * self.cuda.len() as f64;
        (1000.0 * (self.cores as f64 + emulated + cuda)).round() as u64
    }

    /// The devices of its CUDA workers.
    pub(super) fn accelerators(&self) -> Vec<Arc<dyn Accelerator>> {
        self.cuda.accelerators()
    }

    /// What leaves a full memory under `policy`.
    pub(super) fn eviction(&self, policy: &Policy) -> &'static EvictionPolicy {
        chosen_eviction(self.eviction, policy)
    }

    /// Bytes of the RAM, if the disk takes what does not fit.
    pub(super) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Folder for what does not fit the memory.
    pub(super) fn scratch(&self) -> Option<PathBuf> {
        self.scratch.clone().filter(|_| self.limit.is_some())
    }

    /// Cores and accelerators in a few words.
    pub(super) fn describe(&self) -> String {
        let what = if self.accelerator_count() > 0 { "core" } else { "worker" };
        let mut text = count(self.cores, what);
        if !self.dedicate.is_empty() {
            text += &format!(", one of them for {} alone", self.dedicate.join(" and "));
        }
        text += &self.cuda.describe();
        for equal in self.devices.chunk_by(|one, other| one == other) {
            let Emulated { memory, bytes_per_second, speed } = equal[0];
            text += &format!(
                ", {} of speed {speed} with {} at {}",
                count(equal.len(), "emulated device"),
                bytes(memory as f64),
                rate(bytes_per_second)
            );
        }
        text
    }

    /// What is held where.
    pub(super) fn describe_memory(&self, footprint: &Footprint) -> String {
        let held = footprint.bytes + footprint.plain_bytes;
        let needed = bytes(held as f64);
        let (Some(_), Some((limit, who))) = (self.limit, self.most()) else {
            return needed + &and_copies(self.copies(footprint)) + &self.and_most(footprint);
        };
        // Copies that are not made where the disk helps may be why it does.
        let copies = if held <= limit { footprint.copy_bytes } else { 0 };
        let limit = bytes(limit as f64);
        format!(
            "{needed}{}, more than the {limit} that {who}: the rest on disk",
            and_copies(copies)
        )
    }

    /// The accelerators, for a result.
    pub(super) fn devices_json(&self) -> Value {
        let machine = self.machine();
        let kind = |worker: &Worker| match machine.classes[worker.class.0].kind {
            WorkerKind::Cpu => None,
            WorkerKind::Emulated => Some("emulated"),
            WorkerKind::Cuda => Some("cuda"),
        };
        let devices = machine.workers.iter().filter_map(|worker| {
            let kind = kind(worker)?;
            let capacity = machine.memories[worker.memory.0].capacity;
            Some(json!({ "name": worker.name, "kind": kind, "memory_bytes": capacity }))
        });
        devices.collect()
    }
}

/// The policy of a kind of machine, unless another is asked for.
pub(super) struct DefaultPolicy {
    name: &'static str,
    /// Which machines.
    pub(super) place: &'static str,
}

impl DefaultPolicy {
    /// The policy.
    pub(super) fn policy(&self) -> &'static Policy {
        policy(self.name).expect("default policies are listed")
    }
}

/// The default policies: for cores alone, for accelerators, for a disk, which another policy writes
/// less to.
const DEFAULT_POLICIES: [DefaultPolicy; 3] = [
    DefaultPolicy { name: DEFAULT_POLICY, place: "on cores alone" },
    DefaultPolicy { name: "tessera", place: "with accelerators" },
    DefaultPolicy { name: "darts", place: "where the disk takes what does not fit" },
];

/// The default policies in a line.
pub(crate) fn default_policies() -> String {
    let all = DEFAULT_POLICIES.iter().map(|default| format!("{} {}", default.name, default.place));
    all.collect::<Vec<_>>().join(", ")
}

/// Bytes per second of a disk, as long as nobody has measured it.
pub(crate) const DISK_RATE: f64 = 500e6;

/// Cores that a CUDA device stands for when ranks are compared: of a P100 beside a core of a Xeon
/// Gold 6126, in products of tiles of order 960 (`plan/platforms/chifflot.toml`).
const CORES_OF_CUDA: f64 = 100.0;
