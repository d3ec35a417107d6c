//! A composition as it stands in its file: kernels, the workers of each, and when workers move.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use tegula_files::nearest_name;
use tegula_files::text::read_whole;
use tegula_kernels::scalar::Precision;
use tegula_runtime::sched::contexts::Limits;
use tegula_runtime::sched::{POLICIES, Policy, policy};
use toml::Spanned;

use crate::error::refused;
use crate::flags::parse_seconds;
use crate::simulate::program::{Setting, Sizes, WORKLOADS, Workload};

/// Bytes that the description of a composition may have.
const MOST_BYTES: u64 = 1 << 20;
/// Most runs of one kernel.
const MOST_RUNS: u32 = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    kernel: Vec<Spanned<KernelPart>>,
    #[serde(default, rename = "move")]
    moves: Vec<Spanned<MovePart>>,
}

/// How many workers, by the name of their group.
type Counts = BTreeMap<String, u32>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelPart {
    name: String,
    algorithm: Option<String>,
    command: Option<String>,
    n: Option<u32>,
    tiles: Option<u32>,
    tile_size: Option<u32>,
    precision: Option<String>,
    #[serde(default = "one")]
    passes: u32,
    #[serde(default = "one")]
    nrhs: u32,
    #[serde(default = "one")]
    repeat: u32,
    start: Option<String>,
    every: Option<String>,
    #[serde(default)]
    after: Vec<String>,
    context: Option<String>,
    policy: Option<String>,
    workers: Option<Counts>,
    #[serde(default)]
    min: Counts,
    #[serde(default)]
    max: Counts,
    #[serde(default)]
    priority: i32,
    #[serde(default = "yes")]
    malleable: bool,
    #[serde(default)]
    shared: bool,
}

#[derive(Debug, Deserialize)]
struct MovePart {
    when: String,
    from: String,
    to: String,
    #[serde(flatten)]
    workers: Counts,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// A composition.
pub(super) struct Composition {
    pub(super) kernels: Vec<Kernel>,
    pub(super) contexts: Vec<Context>,
    pub(super) moves: Vec<Moved>,
}

/// A program that runs in a context, once or several times.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) program: Program,
    /// For each run, when it may begin at the earliest, in seconds.
    pub(super) starts: Vec<Option<f64>>,
    /// The kernels that it follows.
    pub(super) after: Vec<usize>,
    /// Its context.
    pub(super) context: usize,
}

impl Kernel {
    /// Name of its run of this number: its own, if it runs once.
    pub(super) fn run_name(&self, run: usize) -> String {
        match self.starts.len() {
            1 => self.name.clone(),
            _ => format!("{}#{}", self.name, run + 1),
        }
    }
}

/// What a kernel runs.
pub(super) enum Program {
    /// An algorithm on matrices of this order.
    Algorithm { workload: &'static Workload, setting: Box<Setting>, n: usize },
    /// A command of this program.
    Command(Vec<String>),
}

/// Workers with a policy.
pub(super) struct Context {
    pub(super) name: String,
    pub(super) policy: Option<&'static Policy>,
    /// By group of workers, how many it begins with, if that is said.
    pub(super) workers: Option<Vec<usize>>,
    pub(super) limits: Vec<Limits>,
    pub(super) priority: i32,
    pub(super) is_moldable: bool,
    /// Whether its workers may be those of other contexts, too.
    pub(super) is_shared: bool,
}

/// Workers that move when a run of a kernel begins or ends.
pub(super) struct Moved {
    pub(super) kernel: usize,
    pub(super) at_end: bool,
    pub(super) from: usize,
    pub(super) to: usize,
    /// By group.
    pub(super) workers: Vec<usize>,
}

/// Reads a composition for a machine whose workers are of these groups.
pub(super) struct Reader<'a> {
    path: &'a Path,
    text: String,
    groups: &'a [String],
    /// Of kernels that do not say theirs.
    precision: Precision,
    seed: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        path: &'a Path,
        groups: &'a [String],
        precision: Precision,
        seed: u64,
    ) -> Result<Self> {
        let text = read_whole(path, MOST_BYTES)
            .map_err(|error| refused(format!("cannot read {}: {error}", path.display())))?;
        Ok(Self { path, text, groups, precision, seed })
    }

    pub(super) fn read(&self) -> Result<Composition> {
        let file: File = toml::from_str(&self.text).map_err(|error| {
            let place = error.span().map_or(0, |span| span.start);
            self.wrong(place, error.message())
        })?;
        if file.kernel.is_empty() {
            return Err(self.wrong(0, "there is no [[kernel]]"));
        }
        let mut contexts: Vec<Context> = Vec::new();
        let mut kernels: Vec<Kernel> = Vec::new();
        for part in &file.kernel {
            let at = part.span().start;
            let part = part.get_ref();
            if kernels.iter().any(|known| known.name == part.name) {
                return Err(self.wrong(at, &format!("there are two kernels {}", part.name)));
            }
            let context = self.context(part, at, &mut contexts)?;
            kernels.push(self.kernel(part, at, context, &kernels)?);
        }
        let moved = |part: &Spanned<MovePart>| {
            self.moved(part.get_ref(), part.span().start, &kernels, &contexts)
        };
        let moves = file.moves.iter().map(moved).collect::<Result<_>>()?;
        Ok(Composition { kernels, contexts, moves })
    }

    fn kernel(
        &self,
        part: &KernelPart,
        at: usize,
        context: usize,
        before: &[Kernel],
    ) -> Result<Kernel> {
        let wrong = |what: String| self.wrong(at, &format!("kernel {}: {what}", part.name));
        let program = match (&part.algorithm, &part.command) {
            (Some(algorithm), None) => self.algorithm(part, algorithm, &wrong)?,
            (None, Some(command)) => {
                let words = shlex::split(command).filter(|words| !words.is_empty());
                Program::Command(words.ok_or_else(|| {
                    wrong("its command is empty, or a quote in it is open".to_owned())
                })?)
            }
            _ => return Err(wrong("give either algorithm or command".to_owned())),
        };
        if !(1..=MOST_RUNS).contains(&part.repeat) {
            return Err(wrong(format!("repeat {} is not from 1 to {MOST_RUNS}", part.repeat)));
        }
        let time = |text: &Option<String>| {
            let seconds = text.as_deref().map(parse_seconds).transpose();
            seconds.map_err(&wrong)
        };
        let (start, every) = (time(&part.start)?, time(&part.every)?);
        let starts = (0..part.repeat).map(|run| match (start, every) {
            (start, Some(every)) => Some(start.unwrap_or(0.0) + f64::from(run) * every),
            (start, None) => start.filter(|_| run == 0),
        });
        let find = |name: &String| {
            let place = before.iter().position(|known| known.name == *name);
            place.ok_or_else(|| wrong(format!("there is no kernel {name} before it")))
        };
        Ok(Kernel {
            name: part.name.clone(),
            program,
            starts: starts.collect(),
            after: part.after.iter().map(find).collect::<Result<_>>()?,
            context,
        })
    }

    /// The algorithm of this name, on matrices of the sizes of `part`.
    fn algorithm(
        &self,
        part: &KernelPart,
        name: &str,
        wrong: &dyn Fn(String) -> anyhow::Error,
    ) -> Result<Program> {
        let workload = Workload::find(name).ok_or_else(|| {
            let near = nearest_name(name, WORKLOADS.iter().map(|known| known.name));
            let near = near.map_or(String::new(), |near| format!(", but {near}"));
            wrong(format!("there is no algorithm {name}{near}"))
        })?;
        if workload.makes_contexts {
            return Err(wrong(format!("{name} makes contexts of its own: take one that does not")));
        }
        let nb = part.tile_size.unwrap_or(0) as usize;
        if !(1..=65_536).contains(&nb) {
            return Err(wrong(format!("tile_size {nb} is not from 1 to 65536")));
        }
        let n = match (part.n, part.tiles) {
            (Some(n), None) => n as usize,
            (None, Some(tiles)) => tiles as usize * nb,
            _ => return Err(wrong("give either n or tiles".to_owned())),
        };
        if n == 0 {
            return Err(wrong("it has no tile".to_owned()));
        }
        let precision = match part.precision.as_deref() {
            None => self.precision,
            Some("s") => Precision::Single,
            Some("d") => Precision::Double,
            Some(other) => return Err(wrong(format!("precision {other} is neither s nor d"))),
        };
        workload.check_precision(precision).map_err(|error| wrong(error.to_string()))?;
        let sizes = Sizes {
            precision,
            nrhs: part.nrhs as usize,
            places: nb,
            passes: part.passes as usize,
            seed: self.seed,
            ..Sizes::new(n.div_ceil(nb), nb)
        };
        workload.check(&sizes).map_err(|error| wrong(error.to_string()))?;
        Ok(Program::Algorithm { workload, setting: Box::new(Setting::new(sizes)), n })
    }

    /// The context of a kernel, by its place in `contexts`, which it joins if it is new.
    fn context(&self, part: &KernelPart, at: usize, contexts: &mut Vec<Context>) -> Result<usize> {
        let name = part.context.clone().unwrap_or_else(|| part.name.clone());
        let wrong = |what: String| self.wrong(at, &format!("kernel {}: {what}", part.name));
        let has_own = part.workers.is_some() || part.policy.is_some();
        if let Some(known) = contexts.iter().position(|context| context.name == name) {
            if has_own {
                return Err(wrong(format!(
                    "context {name} has its workers and policy from an earlier kernel"
                )));
            }
            return Ok(known);
        }
        let of_name = |name: &String| {
            policy(name).ok_or_else(|| {
                let near = nearest_name(name, POLICIES.iter().map(|policy| policy.name));
                let near = near.map_or(String::new(), |near| format!(", but {near}"));
                wrong(format!("there is no policy {name}{near}"))
            })
        };
        let policy = part.policy.as_ref().map(of_name).transpose()?;
        let (least, most) = (self.counts(&part.min, at)?, self.counts(&part.max, at)?);
        let limits = (0..self.groups.len()).map(|group| Limits {
            least: least[group].unwrap_or(0),
            most: most[group].unwrap_or(usize::MAX),
        });
        let limits: Vec<Limits> = limits.collect();
        if let Some(group) = limits.iter().position(|limits| limits.least > limits.most) {
            return Err(wrong(format!("min is above max of {}", self.groups[group])));
        }
        let workers = part.workers.as_ref().map(|counts| self.counts(counts, at)).transpose()?;
        let workers = workers.map(|counts| counts.iter().map(|count| count.unwrap_or(0)).collect());
        contexts.push(Context {
            name,
            policy,
            workers,
            limits,
            priority: part.priority,
            is_moldable: !part.malleable,
            is_shared: part.shared,
        });
        Ok(contexts.len() - 1)
    }

    fn moved(
        &self,
        part: &MovePart,
        at: usize,
        kernels: &[Kernel],
        contexts: &[Context],
    ) -> Result<Moved> {
        let wrong = |what: String| self.wrong(at, &format!("move: {what}"));
        let (kernel, end) = part.when.rsplit_once(':').unwrap_or((&part.when, ""));
        let at_end = match end {
            "start" => false,
            "end" => true,
            _ => {
                return Err(wrong(format!(
                    "when is KERNEL:start or KERNEL:end, not {}",
                    part.when
                )));
            }
        };
        let place = kernels.iter().position(|known| known.name == kernel);
        let kernel = place.ok_or_else(|| wrong(format!("there is no kernel {kernel}")))?;
        let context = |name: &str| {
            let place = contexts.iter().position(|context| context.name == name);
            place.ok_or_else(|| wrong(format!("there is no context {name}")))
        };
        let (from, to) = (context(&part.from)?, context(&part.to)?);
        let counts = self.counts(&part.workers, at)?;
        let workers = counts.iter().map(|count| count.unwrap_or(0)).collect();
        Ok(Moved { kernel, at_end, from, to, workers })
    }

    /// Counts by group.
    fn counts(&self, counts: &Counts, at: usize) -> Result<Vec<Option<usize>>> {
        let mut all = vec![None; self.groups.len()];
        for (name, &count) in counts {
            let group = self.groups.iter().position(|group| group == name).ok_or_else(|| {
                let known = self.groups.join(", ");
                self.wrong(at, &format!("there are no workers {name}; there are {known}"))
            })?;
            all[group] = Some(count as usize);
        }
        Ok(all)
    }

    /// What is wrong at this byte of the file.
    fn wrong(&self, place: usize, what: &str) -> anyhow::Error {
        let line = 1 + self.text[..place.min(self.text.len())].matches('\n').count();
        refused(format!("{}: line {line}: {}", self.path.display(), what.trim_end()))
    }
}
