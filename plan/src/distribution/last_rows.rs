//! Rows of tiles at the end for the fast ranks alone, where a slow one would be on the critical
//! path.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.3.

use super::bounds::path_of_iteration;
use super::shuffle::least_loaded;
use super::{Costs, OwnerMap, Powers};

/// The map `all` with the rows from `first` on as in `fast`.
///
/// # Panics
/// If the maps have not the same tiles and ranks.
#[must_use]
pub fn constrain_last_rows(all: &OwnerMap, fast: &OwnerMap, first: usize) -> OwnerMap {
    let tiles = |map: &OwnerMap| (map.rows(), map.columns(), map.storage(), map.ranks());
    assert_eq!(tiles(all), tiles(fast), "rows and columns of tiles, storage and ranks");
    OwnerMap::new((all.rows(), all.columns()), all.storage(), all.ranks(), |i, j| {
        if i < first { all.owner(i, j) } else { fast.owner(i, j) }
    })
}

/// The first of the last rows of a factorisation that are for fast ranks alone: from the last
/// iteration down, those whose longest chain under `map` takes longer than their work on all
/// ranks, CPB(k) > ABE(k).
///
/// # Panics
/// If the map is not square.
#[must_use]
pub fn first_constrained_row(map: &OwnerMap, costs: &Costs) -> usize {
    let n = map.rows();
    assert_eq!(n, map.columns(), "rows and columns of tiles");
    let waits = |k: &usize| {
        let rest = n - 1 - k;
        let path = path_of_iteration(rest, |i, j| map.owner(k + i, k + j), costs);
        path > costs.area(&costs.factorisation.tasks(rest), 0..costs.ranks.len())
    };
    (0..n).rev().take_while(waits).last().unwrap_or(n)
}

/// The owners of `length` rows of tiles, dealt out as by [`shuffle`](super::shuffle()) among those
/// ranks that are `eligible(row, rank)`: in a product with a few columns, those that can still do a
/// row in the time there is after it has been read.
///
/// # Panics
/// If for a row no rank that has a power is eligible.
#[must_use]
pub fn shuffle_eligible(
    powers: &Powers,
    length: usize,
    eligible: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut dealt = vec![0; powers.ranks()];
    let mut owners = vec![0; length];
    for row in (0..length).rev() {
        let ranks = (0..powers.ranks()).filter(|&rank| eligible(row, rank));
        let owner = least_loaded(powers.as_slice(), &dealt, ranks);
        dealt[owner] += 1;
        owners[row] = owner;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::{Factorisation, OneDOneD, Strategy};
    use tegula_tiles::Storage;

    #[test]
    fn the_last_rows_are_with_the_fast_ranks() {
        let of = |powers: &[f64]| Powers::new(powers.to_vec()).expect("they are positive");
        let (all, fast) = (of(&[1.0, 1.0, 8.0, 8.0]), of(&[0.0, 0.0, 8.0, 8.0]));
        let map = |powers: &Powers| OneDOneD::new(powers).map((40, 40), Storage::Lower);
        let costs = Costs::of_powers(&all, Factorisation::Cholesky);
        let (all, fast) = (map(&all), map(&fast));
        let first = first_constrained_row(&all, &costs);
        assert!(first > 0 && first < 40, "{first}");
        let map = constrain_last_rows(&all, &fast, first);
        for (i, j) in map.tiles() {
            let expected = if i < first { all.owner(i, j) } else { fast.owner(i, j) };
            assert_eq!(map.owner(i, j), expected);
            assert!(i < first || map.owner(i, j) >= 2, "tile ({i}, {j})");
        }
    }

    #[test]
    fn rows_go_to_those_who_are_eligible() {
        let powers = Powers::equal(2);
        let owners = shuffle_eligible(&powers, 6, |row, rank| row < 4 || rank == 1);
        assert_eq!(owners, [1, 0, 0, 0, 1, 1]);
        assert_eq!(shuffle_eligible(&powers, 4, |_, _| true), [1, 0, 1, 0]);
    }
}
