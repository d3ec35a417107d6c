//! The tile size that fits a problem and a machine.

/// Rows of a strip in double precision with AVX-512 registers; other heights divide it.
const STRIP: usize = 24;
/// Largest tiles, in strips: larger ones are not faster, and leave less to overlap.
const MOST: usize = 15;
/// Smallest tiles, in strips: with smaller ones kernels are slow.
const LEAST: usize = 5;

/// Order of the tiles for a factorisation of order `n` on `workers` workers: an odd number of
/// strips, so that the columns of a tile spread over all sets of a cache.
///
/// Large tiles keep the kernels near their peak, small ones keep all workers busy and the tasks
/// outside the critical path many. With two workers the best number of tiles along an edge was 4
/// at n = 500, 7 at 1000, 8 at 2000 and 10 at 4000, and from 8000 on tiles of 264 to 552 were
/// equally fast (`scripts/bench/run tiles`). That the number grows with the root of the workers is
/// an assumption.
#[must_use]
pub fn tile_size(n: usize, workers: usize) -> usize {
    let edge = 5.3 * (workers as f64).sqrt();
    let strips = (n as f64 / edge / STRIP as f64) as usize;
    STRIP * (strips.clamp(LEAST, MOST) | 1)
}

/// Narrowest columns of blocks, in strips: in narrower ones updates are bound by memory.
const NARROWEST: usize = 3;
/// Widest columns of blocks, in strips.
const WIDEST: usize = 7;

/// Width of the columns of blocks for a factorisation of an `m x n` matrix whose panels are whole
/// columns, on `workers` workers: an odd number of strips, as [`tile_size`].
///
/// One task factorises a panel while the others update with the one before, so that a matrix has to be
/// many columns for each worker: eight at first, as they grow fewer with every step. Wider columns make
/// the products of the updates faster, but not beyond a point: with two workers and n = 4000, widths
/// from 128 to 256 were equally fast within three in a hundred. How the width should shrink with more
/// workers is an assumption.
#[must_use]
pub fn column_width(m: usize, n: usize, workers: usize) -> usize {
    let strips = m.min(n) / (8 * workers.max(1)) / STRIP;
    STRIP * (strips.clamp(NARROWEST, WIDEST) | 1)
}

/// Orders of tiles below `size` for memories that hold few of its tiles, from the largest on.
pub fn smaller_tile_sizes(size: usize) -> impl Iterator<Item = usize> + Clone {
    let strips = (size / STRIP).saturating_sub(1);
    (1..=strips).rev().filter(|strips| strips % 2 == 1).map(|strips| STRIP * strips)
}

#[cfg(test)]
mod tests {
    use super::{STRIP, column_width, smaller_tile_sizes, tile_size};

    #[test]
    fn tiles_are_odd_numbers_of_strips_and_grow_with_the_problem() {
        for workers in [1, 2, 16, 128] {
            let sizes: Vec<usize> = (0..14).map(|power| tile_size(1 << power, workers)).collect();
            assert!(sizes.is_sorted(), "{workers} workers: {sizes:?}");
            assert!(sizes.iter().all(|size| size % STRIP == 0 && size / STRIP % 2 == 1));
        }
    }

    #[test]
    fn columns_are_wide_where_there_are_enough_of_them() {
        assert_eq!(column_width(4000, 4000, 2), 168);
        assert_eq!(column_width(4000, 4000, 4), 120);
        assert_eq!(column_width(4000, 4000, 64), 72);
        assert_eq!(column_width(4000, 500, 2), column_width(500, 4000, 2));
        assert_eq!(column_width(0, 0, 1), 72);
    }

    #[test]
    fn smaller_tiles_are_odd_numbers_of_strips_too() {
        assert_eq!(smaller_tile_sizes(168).collect::<Vec<_>>(), [120, 72, 24]);
        assert_eq!(smaller_tile_sizes(24).count(), 0);
    }
}
