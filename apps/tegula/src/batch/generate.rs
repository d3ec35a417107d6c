//! `tegula batch generate`: a log that is drawn from a seed.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tegula_batch::generate::{DAYS, Shape, generate};
use tegula_batch::log::write_native;
use tegula_files::WriteError;

use super::input::ClusterFlags;
use super::{parse_amount, parse_positive};
use crate::error::refused;
use crate::flags::OutputFlags;
use crate::output::{Form, check_form, number, write_file};

/// Flags of `generate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula batch generate --jobs 100000 --load 1.2 --seed 1 -o saturated.csv
  tegula batch generate --jobs 2000 --load 0.7 --cluster 10x20x128GB:0.1GB/s -o small.csv")]
pub(crate) struct Generate {
    /// Jobs in nine days; those of the first and the last day are not evaluated
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    jobs: u32,
    /// Work that is offered over the work that the cluster can do: 0.7 is underused, 1.2 saturated
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_positive)]
    load: f64,
    /// Users
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: u32,
    /// Mean number of jobs that a user submits in one burst
    #[arg(long, value_name = "JOBS", default_value_t = 13.0, value_parser = burst)]
    burst: f64,
    /// Share of the bursts whose jobs take from 2 to 8 whole nodes
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    wide: f64,
    /// What a job writes when it has computed, over what it reads
    #[arg(long, value_name = "RATIO", default_value_t = 0.0, value_parser = parse_amount)]
    outputs: f64,
    /// Seed of all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Where to write the log, as CSV; "-" is standard output
    #[arg(long, short, value_name = "LOG", help_heading = "Output")]
    output_file: PathBuf,
    #[command(flatten)]
    output: OutputFlags,
}

fn burst(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|mean| (1.01..=10_000.0).contains(mean));
    number.ok_or_else(|| format!("'{text}' is not a number from 1.01 to 10000"))
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    number.ok_or_else(|| format!("'{text}' is not a number from 0 to 1"))
}

impl Generate {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        check_form("-o", &self.output_file, Form::Table)?;
        let (cluster, _) = self.cluster.cluster(None)?;
        let shape = Shape {
            jobs: self.jobs as usize,
            load: self.load,
            users: self.users as usize,
            burst: self.burst,
            wide: self.wide,
            output: self.outputs,
            seed: self.seed,
        };
        let workload = generate(&cluster, shape).map_err(refused)?;
        write_file::<WriteError>(&self.output_file, |out| Ok(write_native(&workload, out)?))?;
        let (jobs, files) = (workload.jobs.len(), workload.files.len());
        console.field("cluster", &cluster);
        console.field(
            "jobs",
            format_args!(
                "{jobs} in {DAYS} days, of which {} are evaluated; seed {}",
                workload.evaluated().count(),
                self.seed
            ),
        );
        let mean = number(jobs as f64 / files as f64, 3);
        console.field("files", format_args!("{files}, {mean} jobs each"));
        self.output.write(&json!({
            "cluster": cluster.to_json(workload.begin()),
            "jobs": jobs,
            "evaluated": workload.evaluated().count(),
            "files": files,
            "load": self.load,
            "seed": self.seed,
            "output": self.output_file.display().to_string(),
        }))?;
        console.finish()
    }
}
