//! Distributions: which rank owns each tile. One file each, and a list of all.
//!
//! A distribution is a pure function of the place of a tile; the flow asks it when a matrix is made
//! ([`Flow::set_owners`](tegula_runtime::flow::Flow::set_owners)).

mod block_cyclic;
mod error;
mod file;

use std::sync::Arc;

pub use block_cyclic::BlockCyclic;
pub use error::DistributionError;
pub use file::OwnerFile;
use tegula_runtime::ranks::Owners;
pub use tegula_runtime::ranks::{Program, Traffic, count};

/// A way to distribute tiles, as it is asked for: `NAME` or `NAME:PARAMETER`.
#[derive(Clone, Copy, Debug)]
pub struct DistributionEntry {
    /// Its name.
    pub name: &'static str,
    /// What may follow the colon, if anything may.
    pub parameter: Option<&'static str>,
    /// What it does.
    pub summary: &'static str,
    /// Makes it, for so many ranks.
    make: fn(Option<&str>, usize) -> Made,
}

/// The owners of a distribution.
type Made = Result<Arc<dyn Owners>, DistributionError>;

/// Every distribution.
pub const DISTRIBUTIONS: &[DistributionEntry] = &[block_cyclic::ENTRY, file::ENTRY];

/// The distribution `text` over `ranks` ranks.
///
/// # Errors
/// If there is none of this name, its parameter is wrong, or it does not fit so many ranks.
pub fn distribution(text: &str, ranks: usize) -> Result<Arc<dyn Owners>, DistributionError> {
    let (name, parameter) =
        text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let entry = DISTRIBUTIONS.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| DistributionError::Unknown { name: name.to_owned() })?;
    if parameter.is_some() && entry.parameter.is_none() {
        return Err(DistributionError::NoParameter { name: entry.name });
    }
    (entry.make)(parameter, ranks)
}
