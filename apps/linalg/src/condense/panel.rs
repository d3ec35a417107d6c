//! Panels of reflectors beside the tiles that they meet: one handle for a whole column, or row, of
//! tiles, and copies of their parts.

use std::marker::PhantomData;

use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::kernel::geqrt::Geqrt;
use tegula_kernels::kernel::laset_triangle::LasetTriangle;
use tegula_kernels::option::{Storev, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use crate::view::{Op, Tile};

/// The reflectors of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    /// Whether they are columns or rows.
    pub(crate) storev: Storev,
    /// `order x width`, stored by rows `width x order`: the reflectors beyond the diagonal that
    /// begins at row (column) `offset`.
    pub(crate) v: Handle,
    /// Their triangle `T`, `count x count`.
    pub(crate) t: Handle,
    pub(crate) order: usize,
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) count: usize,
}

impl Panel {
    /// A panel of `width` vectors, of which what begins at `offset` is copied from `tiles` in steps
    /// of `nb` and factorised; what becomes of the first tile is copied back.
    pub(crate) fn factorise<T: Scalar>(
        flow: &mut Flow,
        storev: Storev,
        (order, offset, width): (usize, usize, usize),
        (tiles, nb): (&[Tile], usize),
        priority: i32,
    ) -> Self {
        let count = width.min(order - offset);
        let bytes = |entries: usize| entries * size_of::<T>();
        let [v, tau, t] =
            [order * width, count, count * count].map(|size| flow.register(bytes(size)));
        let panel = Self { storev, v, t, order, offset, width, count };
        let whole = panel.whole();
        for (i, &from) in tiles.iter().enumerate() {
            let place = storev.stored(offset + i * nb, 0);
            copy::<T>(flow, (from, (0, 0)), (whole, place), (from.rows, from.columns), priority);
        }
        let geqrt = Geqrt { storev, m: order, n: width, offset, scalar: PhantomData::<T> };
        flow.submit(geqrt, &[(v, RW), (tau, W), (t, W)], priority);
        flow.retire(tau);
        let (to, place) = (tiles[0], storev.stored(offset, 0));
        copy::<T>(flow, (whole, place), (to, (0, 0)), (to.rows, to.columns), priority);
        panel
    }

    fn whole(&self) -> Tile {
        let (rows, columns) = self.storev.stored(self.order, self.width);
        tile(self.v, rows, columns)
    }

    /// The triangle.
    pub(crate) fn triangle(&self) -> Tile {
        tile(self.t, self.count, self.count)
    }

    /// The reflectors in tiles of `lengths`, which are `nb` but for the last, with their ones and
    /// zeros.
    pub(crate) fn reflectors<T: Scalar>(
        &self,
        flow: &mut Flow,
        (lengths, nb): (impl Iterator<Item = usize>, usize),
        priority: i32,
    ) -> Vec<Tile> {
        let (storev, count) = (self.storev, self.count);
        let mut tiles = Vec::new();
        for (i, length) in lengths.enumerate() {
            let to = new_tile::<T>(flow, storev.stored(length, count));
            let from = (self.whole(), storev.stored(self.offset + i * nb, 0));
            copy::<T>(flow, from, (to, (0, 0)), (to.rows, to.columns), priority);
            tiles.push(to);
        }
        let uplo = if storev == Storev::Columns { Uplo::Upper } else { Uplo::Lower };
        let (m, n) = (tiles[0].rows, tiles[0].columns);
        let (off_diagonal, diagonal) = (T::ZERO, T::ONE);
        let ones = LasetTriangle { uplo, m, n, off_diagonal, diagonal };
        flow.submit(ones, &[(tiles[0].handle, RW)], priority);
        tiles
    }

    pub(crate) fn retire(self, flow: &mut Flow) {
        flow.retire(self.v);
        flow.retire(self.t);
    }
}

/// A tile as it is stored.
pub(crate) fn tile(handle: Handle, rows: usize, columns: usize) -> Tile {
    Tile { handle, rows, columns, op: Op::default() }
}

/// Room for a tile.
fn new_tile<T: Scalar>(flow: &mut Flow, (rows, columns): (usize, usize)) -> Tile {
    tile(flow.register(rows * columns * size_of::<T>()), rows, columns)
}

/// Copies of tiles of `[X Y]`.
pub(crate) fn columns_beside<T: Scalar>(
    flow: &mut Flow,
    x: &[Tile],
    y: &[Tile],
    priority: i32,
) -> Vec<Tile> {
    let both = |(&x, &y): (&Tile, &Tile)| {
        let to = new_tile::<T>(flow, (x.rows, x.columns + y.columns));
        copy::<T>(flow, (x, (0, 0)), (to, (0, 0)), (x.rows, x.columns), priority);
        copy::<T>(flow, (y, (0, 0)), (to, (0, x.columns)), (y.rows, y.columns), priority);
        to
    };
    x.iter().zip(y).map(both).collect()
}

/// Copies of tiles of `X` above those of `Y`.
pub(crate) fn rows_beside<T: Scalar>(
    flow: &mut Flow,
    x: &[Tile],
    y: &[Tile],
    priority: i32,
) -> Vec<Tile> {
    let both = |(&x, &y): (&Tile, &Tile)| {
        let to = new_tile::<T>(flow, (x.rows + y.rows, x.columns));
        copy::<T>(flow, (x, (0, 0)), (to, (0, 0)), (x.rows, x.columns), priority);
        copy::<T>(flow, (y, (0, 0)), (to, (x.rows, 0)), (y.rows, y.columns), priority);
        to
    };
    x.iter().zip(y).map(both).collect()
}

/// Copies a block of a tile to a place in another.
pub(crate) fn copy<T: Scalar>(
    flow: &mut Flow,
    (from, at): (Tile, (usize, usize)),
    (to, place): (Tile, (usize, usize)),
    (rows, columns): (usize, usize),
    priority: i32,
) {
    let short = |(x, y): (usize, usize)| (x as u32, y as u32);
    let block =
        |tile: Tile, first| Block { tile: short((tile.rows, tile.columns)), first: short(first) };
    let copy = CopyPart::<T> {
        from: block(from, at),
        to: block(to, place),
        size: short((rows, columns)),
        scalar: PhantomData,
    };
    flow.submit(copy, &[(from.handle, R), (to.handle, RW)], priority);
}
