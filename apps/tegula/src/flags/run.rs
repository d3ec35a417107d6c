//! Flags about how tasks run, what they settle on, and the flows that this makes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use tegula_diodon::stream::TileDistribution;
use tegula_kernels::backend::{self, BACKENDS, Backend, Choice, LEFT_OUT};
use tegula_kernels::error::CODEC;
use tegula_kernels::scalar::{Precision, Scalar, c32, c64};
use tegula_plan::distribution::{DISTRIBUTIONS, DistributionEntry};
use tegula_runtime::comm::World;
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Models, allowed_cores};
use tegula_runtime::ranks::Owners;
use tegula_runtime::sched::{POLICIES, Policy};

use super::choice::{MachineChoice, default_policies};
use super::machine::MachineFlags;
use super::matrix::{MatrixFlags, precision_name};
use super::planned::{planned_help, planned_page};
use super::shares::Shares;
use super::{check_eviction, member};
use tegula_linalg::program::Footprint;

use crate::error::refused;
use crate::machine::memory_bytes;
use crate::output::{Account, Console, begin_energy, bytes, count};
use crate::platform::LearntModels;
use crate::ranks::{self, Ranks};
use crate::seat;
use crate::work::Work;

/// Most workers that can be asked for.
const MOST_WORKERS: u64 = 1024;

/// How tasks run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunFlags {
    /// Cores that work; 0: accelerators alone [default: all that this process may use]
    ///
    /// Of several ranks on a host each has a share of them by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=MOST_WORKERS))]
    pub(super) workers: Option<u64>,
    /// Cores to leave to others
    #[arg(long, value_name = "N", conflicts_with = "workers")]
    pub(super) reserve: Option<u64>,
    /// Ranks that share the work: local:N, mpi or mpi:LIBRARY [default: mpi under mpirun or srun]
    ///
    /// local:N are threads of this process, mpi those that mpirun or srun has started, mpi:LIBRARY
    /// takes this file as the MPI library.
    #[arg(long, value_name = "RANKS")]
    pub(super) ranks: Option<Ranks>,
    #[arg(long, value_name = "NAME", help = planned_help(), long_help = planned_page())]
    pub(super) distribution: Option<OsString>,
    #[arg(long, value_name = "NAME", value_parser = policies(), help = "Who runs which task [default: by the machine]", long_help = policy_help())]
    pub(super) policy: Option<usize>,
    /// Whether messages between ranks go by the priority of who waits, or as they come
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = on_or_off(), hide_short_help = true)]
    message_priorities: bool,
    /// Who multiplies the matrices of a tile [default: native]
    #[arg(long, value_name = "NAME", value_parser = backends())]
    pub(super) blas: Option<Choice>,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Results do not depend on timing: reductions in program order
    #[arg(long)]
    pub(super) deterministic: bool,
    #[command(flatten)]
    pub(super) machine: MachineFlags,
    /// The distribution that is planned when the run has begun, in place of the one asked for.
    #[arg(skip)]
    pub(super) planned_later: Option<&'static str>,
}

/// A parser of the names of [`POLICIES`].
pub(crate) fn policies() -> impl TypedValueParser<Value = usize> {
    member(POLICIES.iter().map(|policy| (policy.name, policy.summary)).collect())
}

/// A parser of `on` and `off`.
fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

/// Help of `--distribution`, which by default is `usual`: the names.
pub(crate) fn distribution_help(usual: &str) -> String {
    let names: Vec<&str> = DISTRIBUTIONS.iter().map(|entry| entry.name).collect();
    format!("Which rank owns which tile: {} [default: {usual}]", names.join(", "))
}

/// The same at length: what each is.
pub(crate) fn distribution_page(usual: &str) -> String {
    let entry = |entry: &DistributionEntry| {
        let parameter = entry.parameter.map_or_else(String::new, |name| format!("[:{name}]"));
        format!("{}{parameter}: {}", entry.name, entry.summary)
    };
    let entries: Vec<String> = DISTRIBUTIONS.iter().map(entry).collect();
    let entries = entries.join("\n- ");
    format!(
        "Which rank owns which tile [default: {usual}]; with @0-2,5 after it, of these ranks alone:\n- {entries}"
    )
}

fn policy_help() -> String {
    format!("Who runs which task [default: {}]", default_policies())
}

/// A parser of the names of [`BACKENDS`], which says of others that they were left out.
pub(crate) fn backends() -> impl TypedValueParser<Value = Choice> {
    let listed = BACKENDS.iter().map(|choice| PossibleValue::new(choice.name).help(choice.help));
    let left_out = LEFT_OUT.iter().map(|name| PossibleValue::new(*name).hide(true));
    PossibleValuesParser::new(listed.chain(left_out)).try_map(|name| Choice::named(&name))
}

/// How tasks run, every default settled.
#[derive(Clone)]
pub(crate) struct Run {
    /// Who runs what.
    pub(crate) policy: &'static Policy,
    /// Why this policy, if nobody asked for it.
    reason: Option<&'static str>,
    /// The seed of every random choice.
    pub(crate) seed: u64,
    /// The arithmetic.
    pub(crate) backend: &'static dyn Backend,
    is_deterministic: bool,
    machine: MachineChoice,
    /// Workers of rank 0, by which what is submitted is cut.
    workers: usize,
    has_message_priorities: bool,
    /// Order of the tiles.
    pub(crate) nb: usize,
    /// The numbers.
    pub(crate) precision: Precision,
    /// What the computation asks for on tiles of this order.
    pub(crate) footprint: Footprint,
    /// The ranks, if there are several, and who owns what.
    world: Option<World>,
    shares: Shares,
    /// Times of kernels, where the policy or the engine asks for them.
    learnt_models: Option<Arc<LearntModels>>,
}

impl RunFlags {
    /// Settles the defaults for `work`, and loads the arithmetic.
    ///
    /// # Errors
    /// If the backend asked for cannot be used, flags contradict each other, or the work fits
    /// nowhere.
    pub(crate) fn resolve(&self, matrix: &MatrixFlags, work: &Work<'_>) -> Result<Run> {
        let cores = self.cores()?;
        let backend = match self.blas {
            Some(choice) => backend::select(choice, cores.max(1))?,
            None => backend::current(),
        };
        let mut machine = match seat::machine() {
            Some(shared) => self.seated(shared)?,
            None => self.machine.resolve(cores, &(work.codelets)())?,
        };
        let mut shares = Shares::resolve(self.distribution.as_deref(), &machine, work.storage)?;
        // What is submitted must not differ from rank to rank.
        let workers = ranks::agree(machine.workers() as u64)? as usize;
        // Some backends read columns of a factor as they are.
        let height = match matrix.precision {
            Precision::Single => f32::blas(backend).micro_panel_height(),
            Precision::Double => f64::blas(backend).micro_panel_height(),
            Precision::ComplexSingle => c32::blas(backend).micro_panel_height(),
            Precision::ComplexDouble => c64::blas(backend).micro_panel_height(),
        };
        let has_copies = height.is_some();
        let by = |owners: &dyn Owners, nb: usize| {
            let footprint = (work.footprint)(nb, workers);
            let copy_bytes = if has_copies { footprint.copy_bytes } else { 0 };
            let footprint = Footprint { copy_bytes, ..footprint };
            match ranks::world() {
                Some(world) => footprint.of_rank(owners, (world.rank(), world.ranks())),
                None => footprint,
            }
        };
        // Programs are simulated for it.
        let known = RefCell::new(HashMap::<usize, Footprint>::new());
        let owners = shares.owners.clone();
        let usual = |nb: usize| {
            let known = &mut *known.borrow_mut();
            known.entry(nb).or_insert_with(|| by(&*owners, nb)).clone()
        };
        let shared = seat::machine();
        let nb = matrix.settle_tiles((&mut machine, workers), work, &usual)?;
        let mut footprint = usual(nb);
        if let Some(name) = self.planned_later {
            name.clone_into(&mut shares.name);
        } else if let Some(planned) =
            self.planned(work, (&machine, &shares.powers), (nb, matrix.precision, backend))?
        {
            shares.follow(planned);
            footprint = by(&*shares.owners, nb);
            machine.fit(&footprint)?;
        }
        if shared.is_some_and(|shared| shared.limit() != machine.limit()) {
            return Err(refused(
                "it does not fit the memory, and the workers that it shares have no disk for it",
            ));
        }
        let default = machine.default_policy();
        let run = Run {
            world: ranks::world(),
            policy: self.policy.map_or_else(|| default.policy(), |index| &POLICIES[index]),
            reason: self.policy.is_none().then_some(default.place),
            seed: self.seed,
            backend,
            is_deterministic: self.deterministic,
            nb,
            precision: matrix.precision,
            footprint,
            machine,
            workers,
            has_message_priorities: self.message_priorities,
            shares,
            learnt_models: None,
        };
        check_eviction(run.machine.eviction(run.policy), run.policy)?;
        Ok(run.with_notebook())
    }

    /// Bytes of memory that the run may use, as far as that is known; over ranks those of rank 0.
    ///
    /// # Errors
    /// If rank 0 cannot be heard.
    pub(crate) fn memory(&self) -> Result<u64> {
        ranks::agree(self.machine.memory())
    }

    /// Folder for what does not fit the memory, if one was named.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        self.machine.scratch()
    }

    /// How many cores work.
    pub(super) fn cores(&self) -> Result<usize> {
        let usable = ranks::cores(0);
        let reserve = self.reserve.unwrap_or(0);
        if self.workers.is_none() && reserve as usize >= usable {
            return Err(refused(format!(
                "--reserve {reserve} leaves none of the {} that this process may use",
                count(usable, "core")
            )));
        }
        Ok(self.workers.map_or_else(|| ranks::cores(reserve as usize), |workers| workers as usize))
    }
}

/// Flags about the machine of a rank, which may differ from rank to rank.
const OF_MACHINE: &[&str] =
    &["--workers", "--reserve", "--devices", "--memory", "--scratch", "--dedicate"];

/// What the command line says to all ranks alike.
fn common_arguments() -> impl Iterator<Item = OsString> {
    let mut arguments = seat::arguments().into_iter();
    std::iter::from_fn(move || {
        loop {
            let argument = arguments.next()?;
            let text = argument.to_string_lossy();
            let (flag, has_value) =
                text.split_once('=').map_or((&*text, false), |(f, _)| (f, true));
            if !OF_MACHINE.contains(&flag) {
                return Some(argument);
            }
            if !has_value {
                arguments.next();
            }
        }
    })
}

impl Run {
    /// With times of kernels, if anyone asks how long tasks take.
    fn with_notebook(mut self) -> Self {
        if self.is_planned() {
            let machine = self.machine.machine();
            let learnt_models = LearntModels::open(&machine, self.backend, self.machine.scratch());
            self.learnt_models = Some(Arc::new(learnt_models));
        }
        self
    }

    /// Number of workers: cores and accelerators; over ranks those of rank 0, on all of them.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Whether all workers are equal cores that share one memory without limit.
    pub(crate) fn is_flat(&self) -> bool {
        self.machine.is_flat()
    }

    /// The machine.
    pub(super) fn machine(&self) -> &MachineChoice {
        &self.machine
    }

    /// Bytes that it takes.
    pub(super) fn needed(&self) -> u64 {
        self.machine.needed(&self.footprint)
    }

    /// Whether so many alike may be in the memory at the same time.
    pub(super) fn fits(&self, count: usize) -> bool {
        let all = (count as u64).saturating_mul(self.needed());
        self.machine.most().is_none_or(|(most, _)| all <= most)
    }

    /// Whether results must not depend on timing.
    pub(crate) fn is_deterministic(&self) -> bool {
        self.is_deterministic
    }

    /// Whether anyone asks how long tasks take.
    fn is_planned(&self) -> bool {
        !self.machine.is_flat() || self.policy.plans()
    }

    /// Keeps the times of kernels and transfers that the run has learnt.
    pub(crate) fn keep_times(&self, account: &Account, console: &Console) {
        if let Some(learnt_models) = self.learnt_models.as_ref().filter(|_| ranks::is_root()) {
            if let Some(totals) = account.totals() {
                learnt_models.note_transfers(totals, &self.machine.machine());
            }
            learnt_models.keep(console);
        }
    }

    /// Options of the engine.
    pub(crate) fn exec_options(&self, trace: bool) -> ExecOptions {
        let Self { policy, seed, .. } = *self;
        // Fewer workers than cores may share the machine with others; more cannot be bound.
        let bind = self.machine.cores == allowed_cores().len() && self.world.is_none();
        let (eviction, scratch) = (self.machine.eviction(policy), self.machine.scratch());
        let mut machine = self.machine.machine();
        self.learnt_models.iter().for_each(|learnt_models| learnt_models.teach(&mut machine));
        let mut options = ExecOptions::on(machine);
        if let Some(learnt_models) = &self.learnt_models {
            options.durations = Arc::<Models>::clone(&learnt_models.models);
        }
        let accelerators = self.machine.accelerators();
        let world = self.world.clone();
        let message_priorities = self.has_message_priorities;
        let options = ExecOptions { message_priorities, world, ..options };
        ExecOptions { accelerators, policy, eviction, scratch, seed, bind, trace, ..options }
    }

    /// A flow on this machine.
    pub(crate) fn flow(&self, trace: bool, cache: bool) -> Flow {
        self.flow_on(self.exec_options(trace), cache)
    }

    /// A flow on an engine with these options.
    pub(crate) fn flow_on(&self, engine: ExecOptions, cache: bool) -> Flow {
        let deterministic = self.is_deterministic;
        let digest = self.digest();
        let options =
            FlowOptions { cache, deterministic, codec: CODEC, digest, ..FlowOptions::default() };
        let mut flow = match seat::engine() {
            Some(shared) => Flow::new(shared, options),
            None => {
                begin_energy();
                Flow::new(Exec::new(engine), options)
            }
        };
        flow.set_owners(self.shares.owners.clone());
        flow
    }

    /// The owners that the distribution `name` makes, over the ranks of the run.
    ///
    /// # Errors
    /// If there is none of this name, or it does not fit the ranks.
    pub(crate) fn owners_by(&self, name: &OsStr) -> Result<Arc<dyn Owners>> {
        self.shares.owners_by(name)
    }

    /// The owners that are planned for the phase before the last, if some are.
    pub(super) fn earlier_owners(&self) -> Option<Arc<dyn Owners>> {
        self.shares.earlier.clone()
    }

    /// How much of what is dealt out each rank is to have.
    pub(crate) fn dealing(&self) -> TileDistribution {
        self.shares.dealing()
    }

    /// What all ranks must agree on: the program, its flags, and what it has settled from them.
    fn digest(&self) -> u64 {
        let mut digest = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut digest);
        common_arguments().for_each(|argument| argument.hash(&mut digest));
        let settled = (self.nb, self.precision.letter(), self.backend.name(), &self.shares.name);
        (settled, self.is_deterministic, self.seed).hash(&mut digest);
        f64::blas(self.backend).micro_panel_height().hash(&mut digest);
        digest.finish()
    }

    /// Prints how tasks run, and in which memory.
    pub(crate) fn describe(&self, console: &Console) {
        let footprint = &self.footprint;
        if let Some(job) = ranks::allocation().job {
            let ranks = count(ranks::ranks(), "rank");
            let nodes =
                job.nodes.map_or_else(String::new, |nodes| format!(" on {}", count(nodes, "node")));
            console.log(format_args!(
                "job {} of Slurm: {ranks}{nodes}; rank 0 has {} and {}",
                job.number,
                self.machine.describe(),
                memory_bytes()
                    .map_or_else(|| "no known memory".to_owned(), |most| bytes(most as f64)),
            ));
        }
        let here = if self.world.is_some() { " on rank 0" } else { "" };
        console.field("memory", self.machine.describe_memory(footprint) + here);
        if let Some(world) = &self.world {
            let ranks = count(world.ranks(), "rank");
            console.field("ranks", format_args!("{ranks}, tiles {}", self.shares.describe()));
        }
        let reason = self.reason.map_or_else(String::new, |place| format!(" (default {place})"));
        let eviction =
            self.eviction().map_or_else(String::new, |name| format!(", eviction {name}"));
        console.field(
            "run",
            format_args!(
                "{}, policy {}{reason}{eviction}, tiles of {}, {}, BLAS {}, seed {}",
                self.machine.describe(),
                self.policy.name,
                self.nb,
                precision_name(self.precision),
                self.backend.name(),
                self.seed,
            ),
        );
        if let Some(small) = self.machine.too_small(footprint.task_bytes) {
            console.note(format_args!(
                "{small} less than the {} that the largest task works on: others run such tasks",
                bytes(footprint.task_bytes as f64)
            ));
        }
        if self.machine.has_idle_eviction() {
            console.note("--eviction has no effect: no memory has a limit");
        }
        if let Some(learnt_models) = &self.learnt_models {
            learnt_models.describe(console);
        }
    }

    /// What leaves a full memory, where memories have a limit.
    fn eviction(&self) -> Option<&'static str> {
        self.machine.is_limited().then(|| self.machine.eviction(self.policy).name)
    }

    /// Adds how tasks ran to a result.
    pub(crate) fn describe_json(&self, into: &mut serde_json::Map<String, serde_json::Value>) {
        into.insert("tile_size".to_owned(), self.nb.into());
        into.insert("precision".to_owned(), self.precision.letter().into());
        into.insert("workers".to_owned(), self.workers().into());
        into.insert("ranks".to_owned(), self.world.as_ref().map_or(1, World::ranks).into());
        if self.world.is_some() {
            self.shares.describe_json(into);
            into.insert("message_priorities".to_owned(), self.has_message_priorities.into());
        }
        into.insert("policy".to_owned(), self.policy.name.into());
        into.insert("eviction".to_owned(), self.eviction().into());
        into.insert("devices".to_owned(), self.machine.devices_json());
        let footprint = &self.footprint;
        into.insert("memory_bytes".to_owned(), self.machine.needed(footprint).into());
        into.insert("most_memory_bytes".to_owned(), self.machine.most_needed(footprint).into());
        into.insert("memory_limit_bytes".to_owned(), self.machine.limit().into());
        into.insert("blas".to_owned(), self.backend.name().into());
        into.insert("seed".to_owned(), self.seed.into());
    }
}
