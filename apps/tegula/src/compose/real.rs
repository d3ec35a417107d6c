//! A composition for real: commands of this program, each on a thread of its own, on workers that
//! they share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::FromArgMatches;
use tegula_kernels::scalar::Precision;
use tegula_runtime::exec::{ExecOptions, Pool, PoolEngine};
use tegula_runtime::sched::ContextId;
use tegula_runtime::trace::{TaskRecord, Trace};

use super::contexts::{Run, wrong};
use super::file::{Composition, Kernel, Moved, Program, Reader};
use super::report::{KernelOutcome, Outcome, look};
use super::{Compose, Sharing};
use crate::cli::{self, Cli};
use crate::error::refused;
use crate::files;
use crate::flags::MachineChoice;
use crate::output::Console;
use crate::seat::{self, Seat};
use crate::usage;

/// A run of a kernel.
struct Command {
    kernel: usize,
    name: String,
    words: Vec<String>,
    /// The commands that it follows.
    after: Vec<usize>,
    /// Seconds before which it does not begin.
    start: f64,
}

/// How a command ended.
struct Ended {
    start: f64,
    seconds: f64,
    failure: Option<anyhow::Error>,
}

/// Runs the composition of `file`.
pub(super) fn run(flags: &Compose, file: &Path, console: &Console) -> Result<()> {
    let (pool, machine) = flags.run.pool(flags.trace.is_wanted())?;
    let described = machine.machine();
    let groups = described.groups().0;
    let composition = Reader::new(file, &groups, Precision::Double, flags.run.seed)?.read()?;
    let sharing = flags.sharing(&composition)?;
    let commands = commands(sharing, &composition)?;
    let durations = ExecOptions::on(described.clone()).durations;
    let plan = Run { flags, sharing, composition: &composition, machine: &described, durations };
    let contexts = plan.contexts(|spec| pool.add_context(spec))?;
    // A context is there until its last command has ended.
    let keepers: Vec<Mutex<Option<PoolEngine>>> = contexts
        .iter()
        .map(|&context| {
            let keeper = (!plan.is_one()).then(|| pool.engine("keeper", context)).transpose();
            keeper.map(Mutex::new).map_err(wrong)
        })
        .collect::<Result<_>>()?;
    if let Some(hypervisor) = plan.hypervisor() {
        pool.with_contexts(|all, _| {
            all.set_hypervisor(hypervisor);
            Ok(())
        })
        .map_err(wrong)?;
    }
    let stage = Stage {
        pool: &pool,
        machine: &machine,
        composition: &composition,
        contexts: &contexts,
        keepers: &keepers,
        commands: &commands,
        origin: Instant::now(),
        ended: Mutex::new((0..commands.len()).map(|_| None).collect()),
        changed: Condvar::new(),
        has_moves: !plan.is_one(),
    };
    std::thread::scope(|scope| {
        for number in 0..commands.len() {
            let stage = &stage;
            scope.spawn(move || stage.run(number));
        }
    });
    stage.report((flags, sharing), console)
}

/// The commands of a composition, in the order in which its file has them.
fn commands(sharing: Sharing, composition: &Composition) -> Result<Vec<Command>> {
    let mut commands: Vec<Command> = Vec::new();
    for (number, kernel) in composition.kernels.iter().enumerate() {
        let words = words(kernel);
        check(kernel, &words)?;
        for (run, start) in kernel.starts.iter().enumerate() {
            let name = kernel.run_name(run);
            let last = |kernel: usize| commands.iter().rposition(|other| other.kernel == kernel);
            let mut after: Vec<usize> = kernel.after.iter().filter_map(|&k| last(k)).collect();
            after.extend(last(number));
            if sharing == Sharing::Serial {
                after.extend(commands.len().checked_sub(1));
            }
            let start = start.unwrap_or(0.0);
            commands.push(Command { kernel: number, name, words: words.clone(), after, start });
        }
    }
    Ok(commands)
}

/// What stands on the command line of a kernel, after the name of this program.
fn words(kernel: &Kernel) -> Vec<String> {
    match &kernel.program {
        Program::Command(words) => words.clone(),
        Program::Algorithm { workload, setting, n } => {
            let sizes = &setting.sizes;
            let words = ["linalg", workload.name, "-n"].map(str::to_owned);
            let numbers = [n.to_string(), "--tile-size".to_owned(), sizes.nb.to_string()];
            let precision = ["--precision".to_owned(), sizes.precision.letter().to_string()];
            words.into_iter().chain(numbers).chain(precision).collect()
        }
    }
}

/// Refuses a command that cannot be run, before any runs.
fn check(kernel: &Kernel, words: &[String]) -> Result<()> {
    let wrong = |why: String| refused(format!("kernel {}: {why}", kernel.name));
    if words.first().is_some_and(|first| first == "compose") {
        return Err(wrong("a composition in a composition is none".to_owned()));
    }
    parse(words).map(|_| ()).map_err(|error| wrong(error.to_string()))
}

/// What these words mean.
fn parse(words: &[String]) -> Result<(Cli, clap::Command, clap::ArgMatches)> {
    let mut command = cli::command();
    let all = std::iter::once("tegula").chain(words.iter().map(String::as_str));
    let matches = command.try_get_matches_from_mut(all).map_err(|error| {
        let text = usage::reworded(error).render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        anyhow!("{}", first.trim_start_matches("error: ").trim())
    })?;
    Ok((Cli::from_arg_matches(&matches)?, command, matches))
}

/// What the threads of the commands share.
struct Stage<'a> {
    pool: &'a Pool,
    machine: &'a MachineChoice,
    composition: &'a Composition,
    contexts: &'a [ContextId],
    keepers: &'a [Mutex<Option<PoolEngine>>],
    commands: &'a [Command],
    origin: Instant,
    ended: Mutex<Vec<Option<Ended>>>,
    changed: Condvar,
    has_moves: bool,
}

impl Stage<'_> {
    fn seconds(&self) -> f64 {
        self.origin.elapsed().as_secs_f64()
    }

    /// Runs a command once those before it have ended and its time has come.
    fn run(&self, number: usize) {
        let command = &self.commands[number];
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while command.after.iter().any(|&before| ended[before].is_none()) {
            ended = self.changed.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
        drop(ended);
        std::thread::sleep(Duration::from_secs_f64((command.start - self.seconds()).max(0.0)));
        let context = self.composition.kernels[command.kernel].context;
        let seat = Seat {
            pool: self.pool.clone(),
            context: self.contexts[context],
            machine: self.machine.clone(),
            name: command.name.clone(),
            words: command.words.clone(),
        };
        self.move_workers(command.kernel, false);
        let start = self.seconds();
        let failure = seat::take(seat, || {
            let result = catch_unwind(AssertUnwindSafe(|| execute(&command.words)));
            let failure = result.unwrap_or_else(|_| Err(anyhow!("it panicked"))).err();
            if let Some(failure) = &failure {
                Console::new(true, false, false).warn(format_args!("{failure:#}"));
            }
            failure
        });
        let seconds = self.seconds() - start;
        self.move_workers(command.kernel, true);
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended[number] = Some(Ended { start, seconds, failure });
        let of_context =
            |other: &Command| self.composition.kernels[other.kernel].context == context;
        let mut own = self.commands.iter().zip(&*ended).filter(|(other, _)| of_context(other));
        if own.all(|(_, ended)| ended.is_some()) {
            drop(self.keepers[context].lock().unwrap_or_else(PoisonError::into_inner).take());
        }
        self.changed.notify_all();
    }

    /// Moves the workers that change when `kernel` begins or ends.
    fn move_workers(&self, kernel: usize, at_end: bool) {
        let moves = self
            .composition
            .moves
            .iter()
            .filter(|moved| self.has_moves && moved.kernel == kernel && moved.at_end == at_end);
        for Moved { from, to, workers, .. } in moves {
            let (from, to) = (self.contexts[*from], self.contexts[*to]);
            // One that has ended has given its workers away already.
            let _moved = self
                .pool
                .with_contexts(|contexts, view| contexts.move_counts(from, to, workers, view));
        }
    }

    /// Tells how the commands ended.
    ///
    /// # Errors
    /// That of the first command that failed.
    fn report(self, (flags, sharing): (&Compose, Sharing), console: &Console) -> Result<()> {
        let (totals, site) = (self.pool.totals(), self.pool.site());
        let looked = self.pool.with_contexts(|contexts, _| Ok(look(contexts, &site)));
        let looked = looked.map_err(wrong)?;
        let names: Vec<String> = looked.jobs.iter().map(|job| job.name.clone()).collect();
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut first_failure = None;
        let mut kernels = Vec::new();
        for (command, ended) in self.commands.iter().zip(ended) {
            let Ended { start, seconds, failure } = ended.expect("every command has ended");
            let own = looked.jobs.iter().filter(|job| job.name == command.name);
            kernels.push(KernelOutcome {
                name: command.name.clone(),
                context: self.contexts[self.composition.kernels[command.kernel].context],
                start,
                seconds,
                flops: own.map(|job| job.flops).sum(),
                failure: failure.as_ref().map(|failure| format!("{failure:#}")),
            });
            if let Some(failure) = failure {
                first_failure.get_or_insert((command.name.clone(), failure));
            }
        }
        let last = kernels.iter().map(|kernel| kernel.start + kernel.seconds).fold(0.0, f64::max);
        let mut records = self.pool.take_records();
        follow(&mut records.tasks, self.commands, &names);
        let mut trace = Trace::new(records, site.clone(), &["none"]);
        let outcome = Outcome::new(kernels, looked, totals, site, last);
        outcome.describe(console, (flags, sharing), "this machine");
        let result = outcome.result((flags, sharing), "this machine");
        flags.trace.write(&mut trace, &result, console)?;
        flags.output.write(&result)?;
        match first_failure {
            Some((name, failure)) => Err(failure.context(format!("kernel {name} failed"))),
            None => Ok(()),
        }
    }
}

/// Lets the first tasks of each flow come after the one that ended last of what had ended before in
/// flows of the same command and of those that it follows; `names` are those of the jobs, which
/// are the flows'.
fn follow(tasks: &mut [TaskRecord], commands: &[Command], names: &[String]) {
    let owners: Vec<Option<usize>> = names
        .iter()
        .map(|name| commands.iter().position(|command| command.name == *name))
        .collect();
    // Of each job the start of its first task, and end and number of the one that ended last.
    let mut spans = vec![(u64::MAX, (0, 0)); names.len()];
    for task in &*tasks {
        let (first, last) = &mut spans[usize::from(task.job)];
        *first = task.start.min(*first);
        *last = (task.end, task.task).max(*last);
    }
    let awaited = |job: usize| {
        let own = owners[job]?;
        let is_before = |owner: usize| owner == own || commands[own].after.contains(&owner);
        let before = (0..names.len()).filter(|&other| owners[other].is_some_and(is_before));
        let ends = before.map(|other| spans[other].1).filter(|last| last.0 <= spans[job].0);
        ends.max().filter(|last| last.0 > 0)
    };
    let awaited: Vec<Option<(u64, u64)>> = (0..names.len()).map(awaited).collect();
    for task in tasks.iter_mut().filter(|task| task.after == 0) {
        task.after = awaited[usize::from(task.job)].map_or(0, |(_, last)| last + 1);
    }
}

/// Runs a command, as `main` does.
fn execute(words: &[String]) -> Result<()> {
    let (cli, command, matches) = parse(words)?;
    files::check_apart(&command, &matches)?;
    cli.run(true)
}
