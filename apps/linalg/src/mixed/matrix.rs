//! A symmetric or lower triangular matrix in tiles of two precisions, some of them zero.

use std::marker::PhantomData;

use tegula_kernels::kernel::geadd::Geadd;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::map::{Build, Place};
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::TileMatrix;

use super::copies::conversion;
use super::precision::{PrecisionMap, place, tiles};
use crate::view::{Op, Tile};

/// The lower triangle of a matrix of order `n` in tiles of order `nb`, of which a [`PrecisionMap`]
/// says whether they hold numbers of type `T` or of the narrower [`T::Other`](Scalar::Other).
///
/// Tiles are stored as those of a [`TileMatrix`], each in its precision; those that are zero take
/// no memory.
#[derive(Clone, Debug)]
pub struct MixedMatrix<T> {
    n: usize,
    nb: usize,
    map: PrecisionMap,
    /// Column by column.
    tiles: Vec<Handle>,
    scalar: PhantomData<T>,
}

impl<T: Scalar<Real = f64>> MixedMatrix<T> {
    /// Registers the tiles of a matrix of order `n` with `flow`.
    ///
    /// # Panics
    /// If `map` is not of as many tiles, or tiles are empty.
    #[must_use]
    pub fn new(flow: &mut Flow, (n, nb): (usize, usize), map: PrecisionMap) -> Self {
        let mut matrix = Self::shaped((n, nb), map);
        let bytes = tiles(matrix.nt()).map(|(i, j)| matrix.tile_bytes(i, j));
        matrix.tiles = bytes.map(|bytes| flow.register(bytes)).collect();
        matrix
    }

    /// The tiles of `a`, those that `map` says rounded to 32 bits as tasks, which give the memory
    /// of each back when it is rounded.
    ///
    /// # Panics
    /// If the matrix or its tiles are not square, or `map` is not of as many tiles, or has zeros.
    #[must_use]
    pub fn of(flow: &mut Flow, a: TileMatrix<T>, map: PrecisionMap) -> Self {
        let (m, n, mb, nb) = (a.m(), a.n(), a.mb(), a.nb());
        assert!(m == n && mb == nb, "{m} x {n} in {mb} x {nb} tiles is not square");
        assert!(map.zero_tiles() == 0, "{} tiles are to be zero", map.zero_tiles());
        let mut matrix = Self::shaped((n, nb), map);
        for index in a.indices() {
            let (i, j) = (index.row, index.column);
            let wide = a.tile(i, j);
            if i < j || matrix.map.is_narrow(i, j) {
                if i > j {
                    let narrow = flow.register(matrix.tile_bytes(i, j));
                    matrix.tiles.push(narrow);
                    let conversion = conversion::<T>(Part::Whole, matrix.seen(i, j));
                    flow.submit(conversion, &[(wide, R), (narrow, RW)], 0);
                }
                flow.retire(wide);
            } else {
                matrix.tiles.push(wide);
            }
        }
        matrix
    }

    fn shaped((n, nb): (usize, usize), map: PrecisionMap) -> Self {
        assert!(nb > 0, "tiles of order {nb} are empty");
        let nt = n.div_ceil(nb);
        assert!(map.nt() == nt, "precisions of {} rows of tiles, not {nt}", map.nt());
        Self { n, nb, map, tiles: Vec::new(), scalar: PhantomData }
    }

    /// Order of the matrix.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Order of a tile that is not in the last row.
    #[must_use]
    pub fn nb(&self) -> usize {
        self.nb
    }

    /// Number of rows of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.map.nt()
    }

    /// The precision of each tile.
    #[must_use]
    pub fn precisions(&self) -> &PrecisionMap {
        &self.map
    }

    /// Bytes of all tiles.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.stored().map(|(i, j)| self.tile_bytes(i, j) as u64).sum()
    }

    /// Rows and columns of the tiles that are not zero, column by column.
    pub fn stored(&self) -> impl Iterator<Item = (usize, usize)> {
        tiles(self.nt()).filter(|&(i, j)| !self.map.is_zero(i, j))
    }

    /// The handle of tile `(i, j)`, in the precision that [`precisions`](Self::precisions) says.
    ///
    /// # Panics
    /// If there is no such tile on or below the diagonal.
    #[must_use]
    pub fn tile(&self, i: usize, j: usize) -> Handle {
        self.tiles[place(self.nt(), i, j)]
    }

    /// Submits the filling of every tile that is not zero with `entry(i, j)`, rounded to its
    /// precision; the formula as for [`build`](crate::build).
    pub fn build<F>(&self, flow: &mut Flow, entry: F)
    where
        F: Fn(usize, usize) -> T + Copy + Send + 'static,
    {
        for (i, j) in self.stored() {
            let first = (i * self.nb, j * self.nb);
            let place = Place::new(first, (self.rows(i), self.rows(j)));
            let tile = [(self.tile(i, j), W)];
            if self.map.is_narrow(i, j) {
                let entry = move |i, j| entry(i, j).convert();
                flow.submit(Build { place, entry, scalar: PhantomData::<T::Other> }, &tile, 0);
            } else {
                flow.submit(Build { place, entry, scalar: PhantomData }, &tile, 0);
            }
        }
    }

    /// Submits the copy of the lower triangle of tiles of `a`, of the same order and tiles, each
    /// rounded to its precision but those that are zero.
    ///
    /// # Panics
    /// If the orders or the tiles differ.
    pub fn copy_from(&self, flow: &mut Flow, a: &TileMatrix<T>) {
        self.check_like(a);
        for (i, j) in self.stored() {
            let accesses = [(a.tile(i, j), R), (self.tile(i, j), RW)];
            if self.map.is_narrow(i, j) {
                flow.submit(conversion::<T>(Part::Whole, self.seen(i, j)), &accesses, 0);
            } else {
                flow.submit(self.copy(i, j), &accesses, 0);
            }
        }
    }

    /// Submits the copy of all tiles to `a`, of the same order and tiles, in 64 bits.
    ///
    /// # Panics
    /// If the orders or the tiles differ.
    pub fn copy_to(&self, flow: &mut Flow, a: &TileMatrix<T>) {
        self.check_like(a);
        for (i, j) in tiles(self.nt()) {
            let accesses = [(self.tile(i, j), R), (a.tile(i, j), RW)];
            if self.map.is_zero(i, j) {
                let (m, n, off_diagonal, diagonal) = (self.rows(i), self.rows(j), T::ZERO, T::ZERO);
                flow.submit(Laset { m, n, off_diagonal, diagonal }, &[(a.tile(i, j), W)], 0);
            } else if self.map.is_narrow(i, j) {
                flow.submit(conversion::<T::Other>(Part::Whole, self.seen(i, j)), &accesses, 0);
            } else {
                flow.submit(self.copy(i, j), &accesses, 0);
            }
        }
    }

    fn check_like(&self, a: &TileMatrix<T>) {
        let (of_self, of_a) = ([self.n, self.n, self.nb, self.nb], [a.m(), a.n(), a.mb(), a.nb()]);
        assert!(of_self == of_a, "shape and tiles {of_self:?} against {of_a:?}");
    }

    /// The copy of tile `(i, j)`, in 64 bits.
    fn copy(&self, i: usize, j: usize) -> Geadd<T> {
        let (m, n) = (self.rows(i), self.rows(j));
        Geadd { trans: Trans::No, m, n, alpha: T::ONE, beta: T::ZERO }
    }

    /// Takes the matrix apart once everything submitted so far has run, without waiting for it.
    pub fn retire(self, flow: &mut Flow) {
        self.tiles.iter().for_each(|&tile| flow.retire(tile));
    }

    /// Takes the matrix apart, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        self.tiles.iter().for_each(|&tile| flow.unregister(tile));
    }

    /// Rows of the tiles in row `i` of tiles.
    pub(super) fn rows(&self, i: usize) -> usize {
        self.nb.min(self.n - i * self.nb)
    }

    /// Tile `(i, j)` as algorithms see it.
    pub(super) fn seen(&self, i: usize, j: usize) -> Tile {
        let (rows, columns) = (self.rows(i), self.rows(j));
        Tile { handle: self.tile(i, j), rows, columns, op: Op::default() }
    }

    fn tile_bytes(&self, i: usize, j: usize) -> usize {
        let is_narrow = self.map.is_narrow(i, j);
        let bytes = if is_narrow { size_of::<T::Other>() } else { size_of::<T>() };
        self.rows(i) * self.rows(j) * bytes
    }
}
