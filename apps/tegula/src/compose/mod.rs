//! `tegula compose`: several programs side by side on shared workers, each in a scheduling context,
//! between which workers move.

mod contexts;
mod file;
mod real;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use tegula_kernels::scalar::Precision;
use tegula_plan::platform::Platform;
use tegula_runtime::flow::Flow;
use tegula_runtime::sched::hypervisor::{HypervisorOptions, RESIZING, ResizingPolicy};
use tegula_runtime::sched::{DEFAULT_POLICY, Policy, policy};
use tegula_runtime::sim::{Sim, SimOptions};

use crate::error::refused;
use crate::flags::{OutputFlags, RunFlags, TraceFlags, member, parse_seconds};
use crate::output::{Align, Console, Table};
use crate::simulate::{Asked, CostFlags, whole};
use contexts::Run;
use file::{Composition, Reader};

/// Flags of `compose`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula compose two.toml --platform mirage-d
  tegula compose two.toml --platform mirage-d --contexts teft
  tegula compose two.toml --platform mirage-d --hypervisor feft --idle-limit 20ms --trace run.html
  tegula compose fits.toml --workers 2
  tegula compose --list

A composition:
  [[kernel]]
  name = \"large\"
  algorithm = \"potrf\"             # of those that \"tegula simulate\" has
  n = 39360
  tile_size = 960
  workers = { cuda = 3, cpu = 1 }
  [[kernel]]
  name = \"small\"
  algorithm = \"potrf\"
  n = 19968
  tile_size = 192
  workers = { cpu = 8 }
  [[kernel]]                       # for real, any command
  name = \"fit\"
  command = \"exageostat fit data.csv --covariance matern -o model.json\"
  [[move]]
  when = \"small:end\"
  from = \"small\"
  to = \"large\"
  cpu = 4")]
pub(crate) struct Compose {
    /// What runs beside what
    #[arg(value_name = "FILE.toml", required_unless_present = "list")]
    file: Option<PathBuf>,
    /// Machine to simulate, by its name or a file [default: run for real, here]
    #[arg(long, value_name = "NAME|FILE")]
    platform: Option<PathBuf>,
    /// Which workers each context begins with [default: split if the file gives any, else none]
    #[arg(long, value_name = "HOW", value_enum)]
    contexts: Option<Sharing>,
    #[arg(long, value_name = "NAME", value_parser = resizing(), help = "Who moves workers while they run: feft, teft, ispeed, idle")]
    hypervisor: Option<usize>,
    /// Time without a task after which a worker is moved
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = parse_seconds, requires = "hypervisor")]
    idle_limit: f64,
    /// Time over which the speed of a context is taken
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_seconds, requires = "hypervisor")]
    window: f64,
    /// By which part the speed of a context may be off what its workers promise
    #[arg(long, value_name = "X", default_value_t = 0.3, requires = "hypervisor")]
    speed_gap: f64,
    /// Bound the workers of a context by the time that they were idle
    #[arg(long, requires = "hypervisor")]
    bound_idleness: bool,
    /// Coefficient of variation of simulated task times
    #[arg(long, value_name = "X", default_value_t = 0.0, requires = "platform")]
    noise: f64,
    /// List who can move workers
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    costs: CostFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// Which workers each context begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sharing {
    /// All in one context, side by side
    None,
    /// All in one context, one after the other
    Serial,
    /// Those that the file gives each
    Split,
    /// Those with which operations end soonest
    Feft,
    /// Those with which tasks by type end soonest
    Teft,
}

impl Sharing {
    /// Who chooses the workers at first, and again when programs begin and end.
    fn resizing(self) -> Option<&'static ResizingPolicy> {
        let name = match self {
            Self::None | Self::Serial | Self::Split => return None,
            Self::Feft => "feft",
            Self::Teft => "teft",
        };
        tegula_runtime::sched::hypervisor::resizing(name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Serial => "serial",
            Self::Split => "split",
            Self::Feft => "feft",
            Self::Teft => "teft",
        }
    }
}

fn resizing() -> impl clap::builder::TypedValueParser<Value = usize> {
    member(RESIZING.iter().map(|policy| (policy.name, policy.summary)).collect())
}

impl Compose {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        if self.list {
            return list(console);
        }
        let Some(file) = &self.file else { return Err(refused("which composition?")) };
        self.trace.check()?;
        self.check()?;
        let Some(platform) = &self.platform else {
            self.costs.refuse_for_real()?;
            real::run(self, file, &console)?;
            return console.finish();
        };
        self.run.refuse_for_simulation()?;
        let asked = self.costs.read()?;
        let platform = Platform::find(platform)?;
        let groups = platform.machine.groups().0;
        let precision = platform.precision.unwrap_or(Precision::Double);
        let composition = Reader::new(file, &groups, precision, self.run.seed)?.read()?;
        self.simulate(platform, &composition, &asked, &console)?;
        console.finish()
    }

    fn check(&self) -> Result<()> {
        if !(self.noise >= 0.0 && self.noise < 10.0) {
            return Err(refused(format!("--noise {}: give a number from 0 to 10", self.noise)));
        }
        if !(self.speed_gap > 0.0 && self.speed_gap.is_finite()) {
            return Err(refused(format!("--speed-gap {}: give a number above 0", self.speed_gap)));
        }
        Ok(())
    }

    /// Which workers each context of `composition` begins with.
    ///
    /// # Errors
    /// If they are to be moved between contexts, and there is one.
    fn sharing(&self, composition: &Composition) -> Result<Sharing> {
        let has_workers = composition.contexts.iter().any(|context| context.workers.is_some());
        let usual = if has_workers { Sharing::Split } else { Sharing::None };
        let sharing = self.contexts.unwrap_or(usual);
        if self.hypervisor.is_some() && matches!(sharing, Sharing::None | Sharing::Serial) {
            return Err(refused(format!(
                "--hypervisor moves workers between contexts, and --contexts {} has one",
                sharing.name()
            )));
        }
        Ok(sharing)
    }

    /// Who runs what in contexts that do not say.
    fn policy(&self) -> &'static Policy {
        let usual = if self.platform.is_some() { "dmdas" } else { DEFAULT_POLICY };
        self.run.policy().unwrap_or_else(|| policy(usual).expect("a listed policy"))
    }

    fn simulate(
        &self,
        platform: Platform,
        composition: &Composition,
        asked: &Asked,
        console: &Console,
    ) -> Result<()> {
        let Platform { name, machine, models, .. } = platform;
        let (machine, durations) = (Arc::new(machine), Arc::new(models));
        let policy = self.policy();
        let eviction = self.run.eviction(policy)?;
        let options = SimOptions {
            machine: machine.clone(),
            durations: durations.clone(),
            policy,
            eviction,
            seed: self.run.seed,
            noise: self.noise,
            order: &[],
            contexts: true,
            trace: self.trace.is_wanted(),
            costs: asked.costs.clone(),
        };
        let mut flow = Flow::new(Sim::new(options), whole());
        let sharing = self.sharing(composition)?;
        let run = Run { flags: self, sharing, composition, machine: &machine, durations };
        let jobs = run.submit(&mut flow)?;
        flow.wait().map_err(|error| refused(error.to_string()))?;
        let outcome = report::Outcome::of(&mut flow, &jobs)?;
        outcome.describe(console, (self, sharing), &name);
        self.costs.tell(asked, console);
        let mut result = outcome.result((self, sharing), &name);
        let into = result.as_object_mut().expect("a result is an object");
        self.costs.tell_json(asked, into);
        self.trace.write(&mut flow.take_trace(), &result, console)?;
        self.output.write(&result)
    }

    /// How a hypervisor watches, if one was asked for.
    fn watch(&self, sharing: Sharing) -> HypervisorOptions {
        let nanoseconds = |seconds: f64| (1e9 * seconds) as u64;
        HypervisorOptions {
            watches: self.hypervisor.is_some(),
            // What the file says of the workers at first is left alone then.
            not_before: u64::from(sharing == Sharing::Split),
            idle_limit: nanoseconds(self.idle_limit),
            window: nanoseconds(self.window),
            speed_gap: self.speed_gap,
            bounds_by_idleness: self.bound_idleness,
            ..HypervisorOptions::default()
        }
    }
}

fn list(console: Console) -> Result<()> {
    let mut table = Table::new(&[("name", Align::Left), ("moves workers", Align::Left)]);
    for policy in RESIZING {
        table.row(vec![policy.name.to_owned(), policy.summary.to_owned()]);
    }
    console.line(table);
    console.finish()
}
