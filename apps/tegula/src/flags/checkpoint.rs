//! Flags about checkpoints: where they are written, how often, and with which a run goes on.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use tegula_files::checkpoint::{About, Checkpoint, CheckpointError, previous_checkpoint};

use crate::checkpoint::{self, Checkpoints};
use crate::error::refused;
use crate::output::{Console, check_output, is_standard_output};

/// Time between checkpoints unless told otherwise.
const EVERY: Duration = Duration::from_mins(10);

/// Units of times.
const UNITS: [(&str, f64); 5] =
    [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];

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

/// A time with its unit.
fn parse_time(text: &str) -> Result<Duration, String> {
    let expected = || "a time is a number with its unit: 30s, 10m, 1h".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(split);
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(expected)?;
    let number: f64 = number.trim_end().parse().map_err(|_| expected())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| expected())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [
            ("30s", 30.0),
            ("10m", 600.0),
            ("1h", 3600.0),
            ("1.5 h", 5400.0),
            ("0s", 0.0),
            ("2d", 172_800.0),
            ("250ms", 0.25),
        ] {
            assert_eq!(parse_time(text).map(|time| time.as_secs_f64()), Ok(seconds), "{text}");
        }
        for text in ["30", "s", "-1s", "1y", "m10", "", "inf s", "1e400s"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
