//! `tegula batch compare`: runs of schedulers beside each other.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_batch::metrics::{Comparison, compare, quantile, summary};
use tegula_batch::report::{Entry, page};
use tegula_files::WriteError;

use super::results::{Finished, read_all, summary_json};
use super::simulate::hours;
use crate::error::refused;
use crate::flags::OutputFlags;
use crate::output::{Align, Form, Table, check_form, number, write_file};

/// Parts of the sessions at which ratios are told: whiskers, box and median of the report.
const PARTS: [f64; 5] = [0.125, 0.25, 0.5, 0.75, 0.875];

/// Flags of `compare`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula batch compare runs/
  tegula batch compare runs/fcfs runs/lem --base fcfs -o report.html")]
pub(crate) struct Compare {
    /// Folders that simulate wrote
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The run that others are compared with, as fcfs-bf [default: fcfs, for those that backfill
    /// fcfs-bf, else the first]
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Write a report as a page of HTML
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Compare {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        if let Some(path) = &self.output_file {
            check_form("-o", path, Form::Page)?;
        }
        let runs = read_all(&self.folders)?;
        self.check(&runs)?;
        let mut table = Table::new(&[
            ("policy", Align::Left),
            ("beside", Align::Left),
            ("waiting", Align::Right),
            ("less", Align::Right),
            ("core time less", Align::Right),
            ("mean flow", Align::Right),
            ("sessions differ", Align::Right),
            ("better", Align::Right),
            ("median ratio", Align::Right),
        ]);
        let mut entries = Vec::new();
        for run in &runs {
            let base = self.base(&runs, run);
            let (summary, comparison) = (summary(&run.jobs), compare(&base.jobs, &run.jobs));
            table.row(vec![
                run.name.clone(),
                base.name.clone(),
                hours(summary.waiting_for_files_seconds as f64),
                percent(comparison.waiting_reduction),
                percent(comparison.core_reduction),
                hours(summary.flow.0),
                percent(comparison.differing),
                percent(better(&comparison)),
                if comparison.ratios.is_empty() {
                    String::new()
                } else {
                    number(quantile(&comparison.ratios, 0.5), 4)
                },
            ]);
            let (name, base) = (run.name.clone(), base.name.clone());
            entries.push(Entry { name, base, summary, comparison, usage: run.usage.clone() });
        }
        console.line(&table);
        console.line(
            "\nratio: of each session that differs by 1 % or more, the base's stretch over this \
             one's; above 1 is better",
        );
        if let Some(path) = &self.output_file {
            let text = page(&entries);
            write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))?;
            console.line(format_args!("written to {}", path.display()));
        }
        let runs: Vec<Value> = entries.iter().map(entry_json).collect();
        self.output.write(&json!({ "runs": runs }))?;
        console.finish()
    }

    /// Refuses runs of different jobs, or of the same name, and a base that is not there.
    fn check(&self, runs: &[Finished]) -> Result<()> {
        for (index, run) in runs.iter().enumerate() {
            if runs[..index].iter().any(|other| other.name == run.name) {
                return Err(refused(format!("two runs are {}: name folders with one", run.name)));
            }
            let are_same = run.jobs.len() == runs[0].jobs.len()
                && run.jobs.iter().zip(&runs[0].jobs).all(|(job, other)| {
                    (job.id, job.submit, job.session) == (other.id, other.submit, other.session)
                });
            if !are_same {
                return Err(refused(format!(
                    "{} and {} are of different logs, or evaluate different jobs of one",
                    runs[0].name, run.name
                )));
            }
        }
        match &self.base {
            Some(base) if !runs.iter().any(|run| run.name == *base) => {
                let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
                Err(refused(format!("--base: no run is {base}; there are {}", names.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// What `run` is compared with.
    fn base<'a>(&self, runs: &'a [Finished], run: &Finished) -> &'a Finished {
        let called = |name: &str| runs.iter().find(|other| other.name == name);
        let usual = if run.backfill { "fcfs-bf" } else { "fcfs" };
        let base = self.base.as_deref().and_then(called).or_else(|| called(usual));
        base.unwrap_or(&runs[0])
    }
}

/// The part of the sessions that differ which is better.
fn better(comparison: &Comparison) -> f64 {
    let count = comparison.ratios.iter().filter(|ratio| **ratio > 1.0).count();
    count as f64 / comparison.ratios.len().max(1) as f64
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn entry_json(entry: &Entry) -> Value {
    let mut json = summary_json(&entry.summary);
    let comparison = &entry.comparison;
    // The folder does not keep what it would be made of.
    json["stretch"].as_object_mut().expect("an object").remove("bounded_mean");
    json["name"] = entry.name.clone().into();
    json["base"] = entry.base.clone().into();
    json["waiting_reduction"] = comparison.waiting_reduction.into();
    json["core_reduction"] = comparison.core_reduction.into();
    json["sessions_differ"] = comparison.differing.into();
    json["sessions_better"] = better(comparison).into();
    json["ratio_percentiles"] = PARTS
        .iter()
        .map(|&part| json!({ "part": part, "ratio": quantile(&comparison.ratios, part) }))
        .collect();
    json
}
