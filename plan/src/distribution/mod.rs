//! Distributions: which rank owns each tile. One file each, and a list of all.
//!
//! A distribution is a pure function of the place of a tile; the flow asks it when a matrix is made
//! ([`Flow::set_owners`](tegula_runtime::flow::Flow::set_owners)). Those for unequal ranks are a
//! [`Strategy`], which makes an [`OwnerMap`] of the whole grid of tiles.

mod block_cyclic;
mod block_shuffle;
pub mod bounds;
mod column_cyclic;
mod constrained;
mod costs;
mod earlier_phase;
mod error;
mod file;
mod last_rows;
pub mod messages;
mod one_d;
mod one_d_one_d;
pub mod partition;
mod planned;
mod powers;
mod request;
mod row_cyclic;
mod sbc;
mod shuffle;
mod subset;

use std::ffi::OsStr;
use std::sync::Arc;

pub use block_shuffle::{BlockShuffled, shuffle_blocks};
pub use constrained::{Constrained, Section};
pub use costs::{Costs, Factorisation, Kind, PerKind, Workers};
pub use earlier_phase::earlier_phase;
pub use error::DistributionError;
pub use file::OwnerFile;
pub use last_rows::{constrain_last_rows, first_constrained_row, shuffle_eligible};
pub use one_d::OneD;
pub use one_d_one_d::{OneDOneD, VirtualGrid};
use os_str_bytes::OsStrBytesExt;
pub use planned::{Planned, Strategy};
pub use powers::Powers;
use request::Request;
pub use sbc::SymmetricBlockCyclic;
pub use shuffle::shuffle;
pub use subset::{Subset, ranks_of};
use tegula_runtime::ranks::Owners;
pub use tegula_runtime::ranks::{Program, Traffic, count};
pub use tegula_tiles::owners::{BlockCyclic, OwnerMap};

use tegula_tiles::Storage;

/// A way to distribute tiles, as it is asked for: `NAME` or `NAME:PARAMETER`.
#[derive(Clone, Copy, Debug)]
pub struct DistributionEntry {
    /// Its name.
    pub name: &'static str,
    /// What may follow the colon, if anything may.
    pub parameter: Option<&'static str>,
    /// What it does.
    pub summary: &'static str,
    /// Makes it.
    make: fn(&Request<'_>) -> Made,
}

/// The owners of a distribution.
type Made = Result<Arc<dyn Owners>, DistributionError>;

/// Every distribution.
pub static DISTRIBUTIONS: &[DistributionEntry] = &[
    block_cyclic::ENTRY,
    row_cyclic::ENTRY,
    column_cyclic::ENTRY,
    one_d::ENTRY,
    one_d_one_d::ENTRY,
    constrained::ENTRY,
    block_shuffle::ENTRY,
    sbc::ENTRY,
    partition::PERI_SUM,
    partition::RECURSIVE,
    file::ENTRY,
];

/// The distribution `text` over `ranks` ranks of equal power, for matrices of which all tiles are
/// there.
///
/// # Errors
/// As [`distribution_for`].
pub fn distribution(text: &str, ranks: usize) -> Result<Arc<dyn Owners>, DistributionError> {
    distribution_for(text, &Powers::equal(ranks), Storage::Full)
}

/// The distribution `text` (`NAME[:PARAMETER][@RANKS]`) over ranks of these powers, unless its
/// parameter gives others, for square matrices of which the tiles of `storage` are there. It owns
/// the tiles of any matrix.
///
/// After an at sign stand the ranks that own tiles, such as `0-3,8`: parameter and powers are for
/// these alone.
///
/// # Errors
/// If there is none of this name, its parameter is wrong, or it does not fit the ranks.
pub fn distribution_for(
    text: impl AsRef<OsStr>,
    powers: &Powers,
    storage: Storage,
) -> Result<Arc<dyn Owners>, DistributionError> {
    over_subset(text.as_ref(), powers, None, storage)
}

/// The same where it is known what tasks cost on each rank: distributions that look at that take
/// `costs` in place of what the powers say.
///
/// # Errors
/// As [`distribution_for`].
pub fn distribution_with(
    text: &str,
    powers: &Powers,
    costs: &Costs,
    storage: Storage,
) -> Result<Arc<dyn Owners>, DistributionError> {
    over_subset(text.as_ref(), powers, Some(costs), storage)
}

/// The distribution `NAME[:PARAMETER][@RANKS]`.
fn over_subset(text: &OsStr, powers: &Powers, costs: Option<&Costs>, storage: Storage) -> Made {
    let Some((text, subset)) = text.rsplit_once('@') else {
        return over_all(text, powers.clone(), costs.cloned(), storage);
    };
    let subset = subset.to_string_lossy();
    let ranks = subset::ranks_of(&subset, powers.ranks())?;
    let powers = powers.only(&ranks);
    let powers =
        powers.ok_or_else(|| DistributionError::Powerless { given: subset.to_string() })?;
    let costs = costs.map(|costs| costs.only(&ranks));
    Ok(Arc::new(Subset { owners: over_all(text, powers, costs, storage)?, ranks }))
}

/// The distribution `NAME[:PARAMETER]`.
fn over_all(text: &OsStr, powers: Powers, costs: Option<Costs>, storage: Storage) -> Made {
    let (name, file) = text.split_once(':').map_or((text, None), |(name, file)| (name, Some(file)));
    let name = name.to_string_lossy();
    let parameter = file.map(OsStr::to_string_lossy);
    let parameter = parameter.as_deref();
    let entry = DISTRIBUTIONS.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| DistributionError::Unknown { name: name.to_string() })?;
    if parameter.is_some() && entry.parameter.is_none() {
        return Err(DistributionError::NoParameter { name: entry.name });
    }
    (entry.make)(&Request { parameter, file, powers, costs, storage })
}

#[cfg(test)]
mod tests;
