//! The columns of a Cholesky factor as its updates read them: packed where the backend
//! reads those faster, else as the tiles they are.

use std::marker::PhantomData;

use tegula_kernels::kernel::gemm::{GemmPacked, GemmTf32};
use tegula_kernels::kernel::pack::{Pack, Structure};
use tegula_kernels::kernel::syrk::SyrkPacked;
use tegula_kernels::kernel::trsm::TrsmPacked;
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::packed::PackedShape;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use crate::packing;
use crate::tasks::{self, TriangularTile};
use crate::view::Tile;

/// Tiles that [`potrf`](crate::potrf) keeps copies of, of a matrix with `nt` rows of tiles, where
/// all workers share one memory without limit.
///
/// As many columns as can be at work: two, and one more for every eight workers.
#[must_use]
pub fn copied_tiles(nt: usize, workers: usize) -> usize {
    // Of column k those below the diagonal.
    (0..columns(nt, workers)).map(|k| nt - 1 - k).sum()
}

fn columns(nt: usize, workers: usize) -> usize {
    (2 + workers / 8).min(nt.saturating_sub(1))
}

/// Copies of some columns of tiles, of which each serves every `len`-th column: the copy of a
/// column is overwritten when the updates by that column have run.
pub(crate) struct Ring {
    /// A handle for each row of tiles.
    copies: Vec<Vec<Handle>>,
}

impl Ring {
    /// Room for columns of `nt` tiles of so many bytes; nothing is allocated until it is used.
    pub(crate) fn new(flow: &mut Flow, nt: usize, bytes: impl Fn(usize) -> usize) -> Self {
        let columns = columns(nt, flow.workers());
        let mut column = || (0..nt).map(|i| flow.register(bytes(i))).collect();
        Self { copies: (0..columns).map(|_| column()).collect() }
    }

    /// The copy of tile `(i, k)`.
    pub(crate) fn copy(&self, (i, k): (usize, usize)) -> Handle {
        self.copies[k % self.copies.len()][i]
    }

    /// Gives the room back when everything submitted so far has run.
    pub(crate) fn retire(self, flow: &mut Flow) {
        self.copies.into_iter().flatten().for_each(|copy| flow.retire(copy));
    }
}

/// The tasks that make the columns of a factor and read them.
pub(crate) struct Panels<T> {
    /// Height of the micro-panels, and their copies of columns.
    packed: Option<(usize, Ring)>,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Panels<T> {
    /// For a factor in `nt` rows of tiles, of which row `i` has `rows(i)` rows; `is_stored` says
    /// whether tiles are read as they are stored, which the solve that packs needs.
    pub(crate) fn new(
        flow: &mut Flow,
        nt: usize,
        rows: impl Fn(usize) -> usize,
        is_stored: bool,
    ) -> Self {
        let packed =
            packing::micro_panel_height::<T>(flow, nt).filter(|_| is_stored).map(|height| {
                let shape = |i| PackedShape { rows: rows(i), cols: rows(0), height };
                (height, Ring::new(flow, nt, |i| shape(i).elements() * size_of::<T>()))
            });
        Self { packed, scalar: PhantomData }
    }

    /// The height of micro-panels, and the copy of tile `(i, k)` in them.
    fn packed(&self, place: (usize, usize)) -> Option<(usize, Handle)> {
        let (height, ring) = self.packed.as_ref()?;
        Some((*height, ring.copy(place)))
    }

    /// Makes `tile`, which is `(i, k)`, one that updates read.
    pub(crate) fn adopt(&self, flow: &mut Flow, place: (usize, usize), tile: Tile, priority: i32) {
        if let Some((height, packed)) = self.packed(place) {
            let size = (tile.rows, tile.columns);
            let pack = Pack::<T>::whole(Structure::General, Trans::No, size, height);
            flow.submit(pack, &[(tile.handle, R), (packed, W)], priority);
        }
    }

    /// `A(i, k) = A(i, k) inv(L(k, k)^H)`, which updates read.
    pub(crate) fn trsm(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        (triangle, tile): (Tile, Tile),
        priority: i32,
    ) {
        if let Some((height, packed)) = self.packed(place) {
            let (m, n) = (tile.rows, tile.columns);
            let trsm = TrsmPacked::<T> { m, n, ld: n, height, scalar: PhantomData };
            let accesses = [(triangle.handle, R), (tile.handle, RW), (packed, W)];
            return flow.submit(trsm, &accesses, priority);
        }
        // From the left: conj(L(k, k)) X' = A(i, k)'.
        let (uplo, diag) = (Uplo::Lower, Diag::NonUnit);
        let corner = TriangularTile { tile: triangle.conjugated(), uplo, diag };
        tasks::trsm(flow, corner, T::ONE, tile.transposed(), priority);
    }

    /// `A(j, j) = A(j, j) - A(j, k) A(j, k)^H`, the lower triangle, with `panel` for `A(j, k)`.
    pub(crate) fn syrk(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        (panel, tile): (Tile, Tile),
        priority: i32,
    ) {
        let (alpha, beta) = (-T::ONE, T::ONE);
        if let Some((height, packed)) = self.packed(place) {
            let syrk = SyrkPacked { n: panel.rows, k: panel.columns, height, alpha, beta };
            return flow.submit(syrk, &[(packed, R), (tile.handle, RW)], priority);
        }
        tasks::syrk(flow, Form::Hermitian, (alpha, beta), panel, tile, priority);
    }

    /// `A(i, j) = A(i, j) - A(i, k) A(j, k)^H`, with `left` for `A(i, k)` and `right` for
    /// `A(j, k)`, which a device may round to TF32 if that `rounds`.
    pub(crate) fn gemm(
        &self,
        flow: &mut Flow,
        [i, j, k]: [usize; 3],
        ([left, right], tile): ([Tile; 2], Tile),
        rounds: bool,
        priority: i32,
    ) {
        let (alpha, beta) = (-T::ONE, T::ONE);
        if let Some(((height, x), (_, y))) = self.packed((i, k)).zip(self.packed((j, k))) {
            let (m, n, k) = (left.rows, right.rows, left.columns);
            let gemm = GemmPacked { m, n, k, height, alpha, beta };
            return flow.submit(gemm, &[(x, R), (y, R), (tile.handle, RW)], priority);
        }
        let pair = (left, right.op(Trans::Conj));
        let (product, operands) = tasks::product((alpha, beta), pair, tile);
        if rounds {
            flow.submit(GemmTf32(product), &operands, priority);
        } else {
            flow.submit(product, &operands, priority);
        }
    }

    /// Gives the room back when everything submitted so far has run.
    pub(crate) fn retire(self, flow: &mut Flow) {
        self.packed.into_iter().for_each(|(_, ring)| ring.retire(flow));
    }
}
