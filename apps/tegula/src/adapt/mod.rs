//! `tegula adapt`: how many nodes each phase should use, studied on simulated durations.

mod pool;
mod pool_file;
mod replay;
mod report;

use anyhow::Result;
use clap::Subcommand;

/// What can be done with counts of nodes.
#[derive(Subcommand, Debug)]
pub(crate) enum Adapt {
    /// Simulate two phases with every count of nodes, beside what a linear programme expects
    Pool(pool::Pool),
    /// Let strategies choose counts of nodes, run after run, on the durations of pools
    Replay(replay::Replay),
}

impl Adapt {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Pool(command) => command.run(),
            Self::Replay(command) => command.run(),
        }
    }
}
