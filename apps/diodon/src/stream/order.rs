//! In which order tiles are read.

use super::tiling::{Place, Tiling};

/// All tiles in the order of reading; of a symmetric matrix those of bands at and above the
/// diagonal.
pub(super) fn order(tiling: &Tiling, rounds: bool) -> Vec<Place> {
    if !rounds {
        return tiling.all();
    }
    let rounds = if tiling.is_symmetric {
        tournament(tiling.bands[0].count())
    } else {
        let [rows, columns] = tiling.bands.map(|edges| edges.count());
        let diagonal = |d| (0..rows).map(|i| (i, (i + d) % columns)).collect();
        (0..columns).map(diagonal).collect()
    };
    // Of a round first the first tile of each pair of bands, then the second ones.
    let mut order = Vec::new();
    for round in rounds {
        let mut pairs: Vec<_> = round.into_iter().map(|bands| tiling.places(bands)).collect();
        let first = order.len();
        let mut before = first;
        loop {
            order.extend(pairs.iter_mut().filter_map(Iterator::next));
            if order.len() == before {
                break;
            }
            before = order.len();
        }
    }
    order
}

/// All pairs `i <= j`, in rounds in which each number comes at most once: the circle method of
/// round-robin tournaments (Lucas, "Récréations mathématiques" II, 1883), the pairs `i = i` first.
fn tournament(count: usize) -> Vec<Vec<(usize, usize)>> {
    let players = count.next_multiple_of(2).max(2);
    let last = players - 1;
    let mut rounds = vec![(0..count).map(|i| (i, i)).collect()];
    for round in 0..last {
        let pair = |k: usize| {
            let (one, other) = match k {
                0 => (round, last),
                _ => ((round + k) % last, (round + last - k) % last),
            };
            (one.min(other), one.max(other))
        };
        rounds.push((0..players / 2).map(pair).filter(|pair| pair.1 < count).collect());
    }
    rounds
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Tiling;
    use super::order;

    #[test]
    fn every_tile_is_read_once() {
        for (m, n) in [(1, 1), (2, 2), (5, 5), (8, 8), (3, 7), (7, 3)] {
            for (rounds, is_symmetric) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                if is_symmetric && m != n {
                    continue;
                }
                let tiling = Tiling::new([m, n], 1, (1, 1), is_symmetric);
                let tiles = order(&tiling, rounds);
                let set: BTreeSet<_> = tiles.iter().map(|tile| tile.bands).collect();
                let count = if is_symmetric { n * (n + 1) / 2 } else { m * n };
                assert_eq!([tiles.len(), set.len(), tiling.tiles()], [count; 3], "{m} x {n}");
                assert!(!is_symmetric || set.iter().all(|(i, j)| i <= j));
            }
        }
    }

    #[test]
    fn tiles_of_wide_bands_are_read_once() {
        // Bands of 2048 lines in tiles of 1024 rows.
        for is_symmetric in [false, true] {
            let tiling = Tiling::new([9000, 9000], 2048, (1, 1 << 21), is_symmetric);
            for rounds in [false, true] {
                let tiles = order(&tiling, rounds);
                assert_eq!(tiles.len(), tiling.tiles());
                let rows = |tile: &super::Place| {
                    let block = &tile.block;
                    (tile.bands, block.rows.start, block.rows.end, block.columns.start)
                };
                let set: BTreeSet<_> = tiles.iter().map(rows).collect();
                assert_eq!(set.len(), tiles.len());
                let entries: usize = tiles.iter().map(|tile| tile.block.entries()).sum();
                let mirrored: usize = (0..5)
                    .flat_map(|i| (0..i).map(move |j| (i, j)))
                    .map(|(i, j)| tiling.bands[0].range(i).len() * tiling.bands[1].range(j).len())
                    .sum();
                let left_out = if is_symmetric { mirrored } else { 0 };
                assert_eq!(entries + left_out, 9000 * 9000);
            }
        }
    }

    #[test]
    fn neighbours_in_rounds_are_disjoint() {
        for n in 4..12 {
            let tiles = order(&Tiling::new([n, n], 1, (1, 1), true), true);
            let meets = |a: (usize, usize), b: (usize, usize)| {
                [a.0, a.1].iter().any(|x| *x == b.0 || *x == b.1)
            };
            let pairs = tiles.windows(2).filter(|pair| meets(pair[0].bands, pair[1].bands));
            let meetings = pairs.count();
            // At most where one round ends and another begins.
            assert!(meetings <= n, "{meetings} of {}", tiles.len());
        }
    }
}
