//! Reduction trees of a tiled QR factorisation: which tile is made a triangle and which is
//! eliminated with which, column by column of tiles.
//!
//! Dongarra, Faverge, Herault, Jacquelin, Langou, Robert, "Hierarchical QR factorization algorithms
//! for multi-core clusters", Parallel Computing 39 (2013); the greedy tree is algorithm 4 of
//! Bouwmeester, Jacquelin, Langou, Robert, "Tiled QR factorization algorithms", SC 2011.

use tegula_kernels::option::Below;

/// In which order the tiles of a column are eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// One after the other, all with the tile on the diagonal: least work and no parallelism within
    /// a column.
    Flat,
    /// In pairs, the pairs in pairs and so on.
    Binary,
    /// As many as possible at each time, over all columns together: shortest for tall matrices.
    Greedy,
    /// Flat in each domain of so many consecutive rows of tiles (at least 1), binary between them.
    TwoLevel {
        /// Rows of tiles of a domain.
        domain: usize,
    },
}

/// One operation on a column of tiles, followed by the same on the tiles to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The tile is factorised and leaves a triangle.
    Triangulate {
        /// Row of the tile.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A tile is eliminated with the triangle of another one.
    Eliminate {
        /// Column of both.
        column: usize,
        /// Row of the triangle that absorbs it, above.
        pivot: usize,
        /// Row of the tile that becomes zero.
        row: usize,
        /// Whether that is a whole tile, or a triangle too.
        below: Below,
    },
}

impl Step {
    /// The column of tiles that it works on.
    #[must_use]
    pub fn column(self) -> usize {
        match self {
            Self::Triangulate { column, .. } | Self::Eliminate { column, .. } => column,
        }
    }
}

impl Tree {
    /// The operations that make a matrix of `mt x nt` tiles upper triangular, in an order in which
    /// they can be done.
    ///
    /// # Panics
    /// If a domain has no rows.
    #[must_use]
    pub fn steps(self, mt: usize, nt: usize) -> Vec<Step> {
        let columns = 0..mt.min(nt);
        match self {
            Self::Flat => columns.flat_map(|k| flat(k, k..mt)).collect(),
            Self::Binary => columns
                .flat_map(|k| {
                    let heads: Vec<usize> = (k..mt).collect();
                    let triangles = heads.iter().map(|&row| Step::Triangulate { row, column: k });
                    triangles.collect::<Vec<_>>().into_iter().chain(pairs(k, &heads))
                })
                .collect(),
            Self::Greedy => greedy(mt, columns.len()),
            Self::TwoLevel { domain } => {
                assert!(domain > 0, "domains of no rows");
                columns.flat_map(|k| two_levels(k, mt, domain)).collect()
            }
        }
    }
}

/// All rows after the first with the first.
fn flat(column: usize, rows: std::ops::Range<usize>) -> Vec<Step> {
    let pivot = rows.start;
    let below = Below::Square;
    let eliminate = |row| Step::Eliminate { column, pivot, row, below };
    let first = Step::Triangulate { row: pivot, column };
    std::iter::once(first).chain((pivot + 1..rows.end).map(eliminate)).collect()
}

/// Neighbours among `heads`, then neighbours among those left, until one is.
fn pairs(column: usize, heads: &[usize]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut left = heads.to_vec();
    while left.len() > 1 {
        steps.extend(left.chunks_exact(2).map(|pair| Step::Eliminate {
            column,
            pivot: pair[0],
            row: pair[1],
            below: Below::Triangle,
        }));
        left = left.into_iter().step_by(2).collect();
    }
    steps
}

/// Domains begin at multiples of their size, so that they are the same in each column.
fn two_levels(column: usize, mt: usize, domain: usize) -> Vec<Step> {
    let starts = (column / domain * domain..mt).step_by(domain);
    let heads: Vec<usize> = starts.map(|start| start.max(column)).collect();
    let end = |head: usize| ((head / domain + 1) * domain).min(mt);
    let flats = heads.iter().flat_map(|&head| flat(column, head..end(head)));
    flats.collect::<Vec<_>>().into_iter().chain(pairs(column, &heads)).collect()
}

/// At each time, in every column: half of the triangles that were there before are eliminated with
/// the other half, from the bottom, and the tiles whose left neighbours are zero become triangles.
fn greedy(mt: usize, columns: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    // Tiles from the bottom that are zero, and that are zero or triangles.
    let (mut zeros, mut triangles) = (vec![0; columns], vec![0; columns]);
    while (0..columns).any(|k| zeros[k] + 1 < mt - k || triangles[k] < mt - k) {
        for column in (0..columns).rev() {
            let ready = if column == 0 { mt } else { zeros[column - 1] };
            let gone = (triangles[column] - zeros[column]) / 2;
            for place in zeros[column]..zeros[column] + gone {
                let row = mt - 1 - place;
                let below = Below::Triangle;
                steps.push(Step::Eliminate { column, pivot: row - gone, row, below });
            }
            for place in triangles[column]..ready {
                steps.push(Step::Triangulate { row: mt - 1 - place, column });
            }
            zeros[column] += gone;
            triangles[column] = ready;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{Step, Tree};
    use tegula_kernels::option::Below;

    const TREES: &[Tree] = &[
        Tree::Flat,
        Tree::Binary,
        Tree::Greedy,
        Tree::TwoLevel { domain: 1 },
        Tree::TwoLevel { domain: 3 },
        Tree::TwoLevel { domain: 100 },
    ];

    /// What a tile is, while its column is worked on.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Tile {
        Whole,
        Triangle,
        Zero,
    }

    #[test]
    fn every_tile_below_the_diagonal_is_eliminated_once_and_in_time() {
        for &tree in TREES {
            for (mt, nt) in (0..14).flat_map(|mt| (0..10).map(move |nt| (mt, nt))) {
                let what = format!("{tree:?} on {mt} x {nt}");
                let mut tiles = vec![vec![Tile::Whole; nt]; mt];
                for step in tree.steps(mt, nt) {
                    let is_ready = |tiles: &[Vec<Tile>], row: usize| {
                        tiles[row][..step.column()].iter().all(|&tile| tile == Tile::Zero)
                    };
                    match step {
                        Step::Triangulate { row, column } => {
                            assert!(is_ready(&tiles, row), "{what}: {step:?}");
                            assert_eq!(tiles[row][column], Tile::Whole, "{what}: {step:?}");
                            tiles[row][column] = Tile::Triangle;
                        }
                        Step::Eliminate { column, pivot, row, below } => {
                            let old =
                                if below == Below::Square { Tile::Whole } else { Tile::Triangle };
                            assert!(is_ready(&tiles, row) && is_ready(&tiles, pivot), "{what}");
                            // The last row of tiles may be too low for a triangle.
                            assert!(column <= pivot && pivot < row, "{what}: {step:?}");
                            assert_eq!(tiles[pivot][column], Tile::Triangle, "{what}: {step:?}");
                            assert_eq!(tiles[row][column], old, "{what}: {step:?}");
                            tiles[row][column] = Tile::Zero;
                        }
                    }
                }
                for (row, column) in (0..mt).flat_map(|i| (0..nt).map(move |j| (i, j))) {
                    let expected = match row.cmp(&column) {
                        std::cmp::Ordering::Less => Tile::Whole,
                        std::cmp::Ordering::Equal => Tile::Triangle,
                        std::cmp::Ordering::Greater => Tile::Zero,
                    };
                    assert_eq!(tiles[row][column], expected, "{what} at ({row}, {column})");
                }
            }
        }
    }

    #[test]
    fn trees_are_as_high_as_they_should_be() {
        // Longest chain of eliminations of one column: all, or the logarithm.
        let height = |tree: Tree| {
            let mut heights = [0; 16];
            for step in tree.steps(16, 1) {
                if let Step::Eliminate { pivot, row, .. } = step {
                    heights[pivot] = 1 + heights[pivot].max(heights[row]);
                }
            }
            heights[0]
        };
        assert_eq!(height(Tree::Flat), 15);
        assert_eq!(height(Tree::Binary), 4);
        assert_eq!(height(Tree::Greedy), 4);
        assert_eq!(height(Tree::TwoLevel { domain: 4 }), 5);
    }
}
