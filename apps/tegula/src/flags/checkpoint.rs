//! Flags about checkpoints: where they are written, how often, and with which a run goes on.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use tegula_files::checkpoint::{About, Checkpoint, CheckpointError, previous_checkpoint};

use super::time::parse_time;
use crate::checkpoint::{self, Checkpoints};
use crate::error::refused;
use crate::output::{Console, check_output, is_standard_output};

/// Time between checkpoints unless told otherwise.
const EVERY: Duration = Duration::from_mins(10);

/// How a run can be interrupted and go on.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Checkpoints")]
pub(crate) struct CheckpointFlags {
    /// Keep what it takes to go on in FILE; Ctrl-C then ends with 75
    ///
    /// So do SIGTERM, SIGHUP and SIGUSR1, after the current step; a second Ctrl-C ends the run at
    /// once. What was in FILE before stays in FILE.previous.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Least time between two checkpoints: 30s, 10m, 1h [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "checkpoint")]
    checkpoint_every: Option<Duration>,
    /// Go on from the checkpoint FILE of a run with the same flags
    ///
    /// The data have to be the same, too. Workers, ranks and devices may differ, and tiles but for
    /// a factorisation's.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl CheckpointFlags {
    /// Whether any is given.
    pub(crate) fn is_given(&self) -> bool {
        self.checkpoint.is_some() || self.resume.is_some()
    }

    /// Refuses, before any work is done, files that cannot be written or are not there, and from
    /// now on notes signals that ask the run to end.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub(crate) fn begin(&self) -> Result<()> {
        if let Some(path) = &self.resume {
            let there = std::fs::metadata(path).map(drop);
            there.or_else(|cause| match previous_checkpoint(path).exists() {
                true => Ok(()),
                false => Err(CheckpointError::Read { path: path.clone(), cause }),
            })?;
        }
        let Some(path) = &self.checkpoint else { return Ok(()) };
        if is_standard_output(path) {
            return Err(refused("--checkpoint: name a file; it is written again and again"));
        }
        check_output(path)?;
        checkpoint::catch_signals(format!(
            "this run ends after its current step, with a checkpoint in {}; Ctrl-C again ends it at \
             once, without",
            path.display()
        ));
        Ok(())
    }

    /// The checkpoint to go on from, for what it says of its run; the one before it, if it is
    /// damaged or gone.
    ///
    /// # Errors
    /// If both are.
    pub(crate) fn earlier(&self) -> Result<Option<Checkpoint>> {
        Ok(self.resume.as_deref().map(Checkpoint::open_last).transpose()?)
    }

    /// The checkpoints of a run that is what `about` says, with the one to go on from: it is said
    /// if that is the one before the last.
    ///
    /// # Errors
    /// If that is damaged, or of another run.
    pub(crate) fn open(&self, about: About, console: &Console) -> Result<Checkpoints> {
        let every = self.checkpoint_every.unwrap_or(EVERY);
        let earlier = self.earlier()?;
        if let (Some(asked), Some(found)) = (&self.resume, &earlier)
            && found.path() != asked
        {
            console.warn(format_args!(
                "the checkpoint {} is damaged, cut short or gone: the run goes on from the one before it, {}",
                asked.display(),
                found.path().display()
            ));
        }
        Checkpoints::open((self.checkpoint.clone(), every), earlier, about)
    }
}
