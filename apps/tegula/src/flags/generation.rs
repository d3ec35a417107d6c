//! `--generation`: who generates the tiles of a covariance matrix over ranks.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use tegula_runtime::ranks::Owners;

use super::Run;

/// Who generates.
#[derive(Args, Clone, Debug)]
pub(crate) struct GenerationFlags {
    /// Which rank generates which tile, as --distribution [default: its owner]
    ///
    /// The tile then goes to its owner. "tegula plan exageostat" writes a distribution for each
    /// phase.
    #[arg(long, value_name = "NAME", help_heading = "Run")]
    generation: Option<OsString>,
}

impl GenerationFlags {
    /// Whether it was said who generates.
    pub(crate) fn is_given(&self) -> bool {
        self.generation.is_some()
    }

    /// The ranks that generate, if not the owners.
    ///
    /// # Errors
    /// If there is no such distribution.
    pub(crate) fn owners(&self, run: &Run) -> Result<Option<Arc<dyn Owners>>> {
        match &self.generation {
            Some(name) => run.owners_by(name).map(Some),
            None => Ok(run.earlier_owners()),
        }
    }
}
