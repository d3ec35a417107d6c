//! What runs learn of the kernels and the links of this machine: a file in the user's cache folder,
//! read before a run and written after it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use tegula_kernels::backend::Backend;
use tegula_plan::platform::{Fingerprint, Learnt, read_learnt, write_learnt};
use tegula_runtime::platform::{
    ClassId, Entry, Machine, Models, WorkerKind, WorkerModel, usable_cores,
};
use tegula_runtime::trace::Totals;

use super::links;
use crate::machine::system_entry;
use crate::output::Console;

/// Rate of a core of which nothing is known.
const GUESS: WorkerModel =
    WorkerModel { gflops: 10.0, gbytes_per_second: 10.0, overhead_seconds: 1e-6 };

/// How many times faster than for a core the memory of a device is at most, likewise.
const MOST_SPEED: f64 = 100.0;

/// What times depend on here, with this arithmetic.
pub(super) fn fingerprint(backend: &dyn Backend) -> Fingerprint {
    let version = if cfg!(debug_assertions) {
        concat!(env!("CARGO_PKG_VERSION"), " with debug assertions")
    } else {
        env!("CARGO_PKG_VERSION")
    };
    let blas = format!("{} ({})", backend.name(), backend.description());
    Fingerprint { processor: processor(), cores: usable_cores(), blas, version: version.to_owned() }
}

/// The processor, as the system calls it.
pub(crate) fn processor() -> String {
    let name = system_entry("/proc/cpuinfo", "model name");
    let name = name.and_then(|name| Some(name.strip_prefix(':')?.trim().to_owned()));
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The folder for what can be made again: `$XDG_CACHE_HOME`, or `.cache` in the user's own (XDG
/// base directory specification).
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    cache.map(|cache| cache.join("tegula"))
}

/// The file of what runs on this machine have learnt with this arithmetic; none if the user has no
/// folder for it.
pub(super) fn learnt_path(backend: &dyn Backend) -> Option<PathBuf> {
    cache_folder().map(|folder| folder.join(fingerprint(backend).file_name()))
}

/// The models of a run, and the file that they come from and go to.
#[derive(Debug)]
pub(crate) struct LearntModels {
    /// The models.
    pub(crate) models: Arc<Models>,
    here: Fingerprint,
    /// None if the user has no folder for it.
    path: Option<PathBuf>,
    /// Why what stands in the file is of no use here.
    foreign: Option<String>,
    /// Classes of cores and devices: what threads play depends on flags, and is not kept.
    classes: Vec<String>,
    /// Folder of the disk, if there is one.
    scratch: Option<PathBuf>,
}

impl LearntModels {
    /// The models for `machine`, with what was learnt before.
    pub(crate) fn open(machine: &Machine, backend: &dyn Backend, scratch: Option<PathBuf>) -> Self {
        let models = Models::new(machine);
        for (class, of) in machine.classes.iter().enumerate() {
            let gbytes_per_second = of.speed.clamp(1.0, MOST_SPEED) * GUESS.gbytes_per_second;
            let guess = WorkerModel { gflops: of.speed * GUESS.gflops, gbytes_per_second, ..GUESS };
            models.guess(ClassId(class), Some(guess));
        }
        let (here, path) = (fingerprint(backend), learnt_path(backend));
        let real = machine.classes.iter().filter(|class| class.kind != WorkerKind::Emulated);
        let classes = real.map(|class| class.name.clone()).collect();
        let models = Arc::new(models);
        let mut learnt_models = Self { models, here, path, foreign: None, classes, scratch };
        learnt_models.read();
        learnt_models
    }

    fn read(&mut self) {
        let Some(path) = &self.path else { return };
        match read_learnt(path, &self.here) {
            Ok(Learnt::Nothing) => {}
            Ok(Learnt::Entries(entries)) => {
                let own = entries.iter().filter(|entry| self.is_kept(entry));
                own.for_each(|entry| self.models.enter(entry));
            }
            Ok(Learnt::Foreign(why)) => self.foreign = Some(why),
            Err(error) => self.foreign = Some(error.to_string()),
        }
    }

    fn is_kept(&self, entry: &Entry) -> bool {
        self.classes.contains(&entry.class) || entry.codelet == links::TRANSFER
    }

    /// Gives the links of `machine` the rates that runs have met.
    pub(crate) fn teach(&self, machine: &mut Machine) {
        links::teach(&self.models, machine, self.scratch.as_deref());
    }

    /// Notes how long the transfers of a run on `machine` took.
    pub(crate) fn note_transfers(&self, totals: &Totals, machine: &Machine) {
        links::note(&self.models, totals, machine, self.scratch.as_deref());
    }

    /// Says what was read; in one line if it is of no use here.
    pub(crate) fn describe(&self, console: &Console) {
        if let Some(why) = &self.foreign {
            console
                .note(format_args!("{why}; times of kernels are learnt anew, and written over it"));
        } else if let Some(path) = &self.path {
            let known = self.models.entries().len();
            console.detail(format_args!("{known} times from {}", path.display()));
        }
    }

    /// Writes what was learnt, with what was known before. No run fails for this: what cannot be
    /// written is said.
    pub(crate) fn keep(&self, console: &Console) {
        let Some(path) = &self.path else { return };
        let mut entries = self.models.entries();
        entries.retain(|entry| self.is_kept(entry));
        if entries.is_empty() {
            return;
        }
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(error) = made {
            let path = path.display();
            console.note(format_args!("times of kernels are not kept in {path}: {error}"));
        } else if let Err(error) = write_learnt(path, &self.here, &entries) {
            console.note(format_args!("times of kernels are not kept: {error}"));
        }
    }
}
