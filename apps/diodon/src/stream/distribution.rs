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

    /// Owners of panels, bands of which all ranks have by their powers; of all else those that
    /// `others` say.
    pub(super) fn owners(&self, others: Arc<dyn Owners>) -> Arc<dyn Owners> {
        let panels = OneD { powers: self.products.clone() };
        Arc::new(PanelsApart { panels: Planned::new(panels, Storage::Full), others })
    }

    /// How many of so many tiles each rank multiplies.
    #[must_use]
    pub fn tiles_of_ranks(&self, tiles: usize) -> Vec<usize> {
        quotas(&self.products, tiles)
    }

    /// How many of so many tiles each rank reads.
    #[must_use]
    pub fn read_by_ranks(&self, tiles: usize) -> Vec<usize> {
        quotas(self.reading.as_ref().unwrap_or(&self.products), tiles)
    }

    /// Assigns tiles in these bands of rows and of columns.
    ///
    /// Tiles of a rank lie together, so that it works on few bands of panels: it is sent them, and
    /// sends its shares of them. They are a piece of Hilbert's curve through all tiles, as long as
    /// its power says. Of reading as few tiles as possible are with others (algorithm 10 of L. L.
    /// Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.3).
    pub(super) fn assign(&self, bands: &[(usize, usize)]) -> TileAssignment {
        let (ranks, tiles) = (self.products.ranks(), bands.len());
        let most = bands.iter().map(|&(i, j)| i.max(j)).max().unwrap_or(0);
        let side = (most + 1).next_power_of_two();
        let mut along: Vec<usize> = (0..tiles).collect();
        along.sort_by_key(|&tile| hilbert(side, bands[tile]));
        let pieces = quotas(&self.products, tiles).into_iter().enumerate();
        let pieces = pieces.flat_map(|(rank, tiles)| std::iter::repeat_n(rank, tiles));
        let mut multipliers = vec![0; tiles];
        along.into_iter().zip(pieces).for_each(|(tile, rank)| multipliers[tile] = rank);
        let readers = self.reading.as_ref().map(|powers| {
            let later = OwnerMap::new((tiles, 1), Storage::Full, ranks, |i, _| multipliers[i]);
            let earlier = earlier_phase(&later, &quotas(powers, tiles));
            (0..tiles).map(|tile| earlier.owner(tile, 0)).collect()
        });
        TileAssignment {
            is_apart: readers.is_some(),
            readers: readers.unwrap_or_else(|| multipliers.clone()),
            multipliers,
        }
    }
}

/// How many of so many tiles each rank has by its power (algorithm 5 of the thesis).
fn quotas(powers: &Powers, tiles: usize) -> Vec<usize> {
    count(&shuffle(powers.as_slice(), tiles), powers.ranks())
}

/// The place of a cell on Hilbert's curve through a square of so many cells along an edge, a power
/// of two (D. Hilbert, "Über die stetige Abbildung einer Linie auf ein Flächenstück", Mathematische
/// Annalen 38, 1891).
fn hilbert(side: usize, (mut x, mut y): (usize, usize)) -> usize {
    let (mut place, mut half) = (0, side / 2);
    while half > 0 {
        let (right, upper) = (x & half != 0, y & half != 0);
        place += half * half * ((3 * usize::from(right)) ^ usize::from(upper));
        if !upper {
            if right {
                (x, y) = (side - 1 - x, side - 1 - y);
            }
            (x, y) = (y, x);
        }
        half /= 2;
    }
    place
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

    /// Tiles of a triangle of so many bands.
    fn triangle(bands: usize) -> Vec<(usize, usize)> {
        (0..bands).flat_map(|j| (0..=j).map(move |i| (i, j))).collect()
    }

    #[test]
    fn the_curve_goes_from_neighbour_to_neighbour() {
        let side = 16;
        let cells = (0..side).flat_map(|x| (0..side).map(move |y| (x, y)));
        let mut cells: Vec<(usize, usize)> = cells.collect();
        cells.sort_by_key(|&cell| hilbert(side, cell));
        assert_eq!(cells.first(), Some(&(0, 0)));
        for (place, pair) in cells.windows(2).enumerate() {
            assert_eq!(hilbert(side, pair[0]), place);
            assert_eq!(pair[0].0.abs_diff(pair[1].0) + pair[0].1.abs_diff(pair[1].1), 1);
        }
    }

    #[test]
    fn ranks_have_tiles_by_their_powers_in_few_bands() {
        let bands = triangle(40);
        for powers in [powers(&[1.0; 9]), powers(&[3.0, 1.0, 2.0, 0.0, 1.5])] {
            let dealt = TileDistribution { products: powers.clone(), reading: None };
            let assignment = dealt.assign(&bands);
            assert_eq!(assignment.readers, assignment.multipliers);
            assert!(!assignment.is_apart);
            let tiles = dealt.tiles_of_ranks(bands.len());
            assert_eq!(count(&assignment.multipliers, powers.ranks()), tiles);
            for (rank, &tiles) in tiles.iter().enumerate() {
                let own = bands.iter().zip(&assignment.multipliers).filter(|(_, of)| **of == rank);
                let mut own: Vec<usize> = own.flat_map(|(&(i, j), _)| [i, j]).collect();
                own.sort_unstable();
                own.dedup();
                let square = 2.0 * (tiles as f64).sqrt();
                assert!(own.len() as f64 <= 1.5 * square, "{tiles} tiles in {} bands", own.len());
            }
        }
    }

    #[test]
    fn as_few_tiles_as_possible_are_read_by_others() {
        let products = powers(&[1.0, 3.0]);
        let bands: Vec<(usize, usize)> = (0..40).map(|i| (i, 0)).collect();
        let assignment =
            TileDistribution { products, reading: Some(Powers::equal(2)) }.assign(&bands);
        assert_eq!(count(&assignment.readers, 2), [20, 20]);
        let apart =
            assignment.readers.iter().zip(&assignment.multipliers).filter(|(r, m)| r != m).count();
        assert_eq!(apart, 10);
    }
}
