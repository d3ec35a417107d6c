//! The tile size that fits a problem and a machine.

/// Rows of a micro-panel in double precision with AVX-512 registers; other heights divide it.
const MICRO_PANEL: usize = 24;
/// Largest tiles, in micro-panels: larger ones are not faster, and leave less to overlap.
const MOST: usize = 15;
/// Smallest tiles, in micro-panels: with smaller ones kernels are slow.
const LEAST: usize = 5;

/// Order of the tiles for a factorisation of order `n` on `workers` workers: an odd number of
/// micro-panels, so that the columns of a tile spread over all sets of a cache.
///
/// Large tiles keep the kernels near their peak, small ones keep all workers busy and the tasks
/// outside the critical path many. With two workers the best number of tiles along an edge was 4
/// at n = 500, 7 at 1000, 8 at 2000 and 10 at 4000, and from 8000 on tiles of 264 to 552 were
/// equally fast (`scripts/bench/run tiles`). That the number grows with the root of the workers is
/// an assumption.
#[must_use]
pub fn tile_size(n: usize, workers: usize) -> usize {
    let edge = 5.3 * (workers as f64).sqrt();
    let micro_panels = (n as f64 / edge / MICRO_PANEL as f64) as usize;
    MICRO_PANEL * (micro_panels.clamp(LEAST, MOST) | 1)
}

/// Edges of tiles for CUDA devices are multiples of it.
const DEVICE_UNIT: usize = 128;

/// Order of the tiles for a factorisation of order `n` where CUDA devices compute: far larger than
/// for cores. On an H100 in double precision the factorisation and the solve of a tile of 2048 take
/// 0.8 and 0.9 ms, of 1024 half as long; products of both run at 50 Tflop/s and more. Cholesky
/// factorisations of order 8192, 16 384 and 32 768 came to 12, 29 and 39 Tflop/s on tiles of 1024
/// and to 19, 36 and 45 on tiles of 2048; 3072 was no faster.
#[must_use]
pub fn device_tile_size(n: usize) -> usize {
    DEVICE_UNIT * (n / 4).div_ceil(DEVICE_UNIT).clamp(2, 16)
}

/// Narrowest columns of blocks, in micro-panels: in narrower ones updates are bound by memory.
const NARROWEST: usize = 3;
/// Widest columns of blocks, in micro-panels.
const WIDEST: usize = 7;

/// Width of the columns of blocks for a factorisation of an `m x n` matrix whose panels are whole
/// columns, on `workers` workers: an odd number of micro-panels, as [`tile_size`].
///
/// One task factorises a panel while the others update with the one before, so that a matrix has to
/// be many columns for each worker: eight at first, as they grow fewer with every step. Wider
/// columns make the products of the updates faster, but not beyond a point: with two workers and n
/// = 4000, widths from 128 to 256 were equally fast within three in a hundred. How the width should
/// shrink with more workers is an assumption.
#[must_use]
pub fn column_width(m: usize, n: usize, workers: usize) -> usize {
    let micro_panels = m.min(n) / (8 * workers.max(1)) / MICRO_PANEL;
    MICRO_PANEL * (micro_panels.clamp(NARROWEST, WIDEST) | 1)
}

/// Width of the columns of blocks for a factorisation of an `m x n` matrix whose panels are whole
/// columns, where CUDA devices compute.
#[must_use]
pub fn device_column_width(m: usize, n: usize) -> usize {
    DEVICE_UNIT * (m.min(n) / 32).div_ceil(DEVICE_UNIT).clamp(1, 4)
}

/// Orders of tiles below `size` for memories that hold few of its tiles, from the largest on.
pub fn smaller_tile_sizes(size: usize) -> impl Iterator<Item = usize> + Clone {
    let micro_panels = (size / MICRO_PANEL).saturating_sub(1);
    (1..=micro_panels)
        .rev()
        .filter(|micro_panels| micro_panels % 2 == 1)
        .map(|micro_panels| MICRO_PANEL * micro_panels)
}

/// By how much the tasks of a factorisation of `nt` rows of tiles are more than those that must
/// follow each other: it has `nt^3 / 6`, and `3 nt` one after the other.
const ROOT: usize = 18;

/// How many factorisations of a symmetric matrix of order `n`, in tiles of order `nb`, run best at
/// the same time on `workers`: as many as keep these busy.
#[must_use]
pub fn factorizations_at_once(workers: usize, n: usize, nb: usize) -> usize {
    let tiles = n.div_ceil(nb.max(1));
    workers.div_ceil((tiles * tiles / ROOT).max(1))
}

#[cfg(test)]
mod tests {
    use super::{MICRO_PANEL, column_width, smaller_tile_sizes, tile_size};

    #[test]
    fn tiles_are_odd_numbers_of_micro_panels_and_grow_with_the_problem() {
        for workers in [1, 2, 16, 128] {
            let sizes: Vec<usize> = (0..14).map(|power| tile_size(1 << power, workers)).collect();
            assert!(sizes.is_sorted(), "{workers} workers: {sizes:?}");
            assert!(
                sizes.iter().all(|size| size % MICRO_PANEL == 0 && size / MICRO_PANEL % 2 == 1)
            );
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
    fn smaller_tiles_are_odd_numbers_of_micro_panels_too() {
        assert_eq!(smaller_tile_sizes(168).collect::<Vec<_>>(), [120, 72, 24]);
        assert_eq!(smaller_tile_sizes(24).count(), 0);
    }
}
