//! Copy of a tiled matrix in the other precision.

use std::marker::PhantomData;

use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::elementwise::part_of_tile;

/// Submits `B = A` on a part of `b`, which has the shape and the tiles of `a` (xLAG2S, xLAT2S):
/// numbers out of the range of `b` become infinities.
///
/// # Panics
/// If the shapes or the tilings differ.
pub fn convert<T: Scalar>(
    flow: &mut Flow,
    part: Part,
    a: &TileMatrix<T>,
    b: &TileMatrix<T::Other>,
) {
    let of_a = (a.m(), a.n(), a.mb(), a.nb());
    let of_b = (b.m(), b.n(), b.mb(), b.nb());
    assert!(of_a == of_b, "shape and tiles {of_a:?} against {of_b:?}");
    for index in b.indices() {
        let (i, j) = (index.row, index.column);
        if let Some(part) = part_of_tile(part, i, j) {
            let (m, n) = (a.tile_rows(i), a.tile_columns(j));
            let task = Convert::<T> { part, m, n, scalar: PhantomData };
            flow.submit(task, &[(a.tile(i, j), R), (b.tile(i, j), RW)], 0);
        }
    }
}
