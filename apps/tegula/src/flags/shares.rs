//! How ranks share the work: their powers, and who owns which tile.

use std::ffi::OsStr;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Map, Value};
use tegula_diodon::stream::TileDistribution;
use tegula_plan::distribution::{DISTRIBUTIONS, OwnerMap, Powers, distribution_for};
use tegula_runtime::ranks::Owners;
use tegula_tiles::Storage;

use super::choice::MachineChoice;
use crate::cluster::{Planned, is_planned};
use crate::output::{number, seconds};
use crate::ranks;

/// How ranks share the work.
#[derive(Clone)]
pub(super) struct Shares {
    /// The distribution, as it was asked for or chosen.
    pub(super) name: String,
    /// Who owns which tile.
    pub(super) owners: Arc<dyn Owners>,
    /// Who has the tiles in the phase before, if that is planned too.
    pub(super) earlier: Option<Arc<dyn Owners>>,
    /// How tiles are dealt out, if that is planned.
    planned_dealing: Option<TileDistribution>,
    /// Distributions that were simulated to choose it, with the seconds that the run took there.
    compared: Vec<(String, f64)>,
    /// What ranks can do beside each other, in thousandths of a core.
    pub(super) powers: Powers,
    storage: Storage,
}

/// The distribution over unequal ranks, unless told otherwise.
const UNEQUAL: &str = "1d1d";

impl Shares {
    /// The distribution `asked` for over the ranks, this one of which has `machine`; or what suits
    /// them, as until [`follow`](Self::follow) in place of one that is to be planned.
    ///
    /// # Errors
    /// If there is none of this name, it does not fit the ranks, or one of them cannot be heard.
    pub(super) fn resolve(
        asked: Option<&OsStr>,
        machine: &MachineChoice,
        storage: Storage,
    ) -> Result<Self> {
        let powers = ranks::each(machine.power())?.into_iter().map(|power| power as f64);
        let powers = Powers::new(powers.collect());
        let powers = powers.unwrap_or_else(|| Powers::equal(ranks::ranks()));
        let usual = if powers.are_equal() { DISTRIBUTIONS[0].name } else { UNEQUAL };
        let known = asked.filter(|name| name.to_str().is_none_or(|name| !is_planned(name)));
        let name = known.unwrap_or(OsStr::new(usual));
        let owners = distribution_for(name, &powers, storage)?;
        let name = name.to_string_lossy().into_owned();
        let (earlier, planned_dealing, compared) = (None, None, Vec::new());
        Ok(Self { name, owners, earlier, planned_dealing, compared, powers, storage })
    }

    /// Ranks share the work as `planned`.
    pub(super) fn follow(&mut self, planned: Planned) {
        let Planned { name, owners, earlier, dealing, compared } = planned;
        (self.name, self.owners, self.earlier, self.compared) = (name, owners, earlier, compared);
        self.planned_dealing = dealing;
    }

    /// The owners that the distribution `name` makes.
    ///
    /// # Errors
    /// If there is none of this name, or it does not fit the ranks.
    pub(super) fn owners_by(&self, name: &OsStr) -> Result<Arc<dyn Owners>> {
        Ok(distribution_for(name, &self.powers, self.storage)?)
    }

    /// How much of what is dealt out each rank is to have.
    pub(super) fn dealing(&self) -> TileDistribution {
        self.planned_dealing.clone().unwrap_or_else(|| TileDistribution {
            products: shares(&*self.owners, self.powers.ranks()),
            reading: None,
        })
    }

    /// Adds them to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        into.insert("distribution".to_owned(), self.name.as_str().into());
        if !self.compared.is_empty() {
            let compared = self.compared.iter().map(|(name, time)| (name.clone(), (*time).into()));
            into.insert("distributions_compared".to_owned(), Value::Object(compared.collect()));
        }
    }

    /// In a few words.
    pub(super) fn describe(&self) -> String {
        if let Some(((_, best), others)) = self.compared.split_first() {
            let others =
                others.iter().take(3).map(|(name, time)| format!("; {name} {}", seconds(*time)));
            let (name, best) = (&self.name, seconds(*best));
            return format!("{name}, chosen by simulation: {best}{}", others.collect::<String>());
        }
        if self.powers.are_equal() {
            return self.name.clone();
        }
        let cores = self.powers.as_slice().iter().map(|power| number(power / 1000.0, 3));
        let cores: Vec<String> = cores.collect();
        format!("{}, ranks as strong as {} cores", self.name, cores.join(", "))
    }
}

/// The share that each rank has of the tiles of a large matrix.
pub(crate) fn shares(owners: &dyn Owners, ranks: usize) -> Powers {
    /// So many rows and columns that the shares show; equal ones of up to 16 ranks are equal.
    const GRID: (usize, usize) = (5040, 16);
    let tiles = OwnerMap::of(owners, GRID, Storage::Full, ranks).tiles_of_ranks();
    let shares = Powers::new(tiles.into_iter().map(|tiles| tiles as f64).collect());
    shares.expect("somebody has a tile")
}
