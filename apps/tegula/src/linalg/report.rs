//! What `tegula linalg` says: the list of algorithms, what a run would do, what it came to.

use anyhow::Result;
use serde_json::{Map, Value, json};
use tegula_kernels::kernel::kernel;
use tegula_kernels::kernel::rate::{Temperature, rate};
use tegula_kernels::option::Uplo;
use tegula_linalg::program::{Counts, PROGRAMS, Program, Size, Sizes, THRESHOLD};
use tegula_runtime::flow::Decisions;
use tegula_runtime::trace::Trace;

use crate::error::refused;
use crate::flags::{Run, precision_name};
use crate::output::{Account, Align, Console, Table, count, number, seconds};

/// An algorithm on matrices of these sizes, and how its tasks run.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    /// The algorithm.
    pub(super) program: &'a Program,
    /// The sizes.
    pub(super) sizes: Sizes,
    /// How tasks run.
    pub(super) run: &'a Run,
}

/// Times of the repeats, and the check of the last one.
#[derive(Default)]
pub(super) struct Done {
    /// Of each repeat, the algorithm alone.
    pub(super) seconds: Vec<f64>,
    /// Of all repeats with their matrices, if some ran at the same time, and how many did.
    pub(super) together: Option<(f64, usize)>,
    /// Steps that an earlier run has done.
    pub(super) taken_over: usize,
    /// Backward error in units of rounding.
    pub(super) check: Option<f64>,
    /// Numbers that it found, by their names.
    pub(super) values: Vec<(&'static str, f64)>,
    /// What the last run decided by the entries of its matrices.
    pub(super) decisions: Decisions,
    /// Eigenvalues or singular values, all of them.
    pub(super) spectrum: Vec<f64>,
    /// Of the last run.
    pub(super) trace: Trace,
    /// Likewise.
    pub(super) account: Account,
}

impl Task<'_> {
    /// Prints what is about to be done.
    pub(super) fn announce(&self, console: &Console) {
        let Self { program, sizes, run } = self;
        console.field("algorithm", format_args!("{}: {}", program.name, program.formula));
        let triangle = self.uplo().map_or_else(String::new, |uplo| format!(", {uplo} triangle"));
        let chosen = sizes.options.describe(program.choices);
        let chosen = chosen.into_iter().map(|(name, value)| format!(", {name} {value}"));
        let variant: String = chosen.collect();
        console.field("sizes", sizes.describe(program.sizes) + &triangle + &variant);
        run.describe(console);
    }

    /// The triangle that is stored, of an algorithm that works on one.
    pub(super) fn uplo(&self) -> Option<&'static str> {
        let name = if self.sizes.uplo == Uplo::Lower { "lower" } else { "upper" };
        self.program.has_uplo.then_some(name)
    }

    /// Operations of what was done, without what an earlier run had done.
    fn flops(&self, done: &Done) -> f64 {
        self.program.flops(&self.sizes.after(done.taken_over))
    }

    /// Prints what was done.
    pub(super) fn describe(&self, console: &Console, done: &Done) {
        let flops = self.flops(done);
        let mut table =
            Table::new(&[("run", Align::Right), ("time", Align::Right), ("Gflop/s", Align::Right)]);
        for (index, &time) in done.seconds.iter().enumerate() {
            let rate = number(flops / time * 1e-9, 4);
            table.row(vec![(index + 1).to_string(), seconds(time), rate]);
        }
        console.line("");
        console.line(table);
        if let Some((time, at_once)) = done.together {
            let rate = number(flops * done.seconds.len() as f64 / time * 1e-9, 4);
            console.field(
                "together",
                format_args!(
                    "{} with the matrices and checks, {at_once} runs at a time: {rate} Gflop/s",
                    seconds(time)
                ),
            );
        }
        for (name, value) in &done.values {
            let is_count = value.fract() == 0.0 && value.abs() < 1e9;
            console.field(name, if is_count { format!("{value}") } else { number(*value, 6) });
        }
        if !self.program.is_steady() {
            let decisions = done.decisions.to_string();
            console.field("decisions", if decisions.is_empty() { "none" } else { &decisions });
        }
        done.account.describe(console);
        if let Some(value) = done.check {
            let verdict = if is_passed(value) { "passed" } else { "FAILED" };
            console.line(format_args!(
                "\ncheck {verdict}: {} = {}, threshold {THRESHOLD}",
                self.check(),
                number(value, 3)
            ));
        }
    }

    /// What the check computes: a residual over the size of the sums that it is made of.
    fn check(&self) -> String {
        format!("|{}| / (length eps size)", self.program.check)
    }

    /// Says what would be done, if it decides so by the entries of its matrices.
    ///
    /// # Errors
    /// If it takes other decisions.
    pub(super) fn dry_run(&self, decisions: Option<Decisions>, console: &Console) -> Result<Value> {
        let Self { program, sizes, run } = self;
        let gemm = kernel("gemm").expect("gemm is listed");
        let order = if program.is_batch() { sizes.n.max(1) } else { sizes.nb };
        let gflops = rate(gemm, run.backend, run.precision, order, Temperature::Warm)
            .expect("gemm is of all precisions")
            .gflops();
        let flops = program.flops(sizes);
        let time = flops / (gflops * 1e9 * run.workers() as f64);
        let counts = Counts::deciding(program, *sizes, run.is_flat(), decisions.as_ref());
        let Some(Counts { timed: tasks, .. }) = counts else {
            return Err(refused(
                "--decisions: the program does not take them, or not in the smaller sizes from \
                 which tasks are counted; give those of a run of the same sizes",
            ));
        };
        let about = if program.is_steady() || decisions.is_some() { "" } else { "about " };
        console.field("tasks", format_args!("{about}{tasks}"));
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
        let mut result = self.head();
        for (name, value) in [("gflops_per_core", gflops), ("seconds", time)] {
            result.insert(name.to_owned(), value.into());
        }
        result.insert("tasks".to_owned(), (tasks as u64).into());
        result.insert("dry_run".to_owned(), true.into());
        Ok(Value::Object(result))
    }

    /// What a result begins with: what is computed, and how.
    fn head(&self) -> Map<String, Value> {
        let Self { program, sizes, run } = self;
        let mut result = Map::new();
        result.insert("algorithm".to_owned(), program.name.into());
        for size in Size::GIVEN {
            let used = program.sizes.contains(&size).then(|| sizes.of(size));
            result.insert(size.name().to_owned(), used.into());
        }
        result.insert("uplo".to_owned(), self.uplo().into());
        for (name, value) in sizes.options.describe(program.choices) {
            result.insert(name.to_owned(), value.into());
        }
        run.describe_json(&mut result);
        result.insert("flops".to_owned(), program.flops(sizes).into());
        result
    }

    /// The result of a run.
    pub(super) fn result(&self, done: &Done) -> Value {
        let flops = self.flops(done);
        let gflops: Vec<f64> = done.seconds.iter().map(|time| flops / time * 1e-9).collect();
        let mut result = self.head();
        result.insert("seconds".to_owned(), done.seconds.clone().into());
        result.insert("gflops".to_owned(), gflops.into());
        if let Some((time, at_once)) = done.together {
            result.insert("contexts".to_owned(), at_once.into());
            result.insert("seconds_together".to_owned(), time.into());
        }
        if self.program.may_pause() {
            result.insert("steps".to_owned(), self.program.steps(&self.sizes).into());
            result.insert("steps_taken_over".to_owned(), done.taken_over.into());
        }
        if !done.values.is_empty() {
            let values =
                done.values.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
            result.insert("values".to_owned(), Value::Object(values.collect()));
        }
        if !self.program.is_steady() {
            result.insert("decisions".to_owned(), done.decisions.to_string().into());
        }
        if !done.spectrum.is_empty() {
            result.insert("spectrum".to_owned(), done.spectrum.clone().into());
        }
        done.account.describe_json(&mut result);
        let check = done.check.map(|value| {
            json!({
                "name": self.check(),
                "value": value,
                "threshold": THRESHOLD,
                "passed": is_passed(value),
            })
        });
        result.insert("check".to_owned(), check.unwrap_or(Value::Null));
        Value::Object(result)
    }
}

/// Whether a backward error is small enough; NaN is not.
fn is_passed(value: f64) -> bool {
    value < THRESHOLD
}

/// Fails if the check in `result` did.
pub(super) fn check_passed(result: &Value) -> Result<()> {
    match result.pointer("/check/passed") {
        Some(Value::Bool(false)) => Err(anyhow::anyhow!("the check failed: the result is wrong")),
        _ => Ok(()),
    }
}

/// The names of the sizes of `program`.
fn letters(program: &Program) -> Vec<&'static str> {
    program.sizes.iter().map(|size| size.name()).collect()
}

/// The algorithms as a table.
fn table() -> Table {
    let heads = ["family", "name", "formula", "flops", "sizes"];
    let mut table = Table::new(&heads.map(|head| (head, Align::Left)));
    let mut last = "";
    for program in PROGRAMS {
        let family = if program.family == last { "" } else { program.family };
        last = program.family;
        let cells = [family, program.name, program.formula, program.flops_formula];
        let mut sizes = letters(program);
        // The note below the table tells of it: the page is not wide enough.
        sizes.retain(|&name| name != Size::Count.name());
        let cells = cells.into_iter().map(str::to_owned).chain([sizes.join(" ")]);
        table.row(cells.collect());
    }
    table
}

/// Prints every algorithm, and returns them as JSON.
pub(super) fn list(console: &Console) -> Value {
    console.line(table());
    console.line("\nflops are those of real precisions; complex ones count four times as many");
    console.line("batches have one more size, --count problems");
    let rows: Vec<Value> = PROGRAMS
        .iter()
        .map(|program| {
            json!({
                "algorithm": program.name,
                "family": program.family,
                "formula": program.formula,
                "flops": program.flops_formula,
                "sizes": letters(program),
                "uplo": program.has_uplo,
                "precisions": program.precisions.iter().map(|p| p.letter()).collect::<Vec<_>>(),
                "variants": program.choices.iter().map(|choice| choice.flags()).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "algorithms": rows })
}

/// Prints what each worker did.
pub(super) fn describe_workers(console: &Console, trace: &Trace) {
    let makespan = trace.makespan_seconds();
    for worker in 0..trace.workers {
        let own = trace.records.iter().filter(|record| record.worker == worker);
        let (tasks, busy) = own.fold((0, 0.0), |(n, t), record| (n + 1, t + record.seconds()));
        let share = number(100.0 * busy / makespan, 3);
        let tasks = count(tasks, "task");
        console.line(format_args!("  worker {worker}: {tasks}, busy {share} % of the time"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_fits_a_page() {
        let table = table().to_string();
        let long: Vec<&str> = table.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "longer than 100 columns:\n{}", long.join("\n"));
    }
}
