//! `tegula batch`: jobs that share input files, scheduled over the nodes of a cluster.

mod advise;
mod compare;
mod convert;
mod generate;
mod input;
mod results;
mod script;
mod simulate;

use anyhow::Result;
use clap::Subcommand;

pub(crate) use results::RESULTS;

/// What can be done with logs of batch jobs.
#[derive(Subcommand, Debug)]
pub(crate) enum Batch {
    /// Run a log of jobs on a cluster that is only described, under one scheduler or several
    Simulate(simulate::Simulate),
    /// Draw a log of nine days from a seed
    Generate(generate::Generate),
    /// Make a log that can be simulated of what sacct prints, or of another format
    Convert(convert::Convert),
    /// Put simulated runs beside each other: reductions, sessions, a report
    Compare(compare::Compare),
    /// Say in which order and to which nodes to submit jobs that share files, or write the script
    Advise(advise::Advise),
}

impl Batch {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Simulate(command) => command.run(),
            Self::Generate(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Compare(command) => command.run(),
            Self::Advise(command) => command.run(),
        }
    }
}

/// Parses a number above 0.
fn parse_positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("'{text}' is not a number above 0"))
}

/// Parses a number from 0 on.
fn parse_amount(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("'{text}' is not a number from 0 on"))
}
