//! Copy of a tiled matrix to tiles of another size.

use std::marker::PhantomData;

use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

/// Submits `B = A` for two matrices of one shape, whatever their tiles.
///
/// Of two matrices stored as triangles, the lower triangle is copied; tiles on the diagonal of `b`
/// keep what they hold above it where `a` has no tile.
///
/// # Panics
/// If the shapes differ, or `b` has tiles that `a` has not.
pub fn redistribute<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, b: &TileMatrix<T>) {
    let (from, to) = ((a.m(), a.n()), (b.m(), b.n()));
    assert!(from == to, "copy of {from:?} to {to:?}");
    let is_lower = |matrix: &TileMatrix<T>| matrix.storage() == tegula_tiles::Storage::Lower;
    assert!(is_lower(b) || !is_lower(a), "a triangle does not fill a whole matrix");
    for index in b.indices() {
        let tile = (index.row, index.column);
        let rows = pieces((tile.0 * b.mb(), b.tile_rows(tile.0)), a.mb());
        for (i, first_row, row, height) in rows {
            for (j, first_column, column, width) in
                pieces((tile.1 * b.nb(), b.tile_columns(tile.1)), a.nb())
            {
                if is_lower(a) && i < j {
                    continue;
                }
                let short = |(x, y): (usize, usize)| (x as u32, y as u32);
                let copy = CopyPart::<T> {
                    from: Block {
                        tile: short((a.tile_rows(i), a.tile_columns(j))),
                        first: short((first_row, first_column)),
                    },
                    to: Block {
                        tile: short((b.tile_rows(tile.0), b.tile_columns(tile.1))),
                        first: short((row, column)),
                    },
                    size: short((height, width)),
                    scalar: PhantomData,
                };
                flow.submit(copy, &[(a.tile(i, j), R), (b.tile(tile.0, tile.1), RW)], 0);
            }
        }
    }
}

/// The pieces of a range `(first, length)` in tiles of `size`: tile, first place in the tile, first
/// place in the range, length.
fn pieces(
    (first, length): (usize, usize),
    size: usize,
) -> impl Iterator<Item = (usize, usize, usize, usize)> + Clone {
    let end = first + length;
    let tiles = first / size..end.div_ceil(size).max(first / size);
    tiles.map(move |tile| {
        let (from, to) = ((tile * size).max(first), ((tile + 1) * size).min(end));
        (tile, from - tile * size, from - first, to - from)
    })
}
