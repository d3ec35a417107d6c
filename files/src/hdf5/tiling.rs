//! Whether tiles cover a matrix, each entry once: all of it, or all above the diagonal.

use std::ops::Range;

use crate::source::{Block, Coverage};

/// Most pieces that the edges of all tiles may cut the matrix into.
const MOST_PIECES: usize = 1 << 27;
/// A piece that no tile covers.
const NONE: u32 = u32::MAX;

/// What is wrong with a list of tiles; numbers are their places in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Both hold the entry.
    Overlap(usize, usize, [usize; 2]),
    /// None holds the entry.
    Gap([usize; 2]),
    /// There are too many edges.
    TooMany,
}

/// Which entries of the matrix of that shape `tiles` cover.
///
/// # Errors
/// If two cover the same entry, or none an entry above the diagonal, or none an entry below it
/// where the matrix is not square.
pub(super) fn coverage(shape: [usize; 2], tiles: &[Block]) -> Result<Coverage, Fault> {
    let rows = edges(shape[0], tiles.iter().map(|tile| &tile.rows));
    let columns = edges(shape[1], tiles.iter().map(|tile| &tile.columns));
    let (height, width) = (rows.len() - 1, columns.len() - 1);
    let count = height.checked_mul(width).filter(|&count| count <= MOST_PIECES);
    let mut owners = vec![NONE; count.ok_or(Fault::TooMany)?];
    for (index, tile) in tiles.iter().enumerate() {
        for i in within(&rows, &tile.rows) {
            for j in within(&columns, &tile.columns) {
                let owner = &mut owners[i * width + j];
                if *owner != NONE {
                    return Err(Fault::Overlap(*owner as usize, index, [rows[i], columns[j]]));
                }
                *owner = index as u32;
            }
        }
    }
    let mut coverage = Coverage::Full;
    for (piece, _) in owners.iter().enumerate().filter(|(_, owner)| **owner == NONE) {
        let (i, j) = (piece / width, piece % width);
        let (first, last) = (rows[i], columns[j + 1] - 1);
        if shape[0] != shape[1] {
            return Err(Fault::Gap([first, columns[j]]));
        }
        // Its upper right corner is above the diagonal if any of its entries is.
        if first < last {
            return Err(Fault::Gap([first, last]));
        }
        coverage = Coverage::Triangle;
    }
    Ok(coverage)
}

/// The edges of `ranges` and of the whole, in order.
fn edges<'a>(length: usize, ranges: impl Iterator<Item = &'a Range<usize>>) -> Vec<usize> {
    let mut edges: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
    edges.extend([0, length]);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The pieces between `edges` that make up `range`.
fn within(edges: &[usize], range: &Range<usize>) -> Range<usize> {
    edges.partition_point(|edge| *edge < range.start)
        ..edges.partition_point(|edge| *edge < range.end)
}

/// What two blocks share, if they do.
pub(super) fn shared(a: &Block, b: &Block) -> Option<Block> {
    let of = |a: &Range<usize>, b: &Range<usize>| a.start.max(b.start)..a.end.min(b.end);
    let block = Block { rows: of(&a.rows, &b.rows), columns: of(&a.columns, &b.columns) };
    (!block.rows.is_empty() && !block.columns.is_empty()).then_some(block)
}

/// The block on the other side of the diagonal.
pub(super) fn transposed(block: &Block) -> Block {
    Block { rows: block.columns.clone(), columns: block.rows.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(rows: Range<usize>, columns: Range<usize>) -> Block {
        Block { rows, columns }
    }

    #[test]
    fn whole_matrices_and_upper_triangles_are_covered() {
        let four = [tile(0..2, 0..3), tile(0..2, 3..5), tile(2..4, 0..3), tile(2..4, 3..5)];
        assert_eq!(coverage([4, 5], &four), Ok(Coverage::Full));
        let upper = [tile(0..2, 0..2), tile(0..2, 2..5), tile(2..5, 2..5)];
        assert_eq!(coverage([5, 5], &upper), Ok(Coverage::Triangle));
        // The diagonal may be left out, and tiles need not be aligned.
        let strips: Vec<Block> = (0..4).map(|i| tile(i..i + 1, i + 1..5)).collect();
        assert_eq!(coverage([5, 5], &strips), Ok(Coverage::Triangle));
        let ragged = [tile(0..1, 0..5), tile(1..3, 1..5), tile(3..5, 2..5)];
        assert_eq!(coverage([5, 5], &ragged), Ok(Coverage::Triangle));
    }

    #[test]
    fn faults_are_found_where_they_are() {
        let lower = [tile(0..2, 0..2), tile(2..5, 0..2), tile(2..5, 2..5)];
        assert_eq!(coverage([5, 5], &lower), Err(Fault::Gap([0, 4])));
        let narrow = [tile(0..2, 0..3), tile(2..4, 0..2)];
        assert_eq!(coverage([4, 3], &narrow), Err(Fault::Gap([2, 2])));
        let twice = [tile(0..3, 0..3), tile(2..3, 1..2)];
        assert_eq!(coverage([3, 3], &twice), Err(Fault::Overlap(0, 1, [2, 1])));
    }
}
