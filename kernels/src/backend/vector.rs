//! Matrix times vector and triangular solves of one vector: each element of the matrix is read
//! once, so these run at the speed of memory.

use super::{Blas, check_product, check_triangle};
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Order of the diagonal blocks of [`trsv`].
const BLOCK: usize = 32;

/// Columns taken together, so that the vector is read and written less often.
const COLUMNS: usize = 4;

/// Partial sums of a dot product, so that it fills vector registers.
const LANES: usize = 16;

pub(super) fn gemv<T: Scalar>(
    alpha: T,
    a: TileRef<'_, T>,
    x: TileRef<'_, T>,
    beta: T,
    mut y: TileMut<'_, T>,
) {
    check_product(a, x, &y);
    assert!(x.cols() == 1, "the vector has {} columns", x.cols());
    y.scale(beta);
    if alpha == T::ZERO || a.cols() == 0 || a.rows() == 0 {
        return;
    }
    match (a.row_stride(), a.col_stride(), x.col(0), y.col_mut(0)) {
        (1, _, _, Some(y)) => add_columns(alpha, a, x, y),
        (_, 1, Some(x), _) => add_dots(alpha, a.transposed(), x, &mut y),
        _ => add_entries(alpha, a, x, &mut y),
    }
}

/// `y += alpha A x` by columns of `A`.
fn add_columns<T: Scalar>(alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, y: &mut [T]) {
    let column = |j: usize| a.col(j).expect("rows of a column-major view are adjacent");
    let whole = a.cols() - a.cols() % COLUMNS;
    for j in (0..whole).step_by(COLUMNS) {
        let f: [T; COLUMNS] = std::array::from_fn(|d| alpha * x.at(j + d, 0));
        let (c0, c1, c2, c3) = (column(j), column(j + 1), column(j + 2), column(j + 3));
        for ((((y, &a0), &a1), &a2), &a3) in y.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
            *y += (f[0] * a0 + f[1] * a1) + (f[2] * a2 + f[3] * a3);
        }
    }
    for j in whole..a.cols() {
        let factor = alpha * x.at(j, 0);
        for (y, &a) in y.iter_mut().zip(column(j)) {
            *y += factor * a;
        }
    }
}

/// `y += alpha A' x` by columns of `A`.
fn add_dots<T: Scalar>(alpha: T, a: TileRef<'_, T>, x: &[T], y: &mut TileMut<'_, T>) {
    for j in 0..a.cols() {
        let column = a.col(j).expect("rows of a column-major view are adjacent");
        y.set(j, 0, y.at(j, 0) + alpha * dot(column, x));
    }
}

fn add_entries<T: Scalar>(alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, y: &mut TileMut<'_, T>) {
    for i in 0..a.rows() {
        let sum: T = (0..a.cols()).map(|j| a.at(i, j) * x.at(j, 0)).sum();
        y.set(i, 0, y.at(i, 0) + alpha * sum);
    }
}

/// Sum of the products of two slices, shorter than a vector register or longer.
pub(crate) fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    assert!(x.len() == y.len(), "dot product of {} and {} elements", x.len(), y.len());
    let mut partial = [T::ZERO; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest: T = xs.remainder().iter().zip(ys.remainder()).map(|(&x, &y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for ((sum, &x), &y) in partial.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    partial.into_iter().sum::<T>() + rest
}

pub(super) fn trsv<T: Scalar>(leaf: &dyn Blas<T>, t: Triangle<'_, T>, mut x: TileMut<'_, T>) {
    check_triangle(&t, &x);
    assert!(x.cols() == 1, "the vector has {} columns", x.cols());
    let n = t.order();
    for done in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - done);
        let (first, known) = match t.uplo {
            Uplo::Lower => (done, 0),
            Uplo::Upper => (n - done - size, n - done),
        };
        let (before, rest) = x.reborrow().split_rows(first);
        let (mut mine, after) = rest.split_rows(size);
        let solved = match t.uplo {
            Uplo::Lower => before.as_ref(),
            Uplo::Upper => after.as_ref(),
        };
        let panel = t.entries.part(first, known, size, done);
        leaf.gemv(-T::ONE, panel, solved, T::ONE, mine.reborrow());
        substitute(t.block(first, size), mine);
    }
}

/// `x = inv(T) x` by rows of `T`.
fn substitute<T: Scalar>(t: Triangle<'_, T>, mut x: TileMut<'_, T>) {
    let n = t.order();
    for step in 0..n {
        let (i, known) = match t.uplo {
            Uplo::Lower => (step, 0..step),
            Uplo::Upper => (n - 1 - step, n - step..n),
        };
        let sum: T = known.map(|k| t.entries.at(i, k) * x.at(k, 0)).sum();
        let right = x.at(i, 0) - sum;
        x.set(i, 0, if t.diag == Diag::Unit { right } else { right / t.entries.at(i, i) });
    }
}
