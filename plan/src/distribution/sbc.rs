//! The symmetric block-cyclic distribution, for factorisations of symmetric matrices.

use std::sync::Arc;

use super::{DistributionEntry, OwnerMap, Planned, Strategy};
use tegula_tiles::Storage;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "sbc",
    parameter: None,
    summary: "a rank for each pair of classes of rows or columns; Cholesky sends least",
    make: |request| {
        let strategy = SymmetricBlockCyclic::new(request.ranks());
        Ok(Arc::new(Planned::new(strategy, request.storage)))
    },
};

/// Rows and columns are in classes `0 .. r` in turn, and a rank owns the tiles whose row and column
/// are in a pair of classes, in either order. So a tile of the panel of a Cholesky factorisation,
/// whose receivers own a row and the column that mirrors it, goes to `r - 2` ranks at most.
///
/// `r` is the smallest for which there are as many pairs as ranks. Tiles whose row and column
/// are of one class, and those of pairs for which there is no rank, go each to the rank that has
/// fewest tiles so far of those that own a pair with one of the two classes, from the last tile to
/// the first.
///
/// The pairs are those of Beaumont, Duchon, Eyraud-Dubois, Langou, Vérité, "Symmetric block-cyclic
/// distribution: fewer communications leads to faster dense Cholesky factorization", SC 2022, there
/// for `r (r - 1) / 2` ranks (the extended distribution), in which tiles of one class follow
/// patterns that alternate, and for `r^2 / 2`, in which they have ranks of their own. The rule for
/// the tiles of one class, and that for other numbers of ranks, are this project's own; another way
/// for any number is in Beaumont, Collin, Eyraud-Dubois, Vérité, "Data distribution schemes for
/// dense linear algebra factorizations on any number of nodes", IPDPS 2023.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricBlockCyclic {
    ranks: usize,
    classes: usize,
}

impl SymmetricBlockCyclic {
    /// For so many ranks.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        let classes = (2..).find(|r| r * (r - 1) / 2 >= ranks).expect("some are enough");
        Self { ranks, classes }
    }

    /// The rank of a pair of classes, if there is one: pairs are counted by the larger class.
    fn rank(&self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (a.max(b), a.min(b));
        let number = a * a.saturating_sub(1) / 2 + b;
        (a != b && number < self.ranks).then_some(number)
    }

    /// The ranks that have a pair with class `a` or `b`.
    fn neighbours(&self, a: usize, b: usize) -> impl Iterator<Item = usize> {
        let with = move |class| (0..self.classes).filter_map(move |c| self.rank(class, c));
        with(a).chain(with(b))
    }
}

impl Strategy for SymmetricBlockCyclic {
    fn map(&self, (rows, columns): (usize, usize), storage: Storage) -> OwnerMap {
        let class = |line: usize| line % self.classes;
        let of_pair = |i: usize, j: usize| self.rank(class(i), class(j));
        let mut map =
            OwnerMap::new((rows, columns), storage, self.ranks, |i, j| of_pair(i, j).unwrap_or(0));
        let mut rest: Vec<_> = map.tiles().filter(|&(i, j)| of_pair(i, j).is_none()).collect();
        let mut owned = vec![0; self.ranks];
        for (i, j) in map.tiles() {
            of_pair(i, j).into_iter().for_each(|rank| owned[rank] += 1);
        }
        rest.sort_by_key(|&(i, j)| std::cmp::Reverse((i.min(j), i.max(j), i)));
        for (i, j) in rest {
            let able = self.neighbours(class(i), class(j));
            let rank = able.min_by_key(|&rank| (owned[rank], rank)).unwrap_or(0);
            owned[rank] += 1;
            map.set(i, j, rank);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::BlockCyclic;
    use crate::distribution::messages::cholesky;

    fn map(ranks: usize, n: usize) -> OwnerMap {
        SymmetricBlockCyclic::new(ranks).map((n, n), Storage::Lower)
    }

    #[test]
    fn a_tile_goes_to_the_ranks_of_one_class() {
        for (classes, ranks) in [(4, 6), (8, 28), (14, 91)] {
            let n = 4 * classes;
            let sent = cholesky(&map(ranks, n)).total();
            let panel = (n * (n - 1) / 2) as u64;
            // The diagonal tiles go to a column, as many ranks at most.
            let most = panel * (classes as u64 - 2) + (n * (classes - 1)) as u64;
            assert!(sent <= most, "{ranks} ranks: {sent} against {most}");
        }
    }

    #[test]
    fn it_sends_less_than_any_grid() {
        for ranks in [10, 15, 21, 28, 36, 23, 31] {
            let sent = cholesky(&map(ranks, 60)).total();
            for p in (1..=ranks).filter(|p| ranks.is_multiple_of(*p)) {
                let grid = BlockCyclic { p, q: ranks / p };
                let grid = OwnerMap::of(&grid, (60, 60), Storage::Lower, ranks);
                let other = cholesky(&grid).total();
                assert!(sent < other, "{ranks} ranks: {sent} against {other}");
            }
        }
    }

    #[test]
    fn any_number_of_ranks_share_evenly() {
        for ranks in 1..40 {
            let tiles = map(ranks, 80).tiles_of_ranks();
            let (least, most) = (tiles.iter().min().unwrap(), tiles.iter().max().unwrap());
            assert!(10 * most < 13 * least, "{ranks} ranks: {tiles:?}");
        }
    }
}
