//! Which rank reads each tile of a pass, and which one multiplies it.

use std::sync::Arc;

use tegula_plan::distribution::{OneD, OwnerMap, Planned, Powers, earlier_phase, shuffle};
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_tiles::Storage;

/// How much of the tiles each rank is to have.
#[derive(Clone, Debug)]
pub struct TileDistribution {
    /// Of the products.
    pub products: Powers,
    /// Of the reading, where that is not for each tile with who multiplies it.
    pub reading: Option<Powers>,
}

impl TileDistribution {
    /// Tiles in turn to equal ranks, each of which reads what it multiplies.
    ///
    /// # Panics
    /// If there are no ranks.
    #[must_use]
    pub fn equal(ranks: usize) -> Self {
        Self { products: Powers::equal(ranks), reading: None }
    }

    /// Owners of panels, bands of which all ranks have by their powers; of all else as `others` say.
    pub(super) fn owners(&self, others: Arc<dyn Owners>) -> Arc<dyn Owners> {
        let panels = OneD { powers: self.products.clone() };
        Arc::new(PanelsApart { panels: Planned::new(panels, Storage::Full), others })
    }

    /// How many of so many tiles each rank multiplies.
    #[must_use]
    pub fn tiles_of_ranks(&self, tiles: usize) -> Vec<usize> {
        count(&self.assign(tiles).multipliers, self.products.ranks())
    }

    /// How many of so many tiles each rank reads.
    #[must_use]
    pub fn read_by_ranks(&self, tiles: usize) -> Vec<usize> {
        self.assign(tiles).read_by(self.products.ranks())
    }

    /// Assigns so many tiles.
    ///
    /// Products go by algorithm 5 of L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, so that the first
    /// tiles, however many, are divided as evenly as can be; of reading as few tiles as possible
    /// are with others (algorithm 10, section 6.2.3).
    pub(super) fn assign(&self, tiles: usize) -> TileAssignment {
        let ranks = self.products.ranks();
        // Even from the end on is even from the start on when it is read backwards.
        let mut multipliers = shuffle(self.products.as_slice(), tiles);
        multipliers.reverse();
        let readers = self.reading.as_ref().map(|powers| {
            let wanted = count(&shuffle(powers.as_slice(), tiles), ranks);
            let later = OwnerMap::new((tiles, 1), Storage::Full, ranks, |i, _| multipliers[i]);
            let earlier = earlier_phase(&later, &wanted);
            (0..tiles).map(|tile| earlier.owner(tile, 0)).collect()
        });
        TileAssignment {
            is_apart: readers.is_some(),
            readers: readers.unwrap_or_else(|| multipliers.clone()),
            multipliers,
        }
    }
}

/// Panels, which are one tile wide, have other owners than matrices: those of one column of tiles
/// would be few of the ranks where these stand in a grid.
struct PanelsApart {
    panels: Planned<OneD>,
    others: Arc<dyn Owners>,
}

impl Owners for PanelsApart {
    fn owner(&self, spot: Spot, ranks: usize) -> Rank {
        let is_panel = spot.columns == 1;
        if is_panel { self.panels.owner(spot, ranks) } else { self.others.owner(spot, ranks) }
    }
}

/// For each tile, in the order of a pass, who reads and who multiplies it.
#[derive(Clone, Debug)]
pub(super) struct TileAssignment {
    readers: Vec<usize>,
    multipliers: Vec<usize>,
    /// Whether the two may differ.
    pub(super) is_apart: bool,
}

impl TileAssignment {
    pub(super) fn reader(&self, tile: usize) -> Rank {
        Rank(self.readers[tile] as u16)
    }

    pub(super) fn multiplier(&self, tile: usize) -> Rank {
        Rank(self.multipliers[tile] as u16)
    }

    /// How many tiles each of `ranks` reads.
    pub(super) fn read_by(&self, ranks: usize) -> Vec<usize> {
        count(&self.readers, ranks)
    }
}

/// How often each of `ranks` is there.
fn count(assignment: &[usize], ranks: usize) -> Vec<usize> {
    let mut tiles = vec![0; ranks];
    assignment.iter().for_each(|&rank| tiles[rank] += 1);
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn powers(powers: &[f64]) -> Powers {
        Powers::new(powers.to_vec()).expect("they are powers")
    }

    #[test]
    fn equal_ranks_take_tiles_in_turn() {
        let assignment = TileDistribution::equal(3).assign(7);
        assert_eq!(assignment.multipliers, [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(assignment.readers, assignment.multipliers);
        assert!(!assignment.is_apart);
    }

    #[test]
    fn every_start_is_divided_by_the_powers() {
        let assignment =
            TileDistribution { products: powers(&[1.0, 3.0]), reading: None }.assign(40);
        for end in (4..=40).step_by(4) {
            let first = assignment.multipliers[..end].iter().filter(|&&rank| rank == 0).count();
            assert_eq!(first, end / 4, "of {end}");
        }
    }

    #[test]
    fn as_few_tiles_as_possible_are_read_by_others() {
        let products = powers(&[1.0, 3.0]);
        let assignment = TileDistribution { products, reading: Some(Powers::equal(2)) }.assign(40);
        assert_eq!(assignment.read_by(2), [20, 20]);
        let apart =
            assignment.readers.iter().zip(&assignment.multipliers).filter(|(r, m)| r != m).count();
        assert_eq!(apart, 10);
    }
}
