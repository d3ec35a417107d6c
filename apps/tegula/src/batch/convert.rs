//! `tegula batch convert`: a log that can be simulated, of one in another format.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tegula_batch::log::{clean, infer_files, name_files, write_native};
use tegula_files::WriteError;

use super::input::{ClusterFlags, LogFlags, fault, text};
use super::parse_amount;
use crate::flags::{OutputFlags, parse_span};
use crate::output::{Form, check_form, write_file};

/// Flags of `convert`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sacct -aXP -S 2024-05-01 -o JobIDRaw,User,Submit,TimelimitRaw,ElapsedRaw,AllocCPUS > jobs.txt
  tegula batch convert jobs.txt --files inputs.csv -o workload.csv
  tegula batch convert trace.swf --same-file 800s -o workload.csv")]
pub(crate) struct Convert {
    #[command(flatten)]
    log: LogFlags,
    /// Table with the columns id, file, file_gb: which job reads which file
    #[arg(long, value_name = "FILE", conflicts_with = "same_file")]
    files: Option<PathBuf>,
    /// Suppose that jobs of one user with as many cores share a file if they are submitted within
    /// this time of the first of them, as 800s
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    same_file: Option<i64>,
    /// Size of such a file for each core [default: a core's share of the node's memory]
    #[arg(long, value_name = "GB", requires = "same_file", value_parser = parse_amount)]
    gigabytes_per_core: Option<f64>,
    /// Keep jobs of more cores than a node has as jobs of several nodes
    #[arg(long)]
    multi_node: bool,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Where to write the log, as CSV; "-" is standard output
    #[arg(long, short, value_name = "OUT", help_heading = "Output")]
    output_file: PathBuf,
    #[command(flatten)]
    output: OutputFlags,
}

impl Convert {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        check_form("-o", &self.output_file, Form::Table)?;
        let (cluster, _) = self.cluster.cluster(None)?;
        let (format, read) = self.log.read()?;
        let (mut workload, mut notes) = (read.workload, read.notes);
        notes.extend(clean(&mut workload, &cluster, self.multi_node));
        if let Some(path) = &self.files {
            let count = name_files(&mut workload, &text(path)?);
            let count = count.map_err(|error| fault(path, &error))?;
            let none = workload.jobs.len() - count;
            if none > 0 {
                notes.push(format!("{none} jobs read no file of {}", path.display()));
            }
        }
        if let Some(seconds) = self.same_file {
            let size = self.gigabytes_per_core.unwrap_or_else(|| cluster.share_gb());
            let files = infer_files(&mut workload, seconds, size);
            notes.push(format!(
                "{files} files are supposed, of {size} GB for each core: jobs of one user with as \
                 many cores within {seconds} s share one"
            ));
        }
        let without = workload.jobs.iter().filter(|job| job.file.is_none()).count();
        if without == workload.jobs.len() {
            notes.push(
                "no job reads a file, so that all schedulers are alike: give --files or \
                 --same-file"
                    .to_owned(),
            );
        }
        write_file::<WriteError>(&self.output_file, |out| Ok(write_native(&workload, out)?))?;
        console.field("log", format_args!("{} ({})", self.log.log.display(), format.name));
        console.field("jobs", format_args!("{}, {without} without a file", workload.jobs.len()));
        console.field("files", workload.files.len());
        notes.iter().for_each(|note| console.note(note));
        self.output.write(&json!({
            "input": self.log.log.display().to_string(),
            "format": format.name,
            "jobs": workload.jobs.len(),
            "users": workload.users.len(),
            "files": workload.files.len(),
            "without_file": without,
            "notes": notes,
        }))?;
        console.finish()
    }
}
