//! Distributions that rank 0 plans for the ranks as they are, and the others get from it.

use std::sync::Arc;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tegula_diodon::stream::TileDistribution;
use tegula_plan::distribution::{Powers, distribution_for};
use tegula_plan::phases::{PLACEMENTS, placement};
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_runtime::ranks::Owners;
use tegula_tiles::Storage;

use super::wire::{map_of, owners_of};
use super::{ALIKE, Needs, of_ranks};
use crate::error::{no_room, refused};
use crate::output::bytes_up;
use crate::plan::{Maps, NOTHING_READ, Reading, fastest_kinds, makespan};
use crate::ranks::{broadcast, ranks};
use crate::simulate::program::{Sizes, Spread, Workload};

/// The name that asks for the one under which a simulated run ends first.
pub(crate) const AUTO: &str = "auto";

/// What distributes bands of panels where tiles are dealt out by a plan.
const PANELS: &str = "1d1d";

/// Tiles along an edge up to which programs are simulated to choose a distribution: a quarter of a
/// million tasks.
const MOST_SIMULATED: usize = 120;

/// Whether ranks have to be measured for the distribution `name`.
pub(crate) fn is_planned(name: &str) -> bool {
    let base = name.split([':', '@']).next().unwrap_or(name);
    name == AUTO || placement(base).is_some()
}

/// The names of such distributions.
pub(crate) fn names() -> Vec<&'static str> {
    PLACEMENTS.iter().map(|entry| entry.name).chain([AUTO]).collect()
}

/// A program whose tiles are to be distributed over the ranks.
pub(crate) struct Question {
    /// The distribution.
    pub(crate) name: String,
    /// Whether somebody has asked for it.
    pub(crate) is_asked: bool,
    /// The program.
    pub(crate) workload: &'static Workload,
    /// Its sizes.
    pub(crate) sizes: Sizes,
    /// Bytes of tiles that each rank has room for, if they may not go to a disk.
    pub(crate) rooms: Option<Vec<u64>>,
    /// How fast each rank reads, of a program that reads its tiles.
    pub(crate) reading: Vec<Reading>,
}

/// Owners that rank 0 has planned.
pub(crate) struct Planned {
    /// The distribution.
    pub(crate) name: String,
    /// Owners of tiles, in the last phase, and of panels.
    pub(crate) owners: Arc<dyn Owners>,
    /// Owners in the phase before it, where that has a map of its own.
    pub(crate) earlier: Option<Arc<dyn Owners>>,
    /// How tiles are dealt out, where they are read.
    pub(crate) dealing: Option<TileDistribution>,
    /// Distributions that were compared, with the seconds that a simulated run takes, the fastest
    /// first; none if nothing was chosen.
    pub(crate) compared: Vec<(String, f64)>,
}

/// What `question` asks for, over the ranks; all call it, while no flow runs. Nothing if nobody has
/// asked, and there is no plan.
///
/// # Errors
/// If the program cannot be planned so, a rank has no room for its tiles, or one is gone.
pub(crate) fn plan(question: &Question, needs: &Needs) -> Result<Option<Planned>> {
    let cluster = of_ranks(needs, needs.pace())?;
    let answer = cluster.map(|mut cluster| {
        question.set_reading(&mut cluster);
        question.answer(&cluster)
    });
    let answer = match answer {
        Some(Err(_)) if !question.is_asked => None,
        answer => answer.transpose()?,
    };
    let text = serde_json::to_vec(&answer)?;
    let answer: Option<Answer> = serde_json::from_slice(&broadcast(text)?)
        .context("rank 0 runs another version of tegula")?;
    answer.map(Answer::planned).transpose()
}

/// What rank 0 sends.
#[derive(Deserialize, Serialize)]
struct Answer {
    name: String,
    share: Share,
    compared: Vec<(String, f64)>,
}

/// What of the work each rank has.
#[derive(Deserialize, Serialize)]
enum Share {
    /// Tiles of this shape, of a triangle or of all, by their owners.
    Tiles { shape: (usize, usize), is_triangle: bool, last: Vec<u64>, earlier: Option<Vec<u64>> },
    /// Tiles that are read, by powers of products and of reading.
    Dealt { products: Vec<f64>, reading: Option<Vec<f64>> },
}

impl Share {
    fn of(maps: &Maps) -> Result<Self> {
        if let Some(TileDistribution { products, reading }) = &maps.dealing {
            let words = |powers: &Powers| powers.as_slice().to_vec();
            let (products, reading) = (words(products), reading.as_ref().map(words));
            return Ok(Self::Dealt { products, reading });
        }
        let last = maps.last.as_ref().context("its tiles have no owners")?;
        Ok(Self::Tiles {
            shape: (last.rows(), last.columns()),
            is_triangle: last.storage() == Storage::Lower,
            last: owners_of(last),
            earlier: maps.earlier.as_ref().map(owners_of),
        })
    }
}

impl Answer {
    fn planned(self) -> Result<Planned> {
        let Self { name, share, compared } = self;
        match share {
            Share::Tiles { shape, is_triangle, last, earlier } => {
                let storage = if is_triangle { Storage::Lower } else { Storage::Full };
                let map = |owners: &[u64]| map_of(shape, storage, ranks(), owners);
                let Maps { name, owners, .. } = Maps::of_map(&name, map(&last));
                let earlier = earlier.map(|earlier| Arc::new(map(&earlier)) as Arc<dyn Owners>);
                Ok(Planned { name, owners, earlier, dealing: None, compared })
            }
            Share::Dealt { products, reading } => {
                let powers = |powers| Powers::new(powers).context("a rank has no power");
                let (products, reading) = (powers(products)?, reading.map(powers).transpose()?);
                let owners = distribution_for(PANELS, &products, Storage::Full)?;
                let dealing = Some(TileDistribution { products, reading });
                Ok(Planned { name, owners, earlier: None, dealing, compared })
            }
        }
    }
}

impl Question {
    /// The distribution called `name` of the listed program `program`, whose tiles fit anywhere.
    pub(crate) fn new(name: &str, program: &str, sizes: Sizes) -> Self {
        let workload = Workload::find(program).expect("it is listed");
        let name = name.to_owned();
        Self { name, is_asked: true, workload, sizes, rooms: None, reading: Vec::new() }
    }

    /// Each node of `cluster` reads as fast as its rank does; nothing if they read nothing.
    pub(super) fn set_reading(&self, cluster: &mut ClusterPlatform) {
        let of_one = |reading: &Reading| reading.bytes_per_second / reading.readers as f64;
        let Some(first) = self.reading.first().map(of_one) else { return };
        for (node, reading) in cluster.nodes.iter_mut().zip(&self.reading) {
            // Nodes that are alike share their times.
            node.set_reading(first * reading.readers as f64, reading.readers);
            let speed = of_one(reading) / first;
            let is_alike = (speed - 1.0).abs() <= ALIKE;
            node.reading_speed = if is_alike { 1.0 } else { speed };
        }
    }

    /// Whether tiles that were read once are held, and not read in each pass.
    pub(crate) fn holds_tiles(&self) -> bool {
        self.reading.first().is_some_and(|reading| reading.products > 1)
    }

    /// The distribution for `cluster`.
    fn answer(&self, cluster: &ClusterPlatform) -> Result<Answer> {
        let mut compared = Vec::new();
        let maps = if self.name == AUTO {
            let (maps, all) = self.best(cluster)?;
            compared = all;
            maps
        } else {
            let maps = self.maps(cluster, &self.name)?;
            if let Some(reason) = self.lacks_room(&maps) {
                return Err(no_room(format!("--distribution {}: {reason}", self.name)));
            }
            maps
        };
        Ok(Answer { share: Share::of(&maps)?, name: maps.name, compared })
    }

    /// The maps of the distribution `name` over `cluster`.
    pub(super) fn maps(&self, cluster: &ClusterPlatform, name: &str) -> Result<Maps> {
        let reading = self.reading.first().copied().unwrap_or(NOTHING_READ);
        Maps::new(self.workload, &self.sizes, cluster, Some(name), reading)
    }

    /// Of the distributions that come into question the one under which a simulated run ends first,
    /// and what all of them take.
    fn best(&self, cluster: &ClusterPlatform) -> Result<(Maps, Vec<(String, f64)>)> {
        let mut best: Option<(f64, Maps)> = None;
        let (mut compared, mut refusal) = (Vec::new(), None);
        for name in self.candidates(cluster)? {
            let maps = self.maps(cluster, &name)?;
            if let Some(reason) = self.lacks_room(&maps) {
                refusal.get_or_insert(format!("{name}: {reason}"));
                continue;
            }
            let time = if self.sizes.tiles <= MOST_SIMULATED {
                makespan(self.workload, &self.sizes, cluster, &maps)?
            } else {
                return Ok((maps, Vec::new()));
            };
            compared.push((name, time));
            if best.as_ref().is_none_or(|(least, _)| time < *least) {
                best = Some((time, maps));
            }
        }
        compared.sort_by(|a, b| a.1.total_cmp(&b.1));
        match best {
            Some((_, maps)) => Ok((maps, compared)),
            None => Err(no_room(format!(
                "no distribution fits the memories of the ranks: {}",
                refusal.unwrap_or_default()
            ))),
        }
    }

    /// What comes into question, what is taken without a simulation first.
    fn candidates(&self, cluster: &ClusterPlatform) -> Result<Vec<String>> {
        let own: &[&str] = match self.workload.spread {
            Spread::GeneratedAndFactorised => &["lp", "lp-constrained", "1d1d", "block-cyclic"],
            Spread::Factorised(_) => &["1d1d-c+s", "1d1d", "1d1d-c", "block-cyclic"],
            Spread::Tiles(_) => &["1d1d", "block-cyclic"],
            Spread::Lines(_) => &["lp", PANELS, "block-cyclic"],
            Spread::OneNode => {
                return Err(refused(format!(
                    "--distribution {AUTO}: the data of {} are not tiles that have owners",
                    self.workload.name
                )));
            }
        };
        let mut names: Vec<String> = own.iter().map(|&name| name.to_owned()).collect();
        for ranks in fastest_kinds(cluster, self.sizes.nb)? {
            names.extend([own[0], "block-cyclic"].map(|name| format!("{name}@{ranks}")));
        }
        Ok(names)
    }

    /// Why a rank has no room for its tiles under `maps`, if one has none.
    fn lacks_room(&self, maps: &Maps) -> Option<String> {
        let rooms = self.rooms.as_ref()?;
        let held = |rank: usize| {
            let earlier = maps.earlier.as_ref().map_or(0, |map| map.tiles_of_ranks()[rank]);
            self.sizes.tiles_bytes(maps.tiles[rank].max(earlier))
        };
        let full = (0..rooms.len()).find(|&rank| held(rank) > rooms[rank])?;
        let (held, room) = (bytes_up(held(full)), bytes_up(rooms[full]));
        Some(format!(
            "rank {full} would have tiles of {held}, and may use {room} of memory: give --scratch, \
             more ranks or another distribution"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_known_by_their_names() {
        for name in ["lp", "lp:free", "lp-constrained@0-2", "auto"] {
            assert!(is_planned(name), "{name}");
        }
        assert!(!is_planned("1d1d:2,1") && !is_planned("file:lp"));
    }
}
