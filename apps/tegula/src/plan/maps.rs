//! Who owns what of a program over the nodes of a cluster, phase by phase.

use std::sync::Arc;

use anyhow::Result;
use tegula_diodon::stream::TileDistribution;
use tegula_exageostat::program::generation;
use tegula_plan::distribution::{Factorisation, OwnerMap, distribution_for, ranks_of};
use tegula_plan::phases::surrogate::rating;
use tegula_plan::phases::{self, Options, PlacementEntry};
use tegula_plan::platform::READ;
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_tiles::Storage;

use crate::error::refused;
use crate::flags::shares;
use crate::simulate::program::{Sizes, Spread, Workload, read_and_sweep};

/// How fast nodes read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// What a node reads in a second.
    pub(crate) bytes_per_second: f64,
    /// Tasks that it takes to read so fast.
    pub(crate) readers: usize,
    /// Products with each tile that is read.
    pub(crate) products: usize,
}

/// The rate of programs that read nothing.
pub(crate) const NOTHING_READ: Reading = Reading { bytes_per_second: 1e9, readers: 1, products: 1 };

impl Reading {
    /// `cluster`, whose nodes read so fast.
    pub(crate) fn on(self, mut cluster: ClusterPlatform) -> ClusterPlatform {
        let nodes = cluster.nodes.iter_mut();
        nodes.for_each(|node| node.set_reading(self.bytes_per_second, self.readers));
        cluster
    }
}

/// Who owns what of a program.
#[derive(Clone)]
pub(crate) struct Maps {
    /// The distribution, as it was asked for or chosen.
    pub(crate) name: String,
    /// Owners of tiles, in the last phase, and of panels.
    pub(crate) owners: Arc<dyn Owners>,
    /// How many tiles each rank has, in the last phase.
    pub(crate) tiles: Vec<usize>,
    /// Owners of the tiles, where they have some, in the last phase.
    pub(crate) last: Option<OwnerMap>,
    /// In the phase before it, where that has a map of its own.
    pub(crate) earlier: Option<OwnerMap>,
    /// How tiles are dealt out, where they are read.
    pub(crate) dealing: Option<TileDistribution>,
    /// What they follow from, where phases were planned together.
    pub(crate) plan: Option<phases::Plan>,
}

impl Maps {
    /// The distribution `name` of the data of `workload` over the nodes of `cluster`, or the one
    /// that suits them.
    ///
    /// # Errors
    /// If the program has no data to distribute, there is no such distribution, or a node has no
    /// time of one of the tasks.
    pub(crate) fn new(
        workload: &Workload,
        sizes: &Sizes,
        cluster: &ClusterPlatform,
        name: Option<&str>,
        reading: Reading,
    ) -> Result<Self> {
        let Some(name) = name else {
            let is_equal = cluster.kinds().len() == 1;
            return match workload.spread {
                Spread::Factorised(factorisation) if !is_equal => {
                    Self::best_rated(factorisation, (sizes, workload.grid(sizes)), cluster)
                }
                _ => {
                    let usual = workload.spread.distribution(is_equal);
                    Self::new(workload, sizes, cluster, Some(usual), reading)
                }
            };
        };
        let planned = Planned::parse(name, cluster)?;
        let factorisation = workload.spread.factorisation();
        match (workload.spread, planned) {
            (Spread::OneNode, _) => Err(refused(format!(
                "{} runs on one node: its data have no places by which they could be distributed",
                workload.name
            ))),
            (Spread::GeneratedAndFactorised, Some(planned)) => planned.tiles(name, sizes, cluster),
            (Spread::Lines(storage), Some(planned)) => {
                planned.lines(name, (sizes, storage), cluster, reading)
            }
            (_, Some(_)) => Err(refused(format!(
                "--distribution {name} plans two phases, and {} has one: name one for a single \
                 phase, such as 1d1d",
                workload.name
            ))),
            (Spread::Lines(storage), None) => Self::of_lines((sizes, storage), cluster, name),
            (_, None) => {
                let factorisation = factorisation.expect("tiles are factorised, or as if");
                Self::of_tiles(factorisation, (sizes, workload.grid(sizes)), cluster, name)
            }
        }
    }

    /// Of the distributions over unequal nodes the one under which a coarse model of the
    /// factorisation ends first.
    fn best_rated(
        factorisation: Factorisation,
        (sizes, grid): (&Sizes, (usize, usize)),
        cluster: &ClusterPlatform,
    ) -> Result<Self> {
        const RATED: [&str; 3] = ["1d1d", "1d1d-c", "1d1d-c+s"];
        let costs = cluster.costs(factorisation, sizes.nb)?;
        let mut best: Option<(f64, Self)> = None;
        for name in RATED {
            let maps = Self::of_tiles(factorisation, (sizes, grid), cluster, name)?;
            let seconds = maps.last.as_ref().map_or(0.0, |map| rating(map, &costs));
            if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                best = Some((seconds, maps));
            }
        }
        Ok(best.expect("some are rated").1)
    }

    fn of_tiles(
        factorisation: Factorisation,
        (sizes, grid): (&Sizes, (usize, usize)),
        cluster: &ClusterPlatform,
        name: &str,
    ) -> Result<Self> {
        let others = cluster.distribution(name, factorisation, sizes.nb)?;
        let storage = factorisation.storage();
        let last = OwnerMap::of(&*others, grid, storage, cluster.nodes.len());
        Ok(Self::with(name, last, others))
    }

    /// Tiles as `map` says, panels as the diagonal.
    pub(crate) fn of_map(name: &str, map: OwnerMap) -> Self {
        let others = Arc::new(Diagonal(map.clone()));
        Self::with(name, map, others)
    }

    /// Tiles as `last` says, all else as `others` do.
    fn with(name: &str, last: OwnerMap, others: Arc<dyn Owners>) -> Self {
        Self {
            name: name.to_owned(),
            tiles: last.tiles_of_ranks(),
            owners: Arc::new(OfTiles { map: last.clone(), others }),
            last: Some(last),
            earlier: None,
            dealing: None,
            plan: None,
        }
    }

    /// Bands of panels go to ranks as the rows of one column of tiles do, and tiles in that
    /// proportion.
    fn of_lines(
        (sizes, storage): (&Sizes, Storage),
        cluster: &ClusterPlatform,
        name: &str,
    ) -> Result<Self> {
        let [_, (sweep, cost)] = read_and_sweep(sizes, storage);
        let powers = cluster.powers_of(sweep, cost)?;
        let owners = distribution_for(name, &powers, Storage::Full)?;
        let dealing =
            TileDistribution { products: shares(&*owners, cluster.nodes.len()), reading: None };
        Ok(Self::dealt(name, sizes.tiles_of(storage), owners, dealing))
    }

    /// So many `tiles`, dealt out.
    fn dealt(name: &str, tiles: usize, owners: Arc<dyn Owners>, dealing: TileDistribution) -> Self {
        let tiles = dealing.tiles_of_ranks(tiles);
        let (name, dealing) = (name.to_owned(), Some(dealing));
        Self { name, owners, tiles, last: None, earlier: None, dealing, plan: None }
    }
}

/// A distribution that plans two phases: `NAME[:free][@[RANKS/]RANKS]`, the ranks those of the
/// first phase and of the second.
struct Planned {
    entry: &'static PlacementEntry,
    options: Options,
}

impl Planned {
    /// The plan that `text` asks for, if it does.
    fn parse(text: &str, cluster: &ClusterPlatform) -> Result<Option<Self>> {
        let (name, subset) = text.split_once('@').map_or((text, None), |(n, s)| (n, Some(s)));
        let (name, parameter) =
            name.split_once(':').map_or((name, None), |(name, rest)| (name, Some(rest)));
        let Some(entry) = phases::placement(name) else { return Ok(None) };
        if let Some(other) = parameter.filter(|&parameter| parameter != "free") {
            return Err(refused(format!(
                "--distribution {text}: '{other}' is no parameter of {name}; it takes 'free', for a network that \
                 carries everything at once"
            )));
        }
        let mut options = Options { is_network_free: parameter.is_some(), ..Options::default() };
        let ranks = cluster.nodes.len();
        let others = |subset: &str| -> Result<Vec<usize>> {
            let taking_part = ranks_of(subset, ranks)?;
            Ok((0..ranks).filter(|rank| !taking_part.contains(rank)).collect())
        };
        if let Some(subset) = subset {
            let (first, second) = subset.split_once('/').unwrap_or(("", subset));
            options.without[1] = others(second)?;
            if !first.is_empty() {
                options.without[0] = others(first)?;
            }
        }
        Ok(Some(Self { entry, options }))
    }

    /// Generation and factorisation of a triangle.
    fn tiles(self, name: &str, sizes: &Sizes, cluster: &ClusterPlatform) -> Result<Maps> {
        let generation = generation(sizes.nb);
        let work = phases::Workload::generation_and_cholesky(sizes.tiles, sizes.nb, generation);
        let plan = phases::plan(cluster, &work, &self.options)?;
        let phases::Maps { first, second } = self.entry.maps(&plan, &work);
        let others = distribution_for("1d1d", &plan.powers[1], Storage::Lower)?;
        Ok(Maps { earlier: Some(first), plan: Some(plan), ..Maps::with(name, second, others) })
    }

    /// Reading and products. Which tiles a slow node has last makes no difference that the thesis's
    /// rule for passes (section 6.2.3) would see: the products with a tile are one task, no chain
    /// down its row.
    fn lines(
        mut self,
        name: &str,
        (sizes, storage): (&Sizes, Storage),
        cluster: &ClusterPlatform,
        reading: Reading,
    ) -> Result<Maps> {
        let [read, (sweep, cost)] = read_and_sweep(sizes, storage);
        let Reading { readers, products, .. } = reading;
        let (tiles, bytes) = (sizes.tiles_of(storage), read.1.bytes);
        let (all, product) = (readers * cluster.nodes.len(), (sweep, cost, products));
        let work = phases::Workload::reading_and_product((tiles, 1), all, bytes, read, product);
        self.options.at_a_time.push((READ, readers));
        let plan = phases::plan(cluster, &work, &self.options)?;
        let [reading, products] = plan.powers.clone();
        let owners = distribution_for("1d1d", &products, Storage::Full)?;
        let dealing = TileDistribution { products, reading: Some(reading) };
        Ok(Maps { plan: Some(plan), ..Maps::dealt(name, tiles, owners, dealing) })
    }
}

/// Panels of as many rows as a map has, each with the owner of the tile on the diagonal.
struct Diagonal(OwnerMap);

impl Owners for Diagonal {
    fn owner(&self, spot: Spot, _: usize) -> Rank {
        let row = spot.row % self.0.rows();
        Rank(self.0.owner(row, row) as u16)
    }
}

/// A map of one grid of tiles, which is faster to look up; all other grids are as `others` say.
struct OfTiles {
    map: OwnerMap,
    others: Arc<dyn Owners>,
}

impl Owners for OfTiles {
    fn owner(&self, spot: Spot, ranks: usize) -> Rank {
        if (spot.rows, spot.columns) == (self.map.rows(), self.map.columns()) {
            Rank(self.map.owner(spot.row, spot.column) as u16)
        } else {
            self.others.owner(spot, ranks)
        }
    }
}

#[cfg(test)]
mod tests {
    use tegula_exageostat::likelihood::Overlap;
    use tegula_exageostat::program::Described;
    use tegula_runtime::flow::{Flow, FlowOptions};
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::sim::Census;

    use super::*;

    /// The two phases that are planned have the tasks, and each the cost, that a likelihood
    /// submits.
    #[test]
    fn planned_tasks_are_those_of_a_likelihood() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let (tiles, nb) = (7, 8);
        let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
        let mut flow = Flow::new(census, FlowOptions::default());
        let overlap = Overlap::default();
        let described = Described { n: tiles * nb, nb, overlap, generators: None };
        described.evaluate::<f64>(&mut flow).expect("a census has no failures");
        let contents = contents.lock().expect("it goes on");
        let work = phases::Workload::generation_and_cholesky(tiles, nb, generation(nb));
        for planned in &work.types {
            let kinds = contents.types.iter().zip(&contents.codelets);
            let alike: Vec<_> = kinds.filter(|(_, (name, _))| *name == planned.kernel).collect();
            let submitted: u64 = alike.iter().map(|(kind, _)| kind.tasks).sum();
            assert_eq!(planned.tasks.iter().sum::<u64>(), submitted, "{planned:?}");
            // Tiles on the diagonal cost less.
            assert!(alike.iter().any(|(_, (_, cost))| *cost == planned.cost), "{planned:?}");
        }
    }
}
