//! `tegula linalg`: times an algorithm on random matrices, and checks what it computes.

mod algorithms;
mod fill;
mod probe;
mod problem;

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::{Value, json};
use tegula_kernels::scalar::{Precision, Scalar};
use tegula_runtime::trace::{Site, Totals, Trace};

use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, Run, RunFlags, TraceFlags, member, precision_name};
use crate::output::{Align, Console, Progress, Table, bytes, number, seconds, transfers};
use algorithms::{ALGORITHMS, Algorithm};
use problem::{Problem, Sizes};

/// Flags of `linalg`.
#[derive(Args, Debug)]
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
    trace: Trace,
    /// What the last run moved, and between which memories; nothing if data never moves.
    moved: Option<(Totals, Site)>,
}

impl Linalg {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let (Some(index), false) = (self.algorithm, self.list) else {
            self.output.write(&list(&console))?;
            return console.finish();
        };
        self.trace.check()?;
        let algorithm = &ALGORITHMS[index];
        let run = self.run.settle()?;
        let sizes = self.sizes(algorithm, &run)?;
        let precision = self.matrix.precision;
        let memory = (algorithm.numbers)(&sizes) * precision.bytes() as f64;
        let run = run.fit(memory)?;
        console.field("algorithm", format_args!("{}: {}", algorithm.name, algorithm.formula));
        console.field("sizes", sizes.describe(algorithm.sizes));
        console.field("memory", bytes(memory));
        run.describe(&console, sizes.nb, precision);
        let result = if self.matrix.dry_run {
            dry_run(algorithm, &sizes, &run, precision, memory, &console)
        } else {
            let mut done = match precision {
                Precision::Single => {
                    self.repeat::<f32>((algorithm.single)(sizes), &run, &console)?
                }
                Precision::Double => {
                    self.repeat::<f64>((algorithm.double)(sizes), &run, &console)?
                }
            };
            self.describe(&console, algorithm, &sizes, &done);
            run.keep_times(&console);
            let result = self.result(algorithm, &sizes, &run, &done);
            self.trace.write(&mut done.trace, &result, &console)?;
            result
        };
        self.output.write(&result)?;
        console.finish()?;
        check_passed(&result)
    }

    /// The sizes asked for; those that the algorithm has no use for are refused.
    fn sizes(&self, algorithm: &Algorithm, run: &Run) -> Result<Sizes> {
        let n = self.n.unwrap_or(1);
        for (letter, given) in [("m", self.m), ("k", self.k), ("nrhs", self.nrhs)] {
            if given.is_some() && !algorithm.sizes.contains(&letter) {
                let (name, used) = (algorithm.name, algorithm.sizes.join(", "));
                return Err(refused(format!("{name} has no size {letter}; its sizes are {used}")));
            }
        }
        let (m, k, nrhs) = (self.m.unwrap_or(n), self.k.unwrap_or(n), self.nrhs.unwrap_or(1));
        let nb = self.matrix.tile_size(n.max(m), run.workers());
        Ok(Sizes { m, n, k, nrhs, nb, seed: run.seed })
    }

    /// Runs the algorithm as often as asked for, each time on fresh matrices.
    fn repeat<T: Scalar>(
        &self,
        problem: Box<dyn Problem<T>>,
        run: &Run,
        console: &Console,
    ) -> Result<Done> {
        let mut flow = run.flow(self.trace.is_wanted(), true);
        let mut problem = problem;
        problem.register(&mut flow);
        let (mut seconds, mut trace, mut moved) = (Vec::new(), Trace::default(), None);
        let (mut progress, watch) = (Progress::new(console), flow.watch());
        for done in 0..self.repeat as usize {
            progress.share(done, self.repeat as usize, "runs");
            let before = watch.completed();
            progress.begin(format!("run {} of {}", done + 1, self.repeat));
            problem.fill(&mut flow)?;
            flow.wait()?;
            drop(flow.take_trace());
            let before_it = flow.totals();
            let start = Instant::now();
            problem.submit(&mut flow);
            flow.wait()?;
            seconds.push(start.elapsed().as_secs_f64());
            let totals = flow.totals().zip(before_it);
            moved = totals.map(|(after, before)| (after.since(&before), flow.site()));
            // The first run tells how many tasks there are, so the others can be followed.
            if done == 0 && self.repeat > 1 {
                let tasks = (watch.completed() - before) as usize;
                progress.follow(watch.clone(), tasks, "filling the matrices again");
            }
            trace = flow.take_trace();
        }
        progress.clear();
        let check = if self.check { Some(problem.check(&mut flow)?) } else { None };
        Ok(Done { seconds, check, trace, moved })
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
        if let Some((totals, site)) = &done.moved {
            console.line("");
            transfers::describe(console, totals, site);
        }
        if let Some(value) = done.check {
            let (threshold, name) = (probe::THRESHOLD, algorithm.check);
            let verdict = if is_passed(value) { "passed" } else { "FAILED" };
            console.line(format_args!(
                "\ncheck {verdict}: {name} = {}, threshold {threshold}",
                number(value, 3)
            ));
        }
        if console.is_verbose() && self.trace.is_wanted() {
            describe_workers(console, &done.trace);
        }
    }

    fn result(&self, algorithm: &Algorithm, sizes: &Sizes, run: &Run, done: &Done) -> Value {
        let flops = (algorithm.flops)(sizes);
        let gflops: Vec<f64> = done.seconds.iter().map(|time| flops / time * 1e-9).collect();
        let mut result = serde_json::Map::new();
        result.insert("algorithm".to_owned(), algorithm.name.into());
        for (name, size) in sizes.all() {
            let is_used = algorithm.sizes.contains(&name);
            result.insert(name.to_owned(), if is_used { size.into() } else { Value::Null });
        }
        run.describe_json(&mut result, sizes.nb, self.matrix.precision);
        result.insert("flops".to_owned(), flops.into());
        result.insert("seconds".to_owned(), done.seconds.clone().into());
        result.insert("gflops".to_owned(), gflops.into());
        if let Some((totals, site)) = &done.moved {
            transfers::describe_json(&mut result, totals, site);
        }
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

/// Says what would be done.
fn dry_run(
    algorithm: &Algorithm,
    sizes: &Sizes,
    run: &Run,
    precision: Precision,
    memory: f64,
    console: &Console,
) -> Value {
    use tegula_kernels::kernel::{kernel, rate};
    let gemm = kernel("gemm").expect("gemm is listed");
    let gflops =
        rate::rate(gemm, run.backend, precision, sizes.nb, rate::Temperature::Warm).gflops();
    let flops = (algorithm.flops)(sizes);
    let time = flops / (gflops * 1e9 * run.workers() as f64);
    console.field("flops", number(flops, 3));
    console.field(
        "rate",
        format_args!(
            "{} Gflop/s per core for gemm on warm tiles in {}, measured now",
            number(gflops, 3),
            precision_name(precision)
        ),
    );
    console.field("time", format_args!("about {} if all workers keep this rate", seconds(time)));
    console.line("dry run: nothing was computed");
    json!({
        "dry_run": true,
        "algorithm": algorithm.name,
        "n": sizes.n,
        "tile_size": sizes.nb,
        "memory_bytes": memory,
        "flops": flops,
        "gflops_per_core": gflops,
        "seconds": time,
        "workers": run.workers(),
        "policy": run.policy.name,
    })
}

/// Prints what each worker did.
fn describe_workers(console: &Console, trace: &Trace) {
    let makespan = trace.makespan_seconds();
    for worker in 0..trace.workers {
        let own = trace.records.iter().filter(|record| record.worker == worker);
        let (tasks, busy) = own.fold((0, 0.0), |(n, t), record| (n + 1, t + record.seconds()));
        let share = number(100.0 * busy / makespan, 3);
        console.line(format_args!("  worker {worker}: {tasks} tasks, busy {share} % of the time"));
    }
}
