//! Flags about how tasks run, and the flows that they make.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::backend::{self, BACKENDS, Backend};
use tegula_kernels::scalar::Precision;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Models, allowed_cores, usable_cores};
use tegula_runtime::sched::{DEFAULT_POLICY, POLICIES, Policy, PolicyOptions, policy};

use super::machine::{MachineChoice, MachineFlags};
use super::{check_eviction, member};
use crate::output::Console;
use crate::platform::Notebook;

/// Most workers that can be asked for.
const MOST_WORKERS: u64 = 1024;

/// How tasks run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunFlags {
    /// Cores that work [default: those this process may use]; 0: accelerators alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=MOST_WORKERS))]
    workers: Option<u64>,
    /// Cores to leave to others, where --workers is not given
    #[arg(long, value_name = "N", default_value_t = 0)]
    reserve: u64,
    /// Who runs which task [default: lws on cores alone, tessera with accelerators,
    /// darts where the disk takes what does not fit]
    #[arg(long, value_name = "NAME", value_parser = policies())]
    policy: Option<usize>,
    /// Who multiplies the matrices of a tile [default: native where the processor has AVX2, else
    /// faer]
    #[arg(long, value_name = "NAME", value_parser = backends())]
    blas: Option<usize>,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Results do not depend on timing: reductions in program order
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    machine: MachineFlags,
}

/// A parser of the names of [`POLICIES`].
pub(crate) fn policies() -> impl TypedValueParser<Value = usize> {
    member(POLICIES.iter().map(|policy| (policy.name, policy.summary)).collect())
}

fn backends() -> impl TypedValueParser<Value = usize> {
    member(BACKENDS.iter().map(|choice| (choice.name, choice.help)).collect())
}

/// Tiles and their numbers.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct MatrixFlags {
    /// Order of the tiles [default: from the size and the number of workers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    tile_size: Option<u32>,
    /// Numbers of 32 bits (s, single) or 64 (d, double)
    #[arg(long, value_name = "P", default_value = "d", value_parser = precision_parser())]
    pub(crate) precision: Precision,
    /// Say what would be done: sizes, tasks, memory, time
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl MatrixFlags {
    /// Order of the tiles of a matrix of order `n` on `workers` workers.
    pub(crate) fn tile_size(&self, n: usize, workers: usize) -> usize {
        // A tile larger than the matrix is the matrix.
        self.tile_size.map_or_else(
            || tegula_linalg::tile_size(n, workers),
            |size| (size as usize).min(n.max(1)),
        )
    }
}

/// Parses `s` or `d`.
pub(crate) fn precision_parser() -> impl TypedValueParser<Value = Precision> {
    let values = Precision::ALL
        .map(|precision| PossibleValue::new(precision.letter()).help(precision_name(precision)));
    PossibleValuesParser::new(values).map(|letter| {
        let named = Precision::ALL.into_iter().find(|precision| precision.letter() == letter);
        named.expect("a listed letter")
    })
}

/// The name of a precision.
pub(crate) fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "single precision",
        Precision::Double => "double precision",
    }
}

/// How tasks run, every default settled.
#[derive(Clone)]
pub(crate) struct Run {
    /// Number of cores that work.
    pub(crate) cores: usize,
    /// Who runs what.
    pub(crate) policy: &'static Policy,
    /// The seed of every random choice.
    pub(crate) seed: u64,
    /// The arithmetic.
    pub(crate) backend: &'static dyn Backend,
    is_deterministic: bool,
    is_policy_given: bool,
    machine: MachineChoice,
    /// Times of kernels, where the policy or the engine asks for them.
    notebook: Option<Arc<Notebook>>,
}

impl RunFlags {
    /// Settles the defaults and loads the arithmetic.
    ///
    /// # Errors
    /// If the backend asked for cannot be used.
    pub(crate) fn settle(&self) -> Result<Run> {
        let free = usable_cores().saturating_sub(self.reserve as usize).max(1);
        let cores = self.workers.map_or(free, |workers| workers as usize);
        let backend = match self.blas {
            Some(index) => backend::select(BACKENDS[index], cores.max(1))?,
            None => backend::current(),
        };
        Ok(Run {
            cores,
            policy: self.policy.map_or_else(|| named(DEFAULT_POLICY), |index| &POLICIES[index]),
            is_policy_given: self.policy.is_some(),
            machine: self.machine.settle(cores)?,
            notebook: None,
            seed: self.seed,
            backend,
            is_deterministic: self.deterministic,
        })
    }
}

/// The policy with accelerators, unless another is asked for.
const DEVICE_POLICY: &str = "tessera";
/// The policy where the disk takes what does not fit: it writes back less.
const DISK_POLICY: &str = "darts";

fn named(name: &str) -> &'static Policy {
    policy(name).expect("default policies are listed")
}

impl Run {
    /// As it is with `needed` bytes of matrices: if need be, the rest goes to the disk.
    ///
    /// # Errors
    /// If they fit nowhere.
    pub(crate) fn fit(mut self, needed: f64) -> Result<Self> {
        self.machine.fit(needed)?;
        if !self.machine.is_flat() && !self.is_policy_given {
            let has_disk = self.machine.has_disk();
            self.policy = named(if has_disk { DISK_POLICY } else { DEVICE_POLICY });
        }
        check_eviction(self.machine.eviction(self.policy), self.policy)?;
        if self.is_planned() {
            let machine = self.machine.machine(self.cores);
            self.notebook = Some(Arc::new(Notebook::open(&machine, self.backend)));
        }
        Ok(self)
    }

    /// Number of workers: cores and accelerators.
    pub(crate) fn workers(&self) -> usize {
        self.cores + self.machine.accelerator_count()
    }

    /// Whether anyone asks how long tasks take.
    fn is_planned(&self) -> bool {
        let options = PolicyOptions { workers: self.cores, seed: self.seed };
        !self.machine.is_flat() || self.policy.queue(&options).is_none()
    }

    /// Keeps the times of kernels that the run has learnt.
    pub(crate) fn keep_times(&self, console: &Console) {
        if let Some(notebook) = &self.notebook {
            notebook.keep(console);
        }
    }

    /// Options of the engine.
    pub(crate) fn exec_options(&self, trace: bool) -> ExecOptions {
        let Self { cores, policy, seed, .. } = *self;
        // Fewer workers than cores may share the machine with others; more cannot be bound.
        let bind = cores == allowed_cores().len();
        let (eviction, scratch) = (self.machine.eviction(policy), self.machine.scratch());
        let mut options = ExecOptions::on(self.machine.machine(cores));
        if let Some(notebook) = &self.notebook {
            options.durations = Arc::<Models>::clone(&notebook.models);
        }
        let accelerators = self.machine.accelerators();
        ExecOptions { accelerators, policy, eviction, scratch, seed, bind, trace, ..options }
    }

    /// A flow on this machine.
    pub(crate) fn flow(&self, trace: bool, cache: bool) -> Flow {
        let options =
            FlowOptions { cache, deterministic: self.is_deterministic, ..FlowOptions::default() };
        Flow::new(Exec::new(self.exec_options(trace)), options)
    }

    /// Prints how tasks run on tiles of order `nb`.
    pub(crate) fn describe(&self, console: &Console, nb: usize, precision: Precision) {
        console.field(
            "run",
            format_args!(
                "{}{}, policy {}, tiles of {nb}, {}, BLAS {}, seed {}",
                crate::output::count(
                    self.cores,
                    if self.machine.accelerator_count() > 0 { "core" } else { "worker" }
                ),
                self.machine.describe(),
                self.policy.name,
                precision_name(precision),
                self.backend.name(),
                self.seed,
            ),
        );
        if let Some(notebook) = &self.notebook {
            notebook.describe(console);
        }
    }

    /// Adds how tasks ran to a result.
    pub(crate) fn describe_json(
        &self,
        into: &mut serde_json::Map<String, serde_json::Value>,
        nb: usize,
        precision: Precision,
    ) {
        into.insert("tile_size".to_owned(), nb.into());
        into.insert("precision".to_owned(), precision.letter().into());
        into.insert("workers".to_owned(), self.workers().into());
        into.insert("policy".to_owned(), self.policy.name.into());
        into.insert("blas".to_owned(), self.backend.name().into());
        into.insert("seed".to_owned(), self.seed.into());
    }
}
