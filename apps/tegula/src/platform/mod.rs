//! `tegula platform`: descriptions of machines, and measuring this one.

mod calibrate;
mod devices;
mod json;
mod learnt;
mod links;
pub(crate) mod measure;
mod nodes;
mod show;

use anyhow::Result;
use clap::Subcommand;

pub(crate) use learnt::{LearntModels, cache_folder, processor};

/// What can be done with platforms.
#[derive(Subcommand, Debug)]
pub(crate) enum PlatformCommand {
    /// Memories, links, workers and times of kernels of a machine; without a name, which there are
    Show(show::Show),
    /// Measure kernels, devices, memory and disk of this machine, and describe it in a file
    Calibrate(calibrate::Calibrate),
}

impl PlatformCommand {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Show(command) => command.run(),
            Self::Calibrate(command) => command.run(),
        }
    }
}
