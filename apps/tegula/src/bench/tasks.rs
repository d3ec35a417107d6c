//! `tegula bench overhead`: time per empty task.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_runtime::exec::ExecOptions;
use tegula_runtime::platform::{allowed_cores, usable_cores};
use tegula_runtime::sched::{POLICIES, Policy};

use super::overhead::{SHAPES, Shape, measure};
use crate::flags::{OutputFlags, policies};
use crate::output::{Align, Progress, Table, seconds};

/// Flags of `bench overhead`.
#[derive(Args, Debug)]
pub(crate) struct Overhead {
    /// One policy [default: all]
    #[arg(long, value_name = "NAME", value_parser = policies())]
    policy: Option<usize>,
    /// One number of workers [default: one, and as many as cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: Option<u32>,
    /// Runs of each graph, of which the median counts
    #[arg(long, value_name = "R", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    #[command(flatten)]
    output: OutputFlags,
}

/// Times per task of one configuration.
struct Row {
    shape: &'static Shape,
    policy: &'static Policy,
    workers: usize,
    tasks: usize,
    median: f64,
    best: f64,
}

impl Overhead {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let policies: Vec<&'static Policy> =
            self.policy.map_or_else(|| POLICIES.iter().collect(), |index| vec![&POLICIES[index]]);
        let mut workers = match self.workers {
            Some(workers) => vec![workers as usize],
            None => vec![1, usable_cores()],
        };
        workers.dedup();
        let mut table = Table::new(&[
            ("graph", Align::Left),
            ("policy", Align::Left),
            ("workers", Align::Right),
            ("tasks", Align::Right),
            ("per task", Align::Right),
            ("best", Align::Right),
        ]);
        let total = SHAPES.len() * policies.len() * workers.len();
        let (mut rows, mut progress) = (Vec::new(), Progress::new(&console));
        for shape in SHAPES {
            for &policy in &policies {
                for &workers in &workers {
                    progress.share(rows.len(), total, "measurements");
                    let row = self.measure(shape, policy, workers);
                    table.row(row.cells());
                    rows.push(row.json());
                }
            }
        }
        progress.clear();
        console.line(table);
        self.output.write(&json!({ "rows": rows }))?;
        console.finish()
    }

    fn measure(&self, shape: &'static Shape, policy: &'static Policy, workers: usize) -> Row {
        let bind = workers == allowed_cores().len();
        let options = ExecOptions { policy, bind, ..ExecOptions::new(workers) };
        let (tasks, mut times) = measure(shape, options, self.repeat as usize);
        times.sort_by(f64::total_cmp);
        Row { shape, policy, workers, tasks, median: times[times.len() / 2], best: times[0] }
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        vec![
            self.shape.name.to_owned(),
            self.policy.name.to_owned(),
            self.workers.to_string(),
            self.tasks.to_string(),
            seconds(self.median),
            seconds(self.best),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "graph": self.shape.name,
            "policy": self.policy.name,
            "workers": self.workers,
            "tasks": self.tasks,
            "seconds_per_task": self.median,
            "best_seconds_per_task": self.best,
        })
    }
}
