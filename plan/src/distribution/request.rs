//! What a distribution is asked for.

use std::ffi::OsStr;

use super::{Costs, DistributionError, Factorisation, Powers};
use tegula_tiles::Storage;

/// What a distribution is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request<'a> {
    /// What follows the colon after its name.
    pub(super) parameter: Option<&'a str>,
    /// The same where it is the name of a file, which need not be UTF-8.
    pub(super) file: Option<&'a OsStr>,
    /// The ranks and their powers, as far as the parameter does not say them.
    pub(super) powers: Powers,
    /// What tasks cost on the ranks, if that is known.
    pub(super) costs: Option<Costs>,
    /// Which tiles of square matrices are there.
    pub(super) storage: Storage,
}

impl Request<'_> {
    /// Number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.powers.ranks()
    }

    /// The powers of the ranks, which the parameter may say.
    pub(super) fn powers(&self, name: &'static str) -> Result<Powers, DistributionError> {
        match self.parameter {
            Some(text) => Powers::parse(name, text, self.ranks()),
            None => Ok(self.powers.clone()),
        }
    }

    /// What the tasks of the factorisation of square matrices cost: as far as nothing is known, by
    /// `powers`.
    pub(super) fn costs(&self, powers: &Powers) -> Costs {
        let of_powers = || Costs::of_powers(powers, Factorisation::of(self.storage));
        self.costs.clone().unwrap_or_else(of_powers)
    }
}
