//! The columns of a Cholesky factor as its updates read them: laid out in strips where the backend
//! reads those faster, else as the tiles they are.

use std::marker::PhantomData;

use tegula_kernels::kernel::gemm::GemmStrips;
use tegula_kernels::kernel::syrk::SyrkStrips;
use tegula_kernels::kernel::trsm::TrsmStrips;
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::strips::StripShape;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use crate::strips;
use crate::tasks::{self, Corner};
use crate::view::View;

/// Tiles that [`potrf`](crate::potrf) keeps copies of, of a matrix with `nt` rows of tiles, where all
/// workers share one memory without limit.
///
/// As many columns as can be at work: two, and one more for every eight workers.
#[must_use]
pub fn copied_tiles(nt: usize, workers: usize) -> usize {
    nt * columns(nt, workers)
}

pub(crate) fn columns(nt: usize, workers: usize) -> usize {
    (2 + workers / 8).min(nt.saturating_sub(1))
}

/// Copies in strips of some columns of the factor, of which each serves every `copies.len()`-th
/// column: the copy of a column is overwritten when the updates by that column have run.
pub(crate) struct Panels<T> {
    strips: Option<Strips>,
    scalar: PhantomData<T>,
}

struct Strips {
    height: usize,
    /// A handle for each row of tiles.
    copies: Vec<Vec<Handle>>,
}

impl<T: Scalar> Panels<T> {
    /// Room for some columns of the factor of `a`, if the backend wants them in strips.
    pub(crate) fn new(flow: &mut Flow, a: View<'_, T>) -> Self {
        // The solve that makes them knows tiles as they are stored.
        let height = strips::height::<T>(flow, a.nt()).filter(|_| !a.is_transposed());
        let strips = height.map(|height| {
            let columns = columns(a.nt(), flow.workers());
            let bytes = |i| {
                let shape = StripShape { rows: a.tile_rows(i), cols: a.nb(), height };
                shape.elements() * size_of::<T>()
            };
            let mut copy = || (0..a.nt()).map(|i| flow.register(bytes(i))).collect();
            Strips { height, copies: (0..columns).map(|_| copy()).collect() }
        });
        Self { strips, scalar: PhantomData }
    }

    /// Column `k` of the factor that overwrites `a`.
    pub(crate) fn column<'a>(&'a self, a: View<'a, T>, k: usize) -> Column<'a, T> {
        let strips = self.strips.as_ref().filter(|_| k + 1 < a.nt());
        let copy = strips.map(|Strips { height, copies }| Copy {
            height: *height,
            tiles: &copies[k % copies.len()],
        });
        Column { a, k, copy }
    }

    /// Gives the room back when everything submitted so far has run.
    pub(crate) fn retire(self, flow: &mut Flow) {
        let copies = self.strips.into_iter().flat_map(|strips| strips.copies);
        copies.flatten().for_each(|handle| flow.retire(handle));
    }
}

/// A column of the factor, and the tasks that make it and read it.
pub(crate) struct Column<'a, T> {
    a: View<'a, T>,
    k: usize,
    copy: Option<Copy<'a>>,
}

struct Copy<'a> {
    height: usize,
    tiles: &'a [Handle],
}

impl<T: Scalar> Column<'_, T> {
    /// `A(i, k) = A(i, k) inv(L(k, k)^H)`.
    pub(crate) fn trsm(&self, flow: &mut Flow, i: usize, priority: i32) {
        let &Self { a, k, .. } = self;
        let (triangle, tile) = (a.tile(k, k), a.tile(i, k));
        if let Some(Copy { height, tiles }) = self.copy {
            let (m, n) = (tile.rows, tile.columns);
            let trsm = TrsmStrips::<T> { m, n, ld: n, height, scalar: PhantomData };
            let accesses = [(triangle.handle, R), (tile.handle, RW), (tiles[i], W)];
            return flow.submit(trsm, &accesses, priority);
        }
        // From the left: conj(L(k, k)) X' = A(i, k)'.
        let (uplo, diag) = (Uplo::Lower, Diag::NonUnit);
        let corner = Corner { tile: triangle.conjugated(), uplo, diag };
        tasks::trsm(flow, corner, T::ONE, tile.transposed(), priority);
    }

    /// `A(j, j) = A(j, j) - A(j, k) A(j, k)^H`, the lower triangle.
    pub(crate) fn syrk(&self, flow: &mut Flow, j: usize, priority: i32) {
        let &Self { a, k, .. } = self;
        let (alpha, beta, panel, tile) = (-T::ONE, T::ONE, a.tile(j, k), a.tile(j, j));
        if let Some(Copy { height, tiles }) = self.copy {
            let syrk = SyrkStrips { n: panel.rows, k: panel.columns, height, alpha, beta };
            return flow.submit(syrk, &[(tiles[j], R), (tile.handle, RW)], priority);
        }
        tasks::syrk(flow, Form::Hermitian, (alpha, beta), panel, tile, priority);
    }

    /// `A(i, j) = A(i, j) - A(i, k) A(j, k)^H`.
    pub(crate) fn gemm(&self, flow: &mut Flow, (i, j): (usize, usize), priority: i32) {
        let &Self { a, k, .. } = self;
        let (left, right, tile) = (a.tile(i, k), a.tile(j, k), a.tile(i, j));
        let (alpha, beta) = (-T::ONE, T::ONE);
        if let Some(Copy { height, tiles }) = self.copy {
            let (m, n, k) = (left.rows, right.rows, left.columns);
            let gemm = GemmStrips { m, n, k, height, alpha, beta };
            let accesses = [(tiles[i], R), (tiles[j], R), (tile.handle, RW)];
            return flow.submit(gemm, &accesses, priority);
        }
        let pair = (left, right.op(Trans::Conj));
        tasks::gemm(flow, (alpha, beta), pair, tile, priority);
    }
}
