//! `tegula bench`: what tasks, kernels and covariances cost on this machine.

mod covariance;
mod kernels;
mod overhead;
mod patterns;
mod tasks;

use anyhow::Result;
use clap::Subcommand;

/// The benchmarks.
#[derive(Subcommand, Debug)]
pub(crate) enum Bench {
    /// Time per empty task, on four graphs
    Overhead(tasks::Overhead),
    /// Tasks that wait for some of the step before, over ranks
    Patterns(patterns::Patterns),
    /// Rates of the kernels on one core
    Kernels(kernels::Kernels),
    /// Speed and accuracy of the covariances on one core
    Covariance(covariance::Covariances),
}

impl Bench {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Overhead(command) => command.run(),
            Self::Patterns(command) => command.run(),
            Self::Kernels(command) => command.run(),
            Self::Covariance(command) => command.run(),
        }
    }
}
