//! `tegula diodon`: principal coordinates, components and correspondences of huge matrices, and new
//! items among embedded ones.

mod axes;
mod coa;
mod components;
mod computed;
mod convert;
mod distances;
mod estimate;
mod formats;
mod labels;
mod matrix;
mod mds;
mod overlap;
mod pca;
mod project;
mod readers;
mod weights;
mod written;

use anyhow::Result;
use clap::Subcommand;

/// Principal coordinates of distances, principal components and correspondences of tables.
#[derive(Subcommand, Debug)]
pub(crate) enum Diodon {
    /// Place items along axes by their distances (principal coordinates)
    Mds(Box<mds::Mds>),
    /// Place new items along the axes of embedded ones by their distances to these
    Project(Box<project::Project>),
    /// Place items and variables of a table along axes (principal components)
    Pca(Box<pca::Pca>),
    /// Place rows and columns of a table of counts along axes (correspondence analysis)
    Coa(Box<coa::Coa>),
    /// Compute the distances of points or sequences
    Distances(distances::Distances),
    /// Copy a matrix from one format to another
    Convert(convert::Convert),
    /// List the formats of matrices
    Formats(formats::Formats),
}

impl Diodon {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Mds(command) => command.run(),
            Self::Project(command) => command.run(),
            Self::Pca(command) => command.run(),
            Self::Coa(command) => command.run(),
            Self::Distances(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Formats(command) => command.run(),
        }
    }
}
