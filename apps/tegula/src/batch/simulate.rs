//! `tegula batch simulate`: a log under one scheduler or several.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_batch::cluster::Cluster;
use tegula_batch::engine::{Options, simulate};
use tegula_batch::job::Workload;
use tegula_batch::log::{clean, evaluate};
use tegula_batch::metrics::{Summary, measure, summary, usage};
use tegula_batch::policy::{POLICIES, Policy};
use tegula_batch::rules::Rules;

use super::input::{ClusterFlags, LogFlags};
use super::parse_positive;
use super::results::{summary_json, write};
use crate::error::refused;
use crate::flags::{OutputFlags, member, parse_span};
use crate::output::{Align, Progress, Table, check_folder_to_make, number, seconds};

/// Points of the usage over time.
const POINTS: usize = 1000;

/// Flags of `simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula batch simulate workload.csv --policy all -o runs/
  tegula batch simulate workload.csv --policy fcfs,lem --backfill --evaluate 1d..8d -o runs/
  tegula batch compare runs/ -o report.html")]
pub(crate) struct Simulate {
    #[command(flatten)]
    log: LogFlags,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Schedulers, or all of them
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "fcfs", value_parser = member(policies()))]
    policy: Vec<usize>,
    /// Let jobs run before earlier ones whose planned starts they do not delay
    #[arg(long)]
    backfill: bool,
    /// Let jobs of more cores than a node has run on several nodes, not longer on one
    #[arg(long)]
    multi_node: bool,
    /// Seconds of delay that a second of loading is worth, of lea, leo, lem and gradual
    #[arg(long, value_name = "W", default_value_t = 500.0, value_parser = parse_positive)]
    weight: f64,
    /// Whose rules are followed
    #[arg(long, value_name = "RULES", default_value = "text", value_parser = member(rules()))]
    rules: usize,
    /// Passes over the queue only in seconds that are multiples of this, not in each in which a job
    /// ends or comes [default: 0s by the text, 30s as published]
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    interval: Option<i64>,
    /// Evaluate only the jobs that are submitted in this time after the first, as 1d..8d [default:
    /// all, or those that LOG marks]
    #[arg(long, value_name = "FROM..TO", value_parser = parse_range)]
    evaluate: Option<(i64, i64)>,
    /// Folder of the results; of several schedulers each gets a folder in it
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    output_folder: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

fn policies() -> Vec<(&'static str, &'static str)> {
    let listed = POLICIES.iter().map(|policy| (policy.name, policy.summary));
    listed.chain([("all", "all of them")]).collect()
}

fn rules() -> Vec<(&'static str, &'static str)> {
    Rules::ALL.iter().map(|&(name, _, summary)| (name, summary)).collect()
}

/// Parses `FROM..TO`.
fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let wrong = || format!("'{text}' is not FROM..TO, such as 1d..8d");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to) = (parse_span(from)?, parse_span(to)?);
    if from < to { Ok((from, to)) } else { Err(format!("'{text}' ends before it begins")) }
}

impl Simulate {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        if let Some(folder) = &self.output_folder {
            check_folder_to_make(folder).map_err(|reason| refused(format!("-o: {reason}")))?;
        }
        let (cluster, begin) = self.cluster.cluster(Some(&self.log.log))?;
        let (_, read) = self.log.read()?;
        let (mut workload, mut notes) = (read.workload, read.notes);
        workload.begin = begin;
        notes.extend(clean(&mut workload, &cluster, self.multi_node));
        if self.evaluate.is_some_and(|range| evaluate(&mut workload, range) == 0) {
            return Err(refused("--evaluate: no job is submitted in that time"));
        }
        if workload.evaluated().next().is_none() {
            return Err(refused("no job is evaluated: give --evaluate FROM..TO"));
        }
        let rules = Rules::ALL[self.rules];
        let has_more = workload.jobs.iter().any(|job| job.nodes > 1 || job.output_gb > 0.0);
        if rules.1 == Rules::Published && (has_more || cluster.shared.is_some()) {
            return Err(refused(
                "--rules published: that program knows no jobs of several nodes, no outputs and no \
                 rate of the file system itself; leave them out, or give --rules text",
            ));
        }
        console.field("cluster", &cluster);
        let (jobs, evaluated) = (workload.jobs.len(), workload.evaluated().count());
        console.field("jobs", format_args!("{jobs}, of which {evaluated} are evaluated"));
        console.field("rules", rules.0);
        notes.iter().for_each(|note| console.note(note));
        let mut table = Table::new(&[
            ("policy", Align::Left),
            ("waiting for files", Align::Right),
            ("mean flow", Align::Right),
            ("mean queue", Align::Right),
            ("session stretch", Align::Right),
            ("reuses", Align::Right),
            ("simulated in", Align::Right),
        ]);
        let (mut progress, mut runs) = (Progress::new(&console), Vec::new());
        for policy in self.policies() {
            progress.show(|_| format!("simulating {}", policy.name));
            let (summary, json) = self.simulate(&cluster, &workload, policy)?;
            let left = evaluated - summary.jobs;
            if left > 0 {
                progress.clear();
                console.warn(format_args!(
                    "{left} evaluated jobs never start under {}: as published, the queue is \
                     looked at only in seconds that are multiples of the interval and in which a \
                     job ends or comes; --interval 0s looks at every such second",
                    policy.name
                ));
            }
            let name = json["name"].as_str().unwrap_or(policy.name).to_owned();
            table.row(vec![
                name,
                hours(summary.waiting_for_files_seconds as f64),
                hours(summary.flow.0),
                hours(summary.queue.0),
                number(summary.session_stretch, 4),
                summary.reuses.to_string(),
                seconds(json["seconds"].as_f64().unwrap_or(0.0)),
            ]);
            runs.push(json);
        }
        progress.clear();
        console.line("");
        console.line(&table);
        if let Some(folder) = &self.output_folder {
            console.line(format_args!("\nwritten to {}", folder.display()));
        }
        self.output.write(&json!({
            "cluster": cluster.to_json(workload.begin()),
            "rules": rules.0,
            "notes": notes,
            "runs": runs,
        }))?;
        console.finish()
    }

    /// The schedulers that are asked for, each once.
    fn policies(&self) -> Vec<&'static Policy> {
        let is_all = self.policy.contains(&POLICIES.len());
        let is_asked = |index: &usize| is_all || self.policy.contains(index);
        (0..POLICIES.len()).filter(is_asked).map(|index| POLICIES[index]).collect()
    }

    /// Runs one scheduler, and writes what it came to.
    fn simulate(
        &self,
        cluster: &Cluster,
        workload: &Workload,
        policy: &'static Policy,
    ) -> Result<(Summary, Value)> {
        let (_, rules, _) = Rules::ALL[self.rules];
        let interval = self.interval.unwrap_or_else(|| rules.default_interval());
        let (backfill, weight) = (self.backfill, self.weight);
        let options = Options { policy, backfill, rules, weight, interval };
        let started = Instant::now();
        let run = simulate(cluster, workload, options);
        let elapsed = started.elapsed().as_secs_f64();
        let measured = measure(cluster, workload, &run);
        let summary = summary(&measured);
        let mut json = summary_json(&summary);
        let name = format!("{}{}", policy.name, if backfill { "-bf" } else { "" });
        json["name"] = name.clone().into();
        json["policy"] = policy.name.into();
        json["backfill"] = backfill.into();
        json["rules"] = Rules::ALL[self.rules].0.into();
        json["interval"] = interval.into();
        json["weight"] = weight.into();
        json["passes"] = run.passes.into();
        json["seconds"] = elapsed.into();
        if let Some(folder) = &self.output_folder {
            let is_one = self.policies().len() == 1;
            let folder = if is_one { folder.clone() } else { folder.join(&name) };
            write(&folder, &measured, &usage(workload, &run, POINTS), &json)?;
        }
        Ok((summary, json))
    }
}

/// Seconds as hours.
pub(super) fn hours(seconds: f64) -> String {
    format!("{} h", number(seconds / 3600.0, 4))
}
