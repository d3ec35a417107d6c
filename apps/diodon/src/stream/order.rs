//! In which order tiles are read.

use super::Edges;

/// Places of all tiles in the order of reading; of a symmetric matrix those at and above the diagonal.
pub(super) fn order(edges: &[Edges; 2], is_symmetric: bool, rounds: bool) -> Vec<(usize, usize)> {
    let (rows, columns) = (edges[0].count(), edges[1].count());
    match (is_symmetric, rounds) {
        (false, false) => (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).collect(),
        (true, false) => (0..rows).flat_map(|i| (i..rows).map(move |j| (i, j))).collect(),
        (false, true) => {
            let diagonals = 0..columns;
            let most = rows;
            diagonals
                .flat_map(|d| (0..most).map(move |i| (i, (i + d) % columns)))
                .collect::<Vec<_>>()
        }
        (true, true) => tournament(rows),
    }
}

/// All pairs `i <= j`, in rounds in which each number comes at most once: the circle method of round-robin
/// tournaments (Lucas, "Récréations mathématiques" II, 1883), the pairs `i = i` first.
fn tournament(count: usize) -> Vec<(usize, usize)> {
    let players = count.next_multiple_of(2).max(2);
    let last = players - 1;
    let mut pairs: Vec<(usize, usize)> = (0..count).map(|i| (i, i)).collect();
    for round in 0..last {
        for k in 0..players / 2 {
            let (one, other) = match k {
                0 => (round, last),
                _ => ((round + k) % last, (round + last - k) % last),
            };
            let (low, high) = (one.min(other), one.max(other));
            if high < count {
                pairs.push((low, high));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Edges;
    use super::order;

    #[test]
    fn every_tile_is_read_once() {
        for (m, n) in [(1, 1), (2, 2), (5, 5), (8, 8), (3, 7), (7, 3)] {
            let edges = [Edges::new(m, 1), Edges::new(n, 1)];
            for rounds in [false, true] {
                let tiles = order(&edges, false, rounds);
                let set: BTreeSet<_> = tiles.iter().copied().collect();
                assert_eq!((tiles.len(), set.len()), (m * n, m * n), "{m} x {n}");
                if m == n {
                    let tiles = order(&edges, true, rounds);
                    let set: BTreeSet<_> = tiles.iter().copied().collect();
                    assert!(tiles.iter().all(|(i, j)| i <= j));
                    assert_eq!((tiles.len(), set.len()), (n * (n + 1) / 2, n * (n + 1) / 2));
                }
            }
        }
    }

    #[test]
    fn neighbours_in_rounds_are_disjoint() {
        for n in 4..12 {
            let edges = [Edges::new(n, 1), Edges::new(n, 1)];
            let tiles = order(&edges, true, true);
            let meets = |a: (usize, usize), b: (usize, usize)| {
                [a.0, a.1].iter().any(|x| *x == b.0 || *x == b.1)
            };
            let meetings = tiles.windows(2).filter(|pair| meets(pair[0], pair[1])).count();
            // At most where one round ends and another begins.
            assert!(meetings <= n, "{meetings} of {}", tiles.len());
        }
    }
}
