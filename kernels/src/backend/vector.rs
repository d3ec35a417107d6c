//! Matrix times vector and triangular solves of one vector: each element of the matrix is read
//! once, so these run at the speed of memory.

use super::{Blas, check_product, check_triangle};
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Order of the diagonal blocks of [`trsv`].
const BLOCK: usize = 32;

/// Columns taken together, so that the vector is read and written less often.
const COLUMNS: usize = 8;

/// Partial sums of a dot product, so that it fills vector registers.
const LANES: usize = 32;

/// Always inlined, so that it is compiled for the processor set of whoever calls it.
#[inline(always)]
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
    if T::IS_COMPLEX && a.is_conjugated() {
        return add_entries(alpha, a, x, &mut y);
    }
    match (a.row_stride(), a.col_stride(), x.col(0), y.col_mut(0)) {
        (1, _, _, Some(y)) => add_columns(alpha, a, x, y),
        (_, 1, Some(x), _) => add_dots(alpha, a.transposed(), x, &mut y),
        _ => add_entries(alpha, a, x, &mut y),
    }
}

/// `y += alpha A x` by columns of `A`.
#[inline(always)]
fn add_columns<T: Scalar>(alpha: T, a: TileRef<'_, T>, x: TileRef<'_, T>, y: &mut [T]) {
    let rows = y.len();
    let column = |j: usize| &a.col(j).expect("rows of a column-major view are adjacent")[..rows];
    let whole = a.cols() - a.cols() % COLUMNS;
    for j in (0..whole).step_by(COLUMNS) {
        let factors: [T; COLUMNS] = std::array::from_fn(|d| alpha * x.at(j + d, 0));
        let columns: [&[T]; COLUMNS] = std::array::from_fn(|d| column(j + d));
        for (i, y) in y.iter_mut().enumerate() {
            let term = |d: usize| factors[d] * columns[d][i];
            *y += ((term(0) + term(1)) + (term(2) + term(3)))
                + ((term(4) + term(5)) + (term(6) + term(7)));
        }
    }
    for j in whole..a.cols() {
        let factor = alpha * x.at(j, 0);
        for (y, &a) in y.iter_mut().zip(a.col(j).expect("adjacent as above")) {
            *y += factor * a;
        }
    }
}

/// `y += alpha A' x` by columns of `A`.
#[inline(always)]
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
#[inline(always)]
fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
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

/// By diagonal blocks. A column-major triangle updates what is left by columns of blocks, a
/// row-major one what comes next by rows of blocks: either way memory is read in order.
pub(super) fn trsv<T: Scalar>(leaf: &dyn Blas<T>, t: Triangle<'_, T>, mut x: TileMut<'_, T>) {
    check_triangle(&t, &x);
    assert!(x.cols() == 1, "the vector has {} columns", x.cols());
    let n = t.order();
    let by_columns = t.entries.row_stride() == 1;
    for done in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - done);
        let left = n - done - size;
        let lower = t.uplo == Uplo::Lower;
        let first = if lower { done } else { left };
        let (before, rest) = x.reborrow().split_rows(first);
        let (mut mine, after) = rest.split_rows(size);
        let (solved, mut unsolved) = if lower { (before, after) } else { (after, before) };
        if !by_columns {
            let panel = t.entries.part(first, if lower { 0 } else { n - done }, size, done);
            leaf.gemv(-T::ONE, panel, solved.as_ref(), T::ONE, mine.reborrow());
        }
        substitute(t.block(first, size), mine.reborrow());
        if by_columns {
            let panel = t.entries.part(if lower { done + size } else { 0 }, first, left, size);
            leaf.gemv(-T::ONE, panel, mine.as_ref(), T::ONE, unsolved.reborrow());
        }
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
        x.set(
            i,
            0,
            if t.diag == Diag::Unit { right } else { right.divided_by(t.entries.at(i, i)) },
        );
    }
}
