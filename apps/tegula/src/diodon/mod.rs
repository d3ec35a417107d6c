//! `tegula diodon`: principal coordinates, components and correspondences of huge matrices.

mod convert;
mod formats;

use anyhow::Result;
use clap::Subcommand;

/// Matrices of distances, and what is made of them.
#[derive(Subcommand, Debug)]
pub(crate) enum Diodon {
    /// Copy a matrix from one format to another
    Convert(convert::Convert),
    /// List the formats of matrices
    Formats(formats::Formats),
}

impl Diodon {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Convert(command) => command.run(),
            Self::Formats(command) => command.run(),
        }
    }
}
