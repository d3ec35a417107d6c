//! Complex arithmetic on top of a real product: whoever multiplies real matrices multiplies
//! complex ones as fast.
//!
//! A column-major complex matrix is a real one of twice as many rows. With each entry `a` of the
//! left factor written as `[re a, -im a; im a, re a]`, a complex product is one real product of as
//! many operations: the "1m method" of Van Zee, "Implementing high-performance complex matrix
//! multiplication via the 1m method", SIAM J. Sci. Comput. 42 (2020), at the level of blocks.

use std::cell::RefCell;

use num_complex::Complex;

use super::{Blas, check_product};
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};

/// Most rows of a block of the left factor, and most columns.
const BLOCK: usize = 128;

impl<R, B> Blas<Complex<R>> for B
where
    R: Real,
    Complex<R>: Scalar<Real = R>,
    B: Blas<R> + Rooms<R>,
{
    fn gemm(
        &self,
        alpha: Complex<R>,
        a: TileRef<'_, Complex<R>>,
        b: TileRef<'_, Complex<R>>,
        beta: Complex<R>,
        mut c: TileMut<'_, Complex<R>>,
    ) {
        check_product(a, b, &c);
        c.scale(beta);
        if alpha == <Complex<R> as Scalar>::ZERO || a.cols() == 0 || c.rows() == 0 || c.cols() == 0
        {
            return;
        }
        if c.row_stride() == 1 || c.rows() == 1 && c.col_stride() > 1 {
            B::with_room(|room| add_product(self, room, alpha, a, b, c));
        } else {
            let (a, b, c) = (b.transposed(), a.transposed(), c.transposed());
            B::with_room(|room| add_product(self, room, alpha, a, b, c));
        }
    }

    fn leaf(&self) -> &dyn Blas<Complex<R>> {
        self
    }
}

/// Where the factors of a product are laid out, kept by each thread.
pub(super) trait Rooms<R> {
    /// Lends the calling thread's room.
    fn with_room(work: impl FnOnce(&mut Vec<R>));
}

thread_local! {
    static SINGLE: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
    static DOUBLE: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl<B: Blas<f32>> Rooms<f32> for B {
    fn with_room(work: impl FnOnce(&mut Vec<f32>)) {
        SINGLE.with_borrow_mut(work);
    }
}

impl<B: Blas<f64>> Rooms<f64> for B {
    fn with_room(work: impl FnOnce(&mut Vec<f64>)) {
        DOUBLE.with_borrow_mut(work);
    }
}

/// `C += alpha A B`, where the rows of `C` are adjacent in memory.
fn add_product<R: Real>(
    real: &dyn Blas<R>,
    room: &mut Vec<R>,
    alpha: Complex<R>,
    a: TileRef<'_, Complex<R>>,
    b: TileRef<'_, Complex<R>>,
    mut c: TileMut<'_, Complex<R>>,
) where
    Complex<R>: Scalar<Real = R>,
{
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    let left = 4 * m.min(BLOCK) * k.min(BLOCK);
    let copied = if b.parts().is_some() { 0 } else { 2 * k.min(BLOCK) * n };
    if room.len() < left + copied {
        room.resize(left + copied, R::ZERO);
    }
    let (left, right) = room.split_at_mut(left);
    for p in (0..k).step_by(BLOCK) {
        let depth = BLOCK.min(k - p);
        let rows = b.part(p, 0, depth, n);
        let rows = rows.parts().unwrap_or_else(|| lay_out(rows, right));
        for i in (0..m).step_by(BLOCK) {
            let height = BLOCK.min(m - i);
            let expanded = expand(alpha, a.part(i, p, height, depth), left);
            let target = c.reborrow().part(i, 0, height, n).parts().expect("rows are adjacent");
            real.gemm(R::ONE, expanded, rows, R::ONE, target);
        }
    }
}

/// `b` as the real matrix of its parts below each other.
fn lay_out<'a, R: Real>(b: TileRef<'_, Complex<R>>, room: &'a mut [R]) -> TileRef<'a, R>
where
    Complex<R>: Scalar<Real = R>,
{
    let (rows, cols) = (2 * b.rows(), b.cols());
    for (j, column) in room[..rows * cols].chunks_exact_mut(rows.max(1)).enumerate() {
        for (i, parts) in column.chunks_exact_mut(2).enumerate() {
            let entry = b.at(i, j);
            parts.copy_from_slice(&[entry.re, entry.im]);
        }
    }
    TileRef::new(&room[..rows * cols], rows, cols)
}

/// `alpha a` with each entry as the real matrix that multiplies by it.
fn expand<'a, R: Real>(
    alpha: Complex<R>,
    a: TileRef<'_, Complex<R>>,
    room: &'a mut [R],
) -> TileRef<'a, R>
where
    Complex<R>: Scalar<Real = R>,
{
    let (rows, cols) = (2 * a.rows(), 2 * a.cols());
    for (p, pair) in room[..rows * cols].chunks_exact_mut((2 * rows).max(1)).enumerate() {
        let (first, second) = pair.split_at_mut(rows);
        let targets = first.chunks_exact_mut(2).zip(second.chunks_exact_mut(2));
        for (i, (first, second)) in targets.enumerate() {
            let entry = alpha * a.at(i, p);
            first.copy_from_slice(&[entry.re, entry.im]);
            second.copy_from_slice(&[-entry.im, entry.re]);
        }
    }
    TileRef::new(&room[..rows * cols], rows, cols)
}
