//! What of a program the ranks have, for some numbers of nodes in its phases.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tegula_diodon::stream::TileDistribution;
use tegula_plan::distribution::Powers;
use tegula_runtime::flow::Flow;
use tegula_tiles::Storage;
use tegula_tiles::owners::OwnerMap;

use crate::cluster::wire::{map_of, owners_of};
use crate::plan::Maps;

/// What of a program the ranks have. Rank 0 plans it, the others get it in words.
pub(crate) trait Division: Clone {
    /// The key of the numbers of nodes of the first phase in a result.
    const FIRST: &str;
    /// What a plan takes for the network, as the parameter of a distribution that plans phases.
    const NETWORK: &str;

    /// That of `maps` over nodes, which are these ranks.
    ///
    /// # Errors
    /// If the maps are those of another program.
    fn of(maps: &Maps, ranks: &[usize]) -> Result<Self>;

    /// In words, as many as [`words`](Self::words) says.
    fn write(&self) -> Vec<u64>;

    /// How many words it takes for so many tiles along an edge, over so many ranks.
    fn words(tiles: usize, ranks: usize) -> usize;

    /// What [`write`](Self::write) has written.
    ///
    /// # Errors
    /// If it has written something else.
    fn read(words: &[u64], tiles: usize, ranks: usize) -> Result<Self>;

    /// `flow` registers data of the second phase by it from now on.
    fn enter(&self, flow: &mut Flow);
}

/// Owners of the tiles of a triangle in two phases.
#[derive(Clone)]
pub(crate) struct TwoMaps(pub(super) [Arc<OwnerMap>; 2]);

impl Division for TwoMaps {
    const FIRST: &str = "generating_nodes";
    /// As L. L. Nesi has it in his thesis, chapter 7.
    const NETWORK: &str = ":free";

    fn of(maps: &Maps, ranks: &[usize]) -> Result<Self> {
        let (first, second) = (maps.earlier.as_ref(), maps.last.as_ref());
        let both = first.zip(second).context("two phases have two maps")?;
        let of_ranks = |map: &OwnerMap| {
            let (shape, all) = ((map.rows(), map.columns()), map.ranks());
            OwnerMap::new(shape, map.storage(), all, |i, j| ranks[map.owner(i, j)])
        };
        Ok(Self([both.0, both.1].map(|map| Arc::new(of_ranks(map)))))
    }

    fn write(&self) -> Vec<u64> {
        self.0.iter().flat_map(|map| owners_of(map)).collect()
    }

    fn words(tiles: usize, _: usize) -> usize {
        tiles * (tiles + 1)
    }

    fn read(words: &[u64], tiles: usize, ranks: usize) -> Result<Self> {
        let (first, second) = words.split_at(words.len() / 2);
        let map = |owners| Arc::new(map_of((tiles, tiles), Storage::Lower, ranks, owners));
        Ok(Self([first, second].map(map)))
    }

    fn enter(&self, flow: &mut Flow) {
        let Self([_, second]) = self;
        flow.set_owners(Maps::of_map("nodes", OwnerMap::clone(second)).owners);
    }
}

/// Reading of tiles and products with them. A tile that another rank reads than multiplies it goes
/// over the network.
impl Division for TileDistribution {
    const FIRST: &str = "reading_nodes";
    const NETWORK: &str = "";

    fn of(maps: &Maps, ranks: &[usize]) -> Result<Self> {
        let of_ranks = |powers: &Powers| {
            let mut all = vec![0.0; ranks.len()];
            ranks.iter().zip(powers.as_slice()).for_each(|(&rank, &power)| all[rank] = power);
            Powers::new(all).context("some rank has a power")
        };
        let Self { products, reading } = maps.dealing.as_ref().context("tiles are not read")?;
        let reading = reading.as_ref().map(of_ranks).transpose()?;
        Ok(Self { products: of_ranks(products)?, reading })
    }

    fn write(&self) -> Vec<u64> {
        let reading = self.reading.as_ref().unwrap_or(&self.products);
        [&self.products, reading]
            .iter()
            .flat_map(|powers| powers.as_slice())
            .map(|p| p.to_bits())
            .collect()
    }

    fn words(_: usize, ranks: usize) -> usize {
        2 * ranks
    }

    fn read(words: &[u64], _: usize, ranks: usize) -> Result<Self> {
        ensure!(words.len() == 2 * ranks, "{} words are no powers of {ranks} ranks", words.len());
        let powers = |words: &[u64]| {
            let powers = words.iter().map(|&bits| f64::from_bits(bits)).collect();
            Powers::new(powers).context("some rank has a power")
        };
        let (products, reading) = words.split_at(ranks);
        Ok(Self { products: powers(products)?, reading: Some(powers(reading)?) })
    }

    fn enter(&self, _: &mut Flow) {}
}
