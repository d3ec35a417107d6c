//! The columns of a Cholesky factor as its updates read them: laid out in strips where the backend
//! reads those faster, else as the tiles they are.

use std::marker::PhantomData;

use tegula_data::matrix::TileMatrix;
use tegula_kernels::backend;
use tegula_kernels::kernel::gemm::{Gemm, GemmStrips};
use tegula_kernels::kernel::syrk::{Syrk, SyrkStrips};
use tegula_kernels::kernel::trsm::{Trsm, TrsmStrips};
use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::strips::StripShape;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

/// Tiles that [`potrf`](crate::potrf) keeps copies of, of a matrix with `nt` rows of tiles, where all
/// workers share one memory without limit.
///
/// As many columns as can be at work: two, and one more for every eight workers.
#[must_use]
pub fn copied_tiles(nt: usize, workers: usize) -> usize {
    nt * columns(nt, workers)
}

fn columns(nt: usize, workers: usize) -> usize {
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
    pub(crate) fn new(flow: &mut Flow, a: &TileMatrix<T>) -> Self {
        // Where copies have to be moved, they cost more than they spare.
        let height = T::blas(backend::current()).strip_height().filter(|_| flow.is_flat());
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
    pub(crate) fn column<'a>(&'a self, a: &'a TileMatrix<T>, k: usize) -> Column<'a, T> {
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
    a: &'a TileMatrix<T>,
    k: usize,
    copy: Option<Copy<'a>>,
}

struct Copy<'a> {
    height: usize,
    tiles: &'a [Handle],
}

impl<T: Scalar> Column<'_, T> {
    /// `A(i, k) = A(i, k) inv(L(k, k)')`.
    pub(crate) fn trsm(&self, flow: &mut Flow, i: usize, priority: i32) {
        let &Self { a, k, .. } = self;
        let (m, n) = (a.tile_rows(i), a.tile_rows(k));
        let (triangle, tile) = ((a.tile(k, k), R), (a.tile(i, k), RW));
        if let Some(Copy { height, tiles }) = self.copy {
            let trsm = TrsmStrips::<T> { m, n, ld: n, height, scalar: PhantomData };
            return flow.submit(trsm, &[triangle, tile, (tiles[i], W)], priority);
        }
        let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Conj);
        let trsm = Trsm { side, uplo, trans, diag: Diag::NonUnit, m, n, ld: n, alpha: T::ONE };
        flow.submit(trsm, &[triangle, tile], priority);
    }

    /// `A(j, j) = A(j, j) - A(j, k) A(j, k)'`, the lower triangle.
    pub(crate) fn syrk(&self, flow: &mut Flow, j: usize, priority: i32) {
        let &Self { a, k, .. } = self;
        let (n, k) = (a.tile_rows(j), a.tile_rows(k));
        let (alpha, beta, tile) = (-T::ONE, T::ONE, (a.tile(j, j), RW));
        if let Some(Copy { height, tiles }) = self.copy {
            let syrk = SyrkStrips { n, k, height, alpha, beta };
            return flow.submit(syrk, &[(tiles[j], R), tile], priority);
        }
        let (form, uplo, trans) = (Form::Hermitian, Uplo::Lower, Trans::No);
        let syrk = Syrk { form, uplo, trans, n, k, alpha, beta };
        flow.submit(syrk, &[(a.tile(j, self.k), R), tile], priority);
    }

    /// `A(i, j) = A(i, j) - A(i, k) A(j, k)'`.
    pub(crate) fn gemm(&self, flow: &mut Flow, (i, j): (usize, usize), priority: i32) {
        let &Self { a, k, .. } = self;
        let (m, n, k) = (a.tile_rows(i), a.tile_rows(j), a.tile_rows(k));
        let (alpha, beta, tile) = (-T::ONE, T::ONE, (a.tile(i, j), RW));
        if let Some(Copy { height, tiles }) = self.copy {
            let gemm = GemmStrips { m, n, k, height, alpha, beta };
            return flow.submit(gemm, &[(tiles[i], R), (tiles[j], R), tile], priority);
        }
        let (trans_a, trans_b) = (Trans::No, Trans::Conj);
        let gemm = Gemm { trans_a, trans_b, m, n, k, alpha, beta };
        flow.submit(gemm, &[(a.tile(i, self.k), R), (a.tile(j, self.k), R), tile], priority);
    }
}
