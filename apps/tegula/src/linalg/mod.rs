//! `tegula linalg`: times an algorithm on random matrices, and checks what it computes.

mod algorithms;
mod fill;
mod probe;
mod problem;

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::{Map, Value, json};
use tegula_kernels::kernel::kernel;
use tegula_kernels::kernel::rate::{Temperature, rate};
use tegula_kernels::scalar::{Precision, Scalar, c32, c64};
use tegula_runtime::trace::Trace;

use crate::demand::Work;
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, Run, RunFlags, TraceFlags, member, precision_name};
use crate::output::{
    Account, Align, Console, Progress, Table, check_apart, count, number, seconds,
};
use algorithms::{ALGORITHMS, Algorithm};
use problem::{Plan, Problem, Sizes};

/// Flags of `linalg`.
#[derive(Args, Debug)]
#[command(
    override_usage = "tegula linalg <ALGORITHM> -n <N> [OPTIONS]\n       tegula linalg --list"
)]
pub(crate) struct Linalg {
    /// Algorithm; --list explains them
    #[arg(required_unless_present = "list", value_parser = names())]
    algorithm: Option<usize>,
    /// List the algorithms with their formulas
    #[arg(long)]
    list: bool,
    /// Order of the matrix, or its columns
    #[arg(short = 'n', long = "n", value_name = "N", help_heading = "Sizes", required_unless_present = "list", value_parser = size())]
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
    /// Check the result by a backward error
    #[arg(long)]
    check: bool,
    /// Run R times, each on fresh matrices
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

fn names() -> impl TypedValueParser<Value = usize> {
    member(ALGORITHMS.iter().map(|algorithm| (algorithm.name, algorithm.formula)).collect())
}

fn size() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..10_000_000).map(|size| size as usize)
}

/// Times of the repeats, and the check of the last one.
struct Done {
    seconds: Vec<f64>,
    check: Option<f64>,
    /// Of the last run.
    trace: Trace,
    /// Likewise.
    account: Account,
}

impl Linalg {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let (Some(index), false) = (self.algorithm, self.list) else {
            self.output.write(&list(&console))?;
            return console.finish();
        };
        self.trace.check()?;
        check_apart(&[self.output.path(), self.trace.path()], &[])?;
        let algorithm = &ALGORITHMS[index];
        let (run, sizes) = self.settle(algorithm)?;
        console.field("algorithm", format_args!("{}: {}", algorithm.name, algorithm.formula));
        console.field("sizes", sizes.describe(algorithm.sizes));
        run.describe(&console);
        let result = if self.matrix.dry_run {
            self.dry_run(algorithm, &sizes, &run, &console)
        } else {
            let plan = (algorithm.plan)(&sizes);
            let mut done = match run.precision {
                Precision::Single => {
                    self.repeat::<f32>((algorithm.single)(sizes), &plan, &run, &console)?
                }
                Precision::Double => {
                    self.repeat::<f64>((algorithm.double)(sizes), &plan, &run, &console)?
                }
                Precision::ComplexSingle => {
                    self.repeat::<c32>((algorithm.complex_single)(sizes), &plan, &run, &console)?
                }
                Precision::ComplexDouble => {
                    self.repeat::<c64>((algorithm.complex_double)(sizes), &plan, &run, &console)?
                }
            };
            self.describe(&console, algorithm, &sizes, &done);
            run.keep_times(&done.account, &console);
            let result = self.result(algorithm, &sizes, &run, &done);
            self.trace.write(&mut done.trace, &result, &console)?;
            result
        };
        self.output.write(&result)?;
        console.finish()?;
        check_passed(&result)
    }

    /// How tasks run, and the sizes asked for; those that the algorithm has no use for are refused.
    fn settle(&self, algorithm: &Algorithm) -> Result<(Run, Sizes)> {
        let n = self.n.unwrap_or(1);
        for (letter, given) in [("m", self.m), ("k", self.k), ("nrhs", self.nrhs)] {
            if given.is_some() && !algorithm.sizes.contains(&letter) {
                let (name, used) = (algorithm.name, algorithm.sizes.join(", "));
                return Err(refused(format!("{name} has no size {letter}; its sizes are {used}")));
            }
        }
        let (m, k, nrhs) = (self.m.unwrap_or(n), self.k.unwrap_or(n), self.nrhs.unwrap_or(1));
        let (seed, number_bytes) = (self.run.seed, self.matrix.precision.bytes());
        let sizes = |nb, workers| Sizes { m, n, k, nrhs, nb, number_bytes, workers, seed };
        let demand = |nb, workers| (algorithm.plan)(&sizes(nb, workers)).demand();
        let work = Work { order: n.max(m), codelets: algorithm.codelets, demand: &demand };
        let run = self.run.settle(&self.matrix, &work)?;
        let sizes = sizes(run.nb, run.workers());
        Ok((run, sizes))
    }

    /// Runs the algorithm as often as asked for, each time on fresh matrices.
    fn repeat<T: Scalar>(
        &self,
        mut problem: Box<dyn Problem<T>>,
        plan: &Plan,
        run: &Run,
        console: &Console,
    ) -> Result<Done> {
        let mut flow = run.flow(self.trace.is_wanted(), true);
        problem.register(&mut flow);
        let (mut seconds, mut trace) = (Vec::new(), Trace::default());
        let mut account = Account::of(&flow);
        let mut progress = Progress::new(console);
        progress.follow(flow.watch(), plan.fill_tasks, "matrices");
        for done in 1..=self.repeat {
            let of = format!("{done} of {}", self.repeat);
            progress.begin(plan.fill_tasks, format!("matrices {of}"));
            problem.fill(&mut flow)?;
            flow.wait()?;
            drop(flow.take_trace());
            let before = Account::of(&flow);
            progress.begin(plan.tasks, format!("run {of}"));
            let start = Instant::now();
            problem.submit(&mut flow);
            flow.wait()?;
            seconds.push(start.elapsed().as_secs_f64());
            account = Account::of(&flow).since(&before);
            trace = flow.take_trace();
        }
        progress.begin(0.0, "check");
        let check = if self.check { Some(problem.check(&mut flow)?) } else { None };
        progress.clear();
        Ok(Done { seconds, check, trace, account })
    }

    fn describe(&self, console: &Console, algorithm: &Algorithm, sizes: &Sizes, done: &Done) {
        let flops = (algorithm.flops)(sizes);
        let mut table =
            Table::new(&[("run", Align::Right), ("time", Align::Right), ("Gflop/s", Align::Right)]);
        for (index, &time) in done.seconds.iter().enumerate() {
            let rate = number(flops / time * 1e-9, 4);
            table.row(vec![(index + 1).to_string(), seconds(time), rate]);
        }
        console.line("");
        console.line(table);
        done.account.describe(console);
        if let Some(value) = done.check {
            let (threshold, name) = (probe::THRESHOLD, algorithm.check);
            let verdict = if is_passed(value) { "passed" } else { "FAILED" };
            console.line(format_args!(
                "\ncheck {verdict}: {name} = {}, threshold {threshold}",
                number(value, 3)
            ));
        }
        if console.is_verbose() && self.trace.is_wanted() && !done.account.is_counted() {
            describe_workers(console, &done.trace);
        }
        if self.trace.is_wanted() && self.repeat > 1 {
            console.note("the trace is that of the last run");
        }
    }

    /// Says what would be done.
    fn dry_run(&self, algorithm: &Algorithm, sizes: &Sizes, run: &Run, console: &Console) -> Value {
        let gemm = kernel("gemm").expect("gemm is listed");
        let gflops = rate(gemm, run.backend, run.precision, sizes.nb, Temperature::Warm)
            .expect("gemm is of all precisions")
            .gflops();
        let flops = (algorithm.flops)(sizes);
        let time = flops / (gflops * 1e9 * run.workers() as f64);
        let tasks = (algorithm.plan)(sizes).tasks;
        console.field("tasks", tasks);
        console.field("flops", number(flops, 3));
        console.field(
            "rate",
            format_args!(
                "{} Gflop/s per core for gemm on warm tiles in {}, measured now",
                number(gflops, 3),
                precision_name(run.precision)
            ),
        );
        console.field(
            "time",
            format_args!(
                "about {} if all workers keep this rate and never wait for data",
                seconds(time)
            ),
        );
        console.line("dry run: nothing was computed");
        let mut result = self.head(algorithm, sizes, run);
        for (name, value) in [("gflops_per_core", gflops), ("seconds", time)] {
            result.insert(name.to_owned(), value.into());
        }
        result.insert("tasks".to_owned(), (tasks as u64).into());
        result.insert("dry_run".to_owned(), true.into());
        Value::Object(result)
    }

    /// What a result begins with: what is computed, and how.
    fn head(&self, algorithm: &Algorithm, sizes: &Sizes, run: &Run) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert("algorithm".to_owned(), algorithm.name.into());
        for (name, size) in sizes.all() {
            let is_used = algorithm.sizes.contains(&name);
            result.insert(name.to_owned(), if is_used { size.into() } else { Value::Null });
        }
        run.describe_json(&mut result);
        result.insert("flops".to_owned(), (algorithm.flops)(sizes).into());
        result
    }

    fn result(&self, algorithm: &Algorithm, sizes: &Sizes, run: &Run, done: &Done) -> Value {
        let flops = (algorithm.flops)(sizes);
        let gflops: Vec<f64> = done.seconds.iter().map(|time| flops / time * 1e-9).collect();
        let mut result = self.head(algorithm, sizes, run);
        result.insert("seconds".to_owned(), done.seconds.clone().into());
        result.insert("gflops".to_owned(), gflops.into());
        done.account.describe_json(&mut result);
        let check = done.check.map(|value| {
            json!({
                "name": algorithm.check,
                "value": value,
                "threshold": probe::THRESHOLD,
                "passed": is_passed(value),
            })
        });
        result.insert("check".to_owned(), check.unwrap_or(Value::Null));
        Value::Object(result)
    }
}

/// Whether a backward error is small enough; NaN is not.
fn is_passed(value: f64) -> bool {
    value < probe::THRESHOLD
}

/// Fails if the check in `result` did.
fn check_passed(result: &Value) -> Result<()> {
    match result.pointer("/check/passed") {
        Some(Value::Bool(false)) => Err(anyhow::anyhow!("the check failed: the result is wrong")),
        _ => Ok(()),
    }
}

/// Prints every algorithm, and returns them as JSON.
fn list(console: &Console) -> Value {
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("formula", Align::Left),
        ("flops", Align::Left),
        ("sizes", Align::Left),
    ]);
    for algorithm in ALGORITHMS {
        let cells = [algorithm.name, algorithm.formula, algorithm.flops_formula];
        let sizes = algorithm.sizes.join(" ");
        table.row(cells.iter().map(|cell| (*cell).to_owned()).chain([sizes]).collect());
    }
    console.line(table);
    let rows: Vec<Value> = ALGORITHMS
        .iter()
        .map(|algorithm| {
            json!({
                "algorithm": algorithm.name,
                "formula": algorithm.formula,
                "flops": algorithm.flops_formula,
                "sizes": algorithm.sizes,
            })
        })
        .collect();
    json!({ "algorithms": rows })
}

/// Prints what each worker did.
fn describe_workers(console: &Console, trace: &Trace) {
    let makespan = trace.makespan_seconds();
    for worker in 0..trace.workers {
        let own = trace.records.iter().filter(|record| record.worker == worker);
        let (tasks, busy) = own.fold((0, 0.0), |(n, t), record| (n + 1, t + record.seconds()));
        let share = number(100.0 * busy / makespan, 3);
        let tasks = count(tasks, "task");
        console.line(format_args!("  worker {worker}: {tasks}, busy {share} % of the time"));
    }
}
