//! Folders of results: one for each scheduler, with a table of jobs, a summary and the usage over
//! time.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use tegula_batch::log::read_measured;
use tegula_batch::metrics::{Measured, Summary, Usage, summary};
use tegula_files::WriteError;

use super::input::{fault, make_folder, text};
use crate::error::refused;
use crate::output::{write_file, write_json};

/// Names of all files that a run may leave in its folder.
pub(crate) static RESULTS: [&str; 3] = ["jobs.csv", "summary.json", "usage.csv"];

/// A run as its folder has it.
pub(super) struct Finished {
    /// The scheduler, with `-bf` behind it if it backfills.
    pub(super) name: String,
    pub(super) backfill: bool,
    pub(super) jobs: Vec<Measured>,
    pub(super) usage: Vec<Usage>,
}

/// A summary as JSON.
pub(super) fn summary_json(summary: &Summary) -> Value {
    json!({
        "jobs": summary.jobs,
        "sessions": summary.sessions,
        "waiting_for_files_seconds": summary.waiting_for_files_seconds,
        "transfer_seconds": summary.transfer_seconds,
        "core_seconds": summary.core_seconds,
        "flow": { "mean": summary.flow.0, "max": summary.flow.1 },
        "queue": { "mean": summary.queue.0, "max": summary.queue.1 },
        "stretch": {
            "mean": summary.stretch.0,
            "median": summary.stretch.1,
            "max": summary.stretch.2,
            "bounded_mean": summary.bounded_stretch,
            "session_median": summary.session_stretch,
        },
        "reuses": summary.reuses,
    })
}

/// Writes the run whose summary is `json` into `folder`.
pub(super) fn write(folder: &Path, jobs: &[Measured], usage: &[Usage], json: &Value) -> Result<()> {
    make_folder(folder)?;
    write_file::<WriteError>(&folder.join("jobs.csv"), |out| {
        writeln!(out, "id,node,submit,start,end,cores,transfer,wait,stretch,session")?;
        for job in jobs {
            let outcome = &job.outcome;
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{}",
                job.id,
                outcome.node,
                job.submit,
                outcome.start,
                outcome.end,
                job.cores,
                outcome.transfer,
                outcome.wait,
                job.stretch,
                job.session
            )?;
        }
        Ok(())
    })?;
    write_file::<WriteError>(&folder.join("usage.csv"), |out| {
        writeln!(out, "time,running,queued,loading")?;
        for now in usage {
            writeln!(out, "{},{},{},{}", now.time, now.running, now.queued, now.loading)?;
        }
        Ok(())
    })?;
    // The last one, so that a folder with a summary is whole.
    write_json(&folder.join("summary.json"), json)
}

/// The runs in the folders `paths`: each is one, or has one in each of its folders.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<Vec<Finished>> {
    let mut folders = Vec::new();
    for path in paths {
        if path.join("summary.json").is_file() {
            folders.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path);
        let entries = entries.map_err(|error| refused(format!("{}: {error}", path.display())))?;
        let inside = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut inside: Vec<PathBuf> =
            inside.filter(|inside| inside.join("summary.json").is_file()).collect();
        if inside.is_empty() {
            return Err(refused(format!(
                "{} has no summary.json, nor has a folder in it: name what simulate wrote with -o",
                path.display()
            )));
        }
        inside.sort();
        folders.append(&mut inside);
    }
    folders.iter().map(|folder| read(folder)).collect()
}

fn read(folder: &Path) -> Result<Finished> {
    let path = folder.join("summary.json");
    let wrong = |reason: String| refused(format!("{}: {reason}", path.display()));
    let json: Value =
        serde_json::from_str(&text(&path)?).map_err(|error| wrong(error.to_string()))?;
    let policy = json["policy"].as_str().ok_or_else(|| wrong("no \"policy\"".to_owned()))?;
    let backfill = json["backfill"].as_bool().unwrap_or(false);
    let name = format!("{policy}{}", if backfill { "-bf" } else { "" });
    let (jobs, usages) = (folder.join("jobs.csv"), folder.join("usage.csv"));
    let measured = read_measured(&text(&jobs)?).map_err(|error| fault(&jobs, &error))?;
    let usage = tegula_batch::log::read_usage(&text(&usages)?);
    let usage = usage.map_err(|error| fault(&usages, &error))?;
    if json["jobs"].as_u64() != Some(summary(&measured).jobs as u64) {
        return Err(wrong(format!("\"jobs\" is not the {} of jobs.csv", measured.len())));
    }
    Ok(Finished { name, backfill, jobs: measured, usage })
}
