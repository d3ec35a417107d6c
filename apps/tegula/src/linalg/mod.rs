//! `tegula linalg`: times an algorithm on matrices at random or from files, and checks what it
//! computes.

mod contexts;
mod file;
mod inputs;
mod load;
mod options;
mod pauses;
mod registry;
mod report;
mod results;
mod sparse;
mod state;
#[cfg(test)]
mod tests;

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::option::Uplo;
use tegula_linalg::batch::problems_per_task;
use tegula_linalg::program::{Counts, Instance, PROGRAMS, Program, Size, Sizes};
use tegula_linalg::{column_width, device_column_width, device_tile_size, tile_size};
use tegula_runtime::flow::{Decisions, Flow};
use tegula_runtime::trace::Trace;
use tegula_tiles::Storage;

use crate::error::refused;
use crate::flags::{CheckpointFlags, MatrixFlags, OutputFlags, Run, RunFlags, TraceFlags, member};
use crate::output::{Account, Console, Progress};
use crate::work::{self, Work};
use inputs::{FileFlags, Inputs};
use options::OptionFlags;
use pauses::{Stages, about_run, tiling};
use report::{Done, Task, check_passed, list};
use sparse::Sparse;

/// Flags of `linalg`.
#[derive(Args, Debug)]
#[command(
    override_usage = "tegula linalg <ALGORITHM> -n <N> [OPTIONS]\n       tegula linalg <ALGORITHM> --input <A> [OPTIONS]\n       tegula linalg --list\n       tegula linalg sparse-qr|sparse-gels --input <A.mtx> [OPTIONS]",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(crate) struct Linalg {
    #[command(subcommand)]
    sparse: Option<Box<Sparse>>,
    /// Algorithm: "tegula linalg --list" has all
    #[arg(required_unless_present = "list", value_parser = names(), hide_possible_values = true)]
    algorithm: Option<usize>,
    /// List the algorithms with their formulas
    #[arg(long)]
    list: bool,
    /// Order of the matrix, or its columns
    #[arg(short = 'n', long = "n", value_name = "N", help_heading = "Sizes", required_unless_present_any = ["list", "input"], value_parser = size())]
    n: Option<usize>,
    /// Rows, where they may differ from N [default: N]
    #[arg(short = 'm', long = "m", value_name = "M", help_heading = "Sizes", value_parser = size())]
    m: Option<usize>,
    /// Inner dimension of a product [default: N]
    #[arg(short = 'k', long = "k", value_name = "K", help_heading = "Sizes", value_parser = size())]
    k: Option<usize>,
    /// Right-hand sides of a solve [default: 1]
    #[arg(long, value_name = "R", help_heading = "Sizes", value_parser = size())]
    nrhs: Option<usize>,
    /// Problems of a batch, of which a task takes --tile-size [default: 1000]
    #[arg(long, value_name = "COUNT", help_heading = "Sizes", value_parser = size())]
    count: Option<usize>,
    /// The triangle that is stored, where an algorithm works on one [default: lower]
    #[arg(long, value_name = "UPLO", value_parser = uplo())]
    uplo: Option<Uplo>,
    #[command(flatten)]
    options: OptionFlags,
    #[command(flatten)]
    files: FileFlags,
    /// What a run decided by the entries of its matrices, as that told it: to count its tasks
    #[arg(long, value_name = "LETTERS", requires = "dry_run")]
    decisions: Option<String>,
    /// Check the result by a backward error
    #[arg(long)]
    check: bool,
    /// Run R times, each on fresh matrices
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// So many of these runs at the same time, in contexts [default: 1]
    ///
    /// Each in a scheduling context of its share of the workers: independent problems that are too
    /// small to keep all workers busy.
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..))]
    contexts: Option<u32>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    checkpoint: CheckpointFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// Problems of a batch unless told otherwise.
const PROBLEMS: usize = 1000;

fn names() -> impl TypedValueParser<Value = usize> {
    member(PROGRAMS.iter().map(|program| (program.name, program.formula)).collect())
}

fn size() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(..10_000_000).map(|size| size as usize)
}

fn uplo() -> impl TypedValueParser<Value = Uplo> {
    let values = [("lower", "on and below the diagonal"), ("upper", "on and above the diagonal")];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values)
        .map(|name| if name == "lower" { Uplo::Lower } else { Uplo::Upper })
}

/// Refuses sizes of which one is larger than it may be.
fn check_limits(program: &Program, sizes: &Sizes) -> Result<()> {
    for &(small, large) in program.limits {
        if sizes.of(small) > sizes.of(large) {
            let (name, given) = (program.name, sizes.describe(program.sizes));
            let (small, large) = (small.name(), sizes.resolved(large).name());
            return Err(refused(format!("{name} takes {small} <= {large}, not {given}")));
        }
    }
    Ok(())
}

impl Linalg {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(sparse) = &self.sparse {
            return sparse.run();
        }
        let console = self.output.console(self.files.result.as_deref())?;
        let (Some(index), false) = (self.algorithm, self.list) else {
            self.output.write(&list(&console))?;
            return console.finish();
        };
        self.trace.check()?;
        let program = &PROGRAMS[index];
        self.check_files(program)?;
        let (run, sizes, inputs) = self.set_up(program)?;
        let task = Task { program, sizes, run: &run };
        let at_once = self.at_once(&task)?;
        task.announce(&console);
        let result = if self.matrix.dry_run {
            let decisions = self.decisions.as_deref().map(|text| program.read_decisions(text));
            let decisions = decisions.transpose();
            task.dry_run(
                decisions.map_err(|why| refused(format!("--decisions: {why}")))?,
                &console,
            )?
        } else {
            let mut done = if self.checkpoint.is_given() {
                self.in_stages(&task, &inputs, &console)?
            } else if at_once > 1 {
                self.side_by_side((&task, at_once), &inputs, &console)?
            } else {
                self.repeat(&task, &inputs, &console)?
            };
            self.describe(&console, &task, &done);
            run.keep_times(&done.account, &console);
            let result = task.result(&done);
            self.trace.write(&mut done.trace, &result, &console)?;
            result
        };
        self.output.write(&result)?;
        console.finish()?;
        check_passed(&result)
    }

    /// Refuses files that cannot be written, and checkpoints where there are none.
    fn check_files(&self, program: &Program) -> Result<()> {
        self.files.check_result(program)?;
        if self.checkpoint.is_given() && !program.may_pause() {
            let others = PROGRAMS.iter().filter(|program| program.may_pause());
            let others: Vec<&str> = others.map(|program| program.name).collect();
            let (name, others) = (program.name, others.join(", "));
            return Err(refused(format!(
                "{name} makes no pauses: leave --checkpoint and --resume out; {others} make some"
            )));
        }
        if self.checkpoint.is_given() && self.repeat > 1 {
            return Err(refused("--checkpoint and --resume are of one run: leave --repeat out"));
        }
        self.checkpoint.begin()
    }

    /// How tasks run, and the sizes asked for; what the algorithm has no use for is refused.
    fn set_up(&self, program: &Program) -> Result<(Run, Sizes, Inputs)> {
        let (sizes, inputs) = self.sizes(program)?;
        let earlier = self.checkpoint.earlier()?.as_ref().map_or((None, None), tiling);
        let sharers = |workers| earlier.1.unwrap_or(workers);
        let sizes = |nb, workers| Sizes { nb, workers, sharers: sharers(workers), ..sizes };
        let footprint = |nb, workers| program.footprint(&sizes(nb, workers));
        let Sizes { m, n, count, precision, .. } = sizes(1, 1);
        let codelets = || program.codelets(sizes(1, 1));
        let is_batch = program.is_batch();
        let tile_size = |workers| match (earlier.0, is_batch, program.is_cut_one_way()) {
            (Some(nb), ..) => nb,
            (None, true, _) => problems_per_task(count, n * n * precision.bytes(), workers),
            (None, false, true) => column_width(m, n, workers),
            (None, false, false) => tile_size(n.max(m), workers),
        };
        let order = if is_batch { count } else { n.max(m) };
        let storage = if program.has_uplo { Storage::Lower } else { Storage::Full };
        let (tile_size, codelets, footprint) = (&tile_size, &codelets, &footprint);
        let is_free = earlier.0.is_none() && !is_batch;
        let device_tile_size = is_free.then(|| {
            let is_one_way = program.is_cut_one_way();
            if is_one_way { device_column_width(m, n) } else { device_tile_size(n.max(m)) }
        });
        let name = (m == n && !is_batch).then_some(work::Program::OfTiles(program.name));
        let work = Work {
            order,
            tile_size,
            device_tile_size,
            codelets,
            storage,
            program: name,
            footprint,
        };
        let run = self.run.resolve(&self.matrix, &work)?;
        let sizes = sizes(run.nb, run.workers());
        Ok((run, sizes, inputs))
    }

    /// The sizes asked for, their tiles not yet settled, and the files that some of them come from.
    fn sizes(&self, program: &Program) -> Result<(Sizes, Inputs)> {
        let name = program.name;
        let given = [
            (Size::M, self.m),
            (Size::K, self.k),
            (Size::Nrhs, self.nrhs),
            (Size::Count, self.count),
        ];
        for (size, given) in given {
            if given.is_some() && !program.sizes.contains(&size) {
                let used: Vec<&str> = program.sizes.iter().map(|size| size.name()).collect();
                let (letter, used) = (size.name(), used.join(", "));
                return Err(refused(format!("{name} has no size {letter}; its sizes are {used}")));
            }
        }
        if self.uplo.is_some() && !program.has_uplo {
            return Err(refused(format!("{name} works on no triangle: leave --uplo out")));
        }
        let mut sizes = Sizes {
            m: 0,
            n: 0,
            k: 0,
            nrhs: 0,
            count: 0,
            nb: 1,
            uplo: self.uplo.unwrap_or(Uplo::Lower),
            precision: self.matrix.precision,
            workers: 1,
            sharers: 1,
            seed: self.run.seed,
            options: self.options.resolve(program, self.matrix.precision)?,
        };
        let mut known = Vec::new();
        for (size, given) in [(Size::N, self.n)].into_iter().chain(given) {
            if let Some(given) = given {
                sizes.set(size, given);
                known.push(size);
            }
        }
        let inputs = self.files.open(program, (&mut known, &mut sizes), self.run.memory()?)?;
        let default = |size, value| (!known.contains(&size)).then_some((size, value));
        let n = if known.contains(&Size::N) { sizes.n } else { sizes.m };
        let defaults =
            [(Size::N, n), (Size::M, n), (Size::K, n), (Size::Nrhs, 1), (Size::Count, PROBLEMS)];
        let defaults = defaults.into_iter().filter_map(|(size, value)| default(size, value));
        defaults.for_each(|(size, value)| sizes.set(size, value));
        check_limits(program, &sizes)?;
        Ok((sizes, inputs))
    }

    /// Runs the algorithm as often as asked for, each time on fresh matrices.
    fn repeat(&self, task: &Task<'_>, inputs: &Inputs, console: &Console) -> Result<Done> {
        let Task { program, sizes, run } = *task;
        let counts = Counts::of(program, sizes, run.is_flat());
        let before_tasks = program.fill_tasks(&sizes) + counts.prepared;
        let mut flow = run.flow(self.trace.is_wanted(), true);
        let mut instance = program.instance(&mut flow, sizes, &inputs.to_program());
        let (mut seconds, mut trace) = (Vec::new(), Trace::default());
        let mut decisions = Decisions::default();
        let mut account = Account::of(&mut flow);
        let mut progress = Progress::new(console);
        progress.follow(flow.watch(), before_tasks, "matrices");
        for done in 1..=self.repeat {
            let of = format!("{done} of {}", self.repeat);
            progress.begin(before_tasks, format!("matrices {of}"));
            instance.fill_but(&mut flow, &[]);
            instance.prepare(&mut flow);
            flow.wait().map_err(load::failure)?;
            drop(flow.take_trace());
            let before = Account::of(&mut flow);
            progress.begin(counts.timed, format!("run {of}"));
            flow.note_decisions();
            let start = Instant::now();
            instance.submit(&mut flow);
            flow.wait()?;
            seconds.push(start.elapsed().as_secs_f64());
            decisions = flow.take_decisions();
            account = Account::of(&mut flow).since(&before);
            trace = flow.take_trace();
            instance.verify(&mut flow).map_err(anyhow::Error::from_boxed)?;
        }
        let done = Done { seconds, decisions, trace, account, ..Done::default() };
        self.finish(&mut flow, (program, &mut *instance), &mut progress, done)
    }

    /// Runs the algorithm once, with pauses between its steps.
    fn in_stages(&self, task: &Task<'_>, inputs: &Inputs, console: &Console) -> Result<Done> {
        let Task { program, sizes, run } = *task;
        let checkpoints = self.checkpoint.open(about_run(task, inputs)?, console)?;
        let mut stages = Stages { program, sizes, checkpoints, console };
        let counts = Counts::of(program, sizes, run.is_flat());
        let mut flow = run.flow(self.trace.is_wanted(), true);
        let mut instance = program.instance(&mut flow, sizes, &inputs.to_program());
        let mut progress = Progress::new(console);
        progress.follow(flow.watch(), program.fill_tasks(&sizes), "matrices");
        let taken_over = stages.fill(&mut flow, &mut *instance)?;
        flow.wait().map_err(load::failure)?;
        drop(flow.take_trace());
        let before = Account::of(&mut flow);
        let left = program.flops(&sizes.after(taken_over)) / program.flops(&sizes).max(1.0);
        progress.begin(counts.timed * left, "run");
        let start = Instant::now();
        stages.run(&mut flow, &mut *instance, &mut progress, taken_over)?;
        let seconds = vec![start.elapsed().as_secs_f64()];
        let account = Account::of(&mut flow).since(&before);
        let trace = flow.take_trace();
        instance.verify(&mut flow).map_err(anyhow::Error::from_boxed)?;
        let done = Done { seconds, taken_over, trace, account, ..Done::default() };
        self.finish(&mut flow, (program, &mut *instance), &mut progress, done)
    }

    /// Checks and writes the result.
    fn finish(
        &self,
        flow: &mut Flow,
        (program, instance): (&Program, &mut dyn Instance),
        progress: &mut Progress,
        done: Done,
    ) -> Result<Done> {
        progress.begin(0.0, "check");
        let check = if self.check {
            Some(instance.check(flow).map_err(anyhow::Error::from_boxed)?)
        } else {
            None
        };
        progress.clear();
        if let Some(path) = &self.files.result {
            results::write(path, flow, program, instance)?;
        }
        let (values, spectrum) = (instance.values().to_vec(), instance.spectrum().to_vec());
        Ok(Done { check, values, spectrum, ..done })
    }

    fn describe(&self, console: &Console, task: &Task<'_>, done: &Done) {
        task.describe(console, done);
        if console.is_verbose() && self.trace.is_wanted() && !done.account.is_counted() {
            report::describe_workers(console, &done.trace);
        }
        if self.trace.is_wanted() && self.repeat > 1 {
            console.note("the trace is that of the last run");
        }
    }
}
