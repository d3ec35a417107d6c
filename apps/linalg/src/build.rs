//! Tiled matrices made or changed by a formula of each entry's place, as tasks.

use std::marker::PhantomData;

use tegula_kernels::kernel::map::{Build, MapEntries, Place};
use tegula_kernels::option::{Form, Part};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{RW, W};
use tegula_runtime::flow::Flow;
use tegula_tiles::{TileMatrix, random_entry, random_hermitian_entry, random_symmetric_entry};

use crate::elementwise::part_of_tile;

/// Where tile `(i, j)` of `a` stands.
fn place<T: Scalar>(a: &TileMatrix<T>, i: usize, j: usize) -> Place {
    Place::new((i * a.mb(), j * a.nb()), (a.tile_rows(i), a.tile_columns(j)))
}

/// Submits the filling of every tile of `a` with `entry(i, j)`. The formula takes 40 bytes at most;
/// a larger one does not compile.
pub fn build<T: Scalar, F>(flow: &mut Flow, a: &TileMatrix<T>, entry: F)
where
    F: Fn(usize, usize) -> T + Copy + Send + 'static,
{
    for index in a.indices() {
        let (i, j) = (index.row, index.column);
        let build = Build { place: place(a, i, j), entry, scalar: PhantomData };
        flow.submit(build, &[(a.tile(i, j), W)], 0);
    }
}

/// Submits the change of every entry of a part of `a` to `change(i, j, entry)`; the formula as for
/// [`build`].
///
/// # Panics
/// If a triangle is meant and the tiles are not square.
pub fn map<T: Scalar, F>(flow: &mut Flow, part: Part, a: &TileMatrix<T>, change: F)
where
    F: Fn(usize, usize, T) -> T + Copy + Send + 'static,
{
    assert!(
        part == Part::Whole || a.mb() == a.nb(),
        "a triangle in tiles of {} x {}",
        a.mb(),
        a.nb()
    );
    for index in a.indices() {
        let (i, j) = (index.row, index.column);
        let Some(part) = part_of_tile(part, i, j) else { continue };
        let map = MapEntries { place: place(a, i, j), part, change, scalar: PhantomData };
        flow.submit(map, &[(a.tile(i, j), RW)], 0);
    }
}

/// Submits a random matrix (xPLRNT): entries of [`random_entry`], which depend on the seed and
/// their place alone.
pub fn plrnt<T: Scalar>(flow: &mut Flow, seed: u64, a: &TileMatrix<T>) {
    build(flow, a, move |i, j| random_entry(seed, i, j));
}

/// Submits a random symmetric or Hermitian matrix (xPLGSY, xPLGHE) with `bump` added to its
/// diagonal: of order `n`, a `bump` of `n` makes it positive definite.
pub fn plghe<T: Scalar>(flow: &mut Flow, form: Form, bump: T, seed: u64, a: &TileMatrix<T>) {
    build(flow, a, move |i, j| {
        let entry: T = match form {
            Form::Symmetric => random_symmetric_entry(seed, i, j),
            Form::Hermitian => random_hermitian_entry(seed, i, j),
        };
        if i == j { entry + bump } else { entry }
    });
}
