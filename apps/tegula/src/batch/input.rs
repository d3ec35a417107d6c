//! Logs and clusters that commands read.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use tegula_batch::cluster::Cluster;
use tegula_batch::log::{LOG_FORMATS, LogError, LogFormat, Read, format_of};
use tegula_files::text::read_whole;

use crate::error::refused;
use crate::flags::member;
use crate::machine::usable_memory;

/// Most bytes of a log where the system does not say how much memory there is.
const UNKNOWN_MEMORY: u64 = 1 << 32;

/// The cluster.
#[derive(Args, Debug)]
pub(super) struct ClusterFlags {
    /// Nodes x cores x memory : rate of a node to the file system, or a JSON file that says so
    /// [default: cluster.json beside LOG if there is one, else 486x20x128GB:0.1GB/s]
    ///
    /// A third part, as in 486x20x128GB:0.1GB/s:5GB/s, is the rate of the file system itself, which
    /// all transfers share.
    #[arg(long, value_name = "CLUSTER")]
    cluster: Option<String>,
}

impl ClusterFlags {
    /// The cluster, and when its clock begins, if a file says so.
    pub(super) fn cluster(&self, log: Option<&Path>) -> Result<(Cluster, Option<i64>)> {
        let beside = log.map(|log| log.with_file_name("cluster.json")).filter(|path| path.exists());
        let path = match &self.cluster {
            None => match beside {
                Some(path) => path,
                None => return Ok((Cluster::default(), None)),
            },
            Some(text) if text.contains('x') && !text.ends_with(".json") => {
                let cluster = Cluster::parse(text);
                let wrong = |reason| refused(format!("--cluster: {reason}"));
                return Ok((cluster.map_err(wrong)?, None));
            }
            Some(path) => PathBuf::from(path),
        };
        let wrong = |reason| refused(format!("{}: {reason}", path.display()));
        Cluster::from_json(&text(&path)?).map_err(wrong)
    }
}

/// How the log is read.
#[derive(Args, Debug)]
pub(super) struct LogFlags {
    /// The log of jobs, which may be compressed by gzip or bzip2
    #[arg(value_name = "LOG")]
    pub(super) log: PathBuf,
    /// Format of LOG [default: what it looks like]
    #[arg(long, value_name = "FORMAT", value_parser = member(formats()))]
    from: Option<usize>,
}

fn formats() -> Vec<(&'static str, &'static str)> {
    LOG_FORMATS.iter().map(|format| (format.name, format.summary)).collect()
}

impl LogFlags {
    /// Reads the log.
    pub(super) fn read(&self) -> Result<(&'static LogFormat, Read)> {
        let text = text(&self.log)?;
        let format = self.from.map_or_else(|| format_of(&text), |index| &LOG_FORMATS[index]);
        let read = format.read(&text).map_err(|error| fault(&self.log, &error))?;
        Ok((format, read))
    }
}

/// `error` of the file at `path`.
pub(super) fn fault(path: &Path, error: &LogError) -> anyhow::Error {
    refused(format!("{}, {error}", path.display()))
}

/// The text of a file.
pub(super) fn text(path: &Path) -> Result<String> {
    let most = usable_memory().unwrap_or(UNKNOWN_MEMORY) / 4;
    let text = read_whole(path, most);
    let text = text.map_err(|error| refused(format!("{}: {error}", path.display())))?;
    if text.trim().is_empty() {
        return Err(refused(format!("{} is empty", path.display())));
    }
    Ok(text)
}

/// Makes the folder at `path`.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}
