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

/// Rows taken together.
const ROWS: usize = 8;

/// `y += A x` of the Hermitian matrix of whose lower triangle `a` holds the first columns, as far
/// as these and the rows above them go. Each entry is read once.
///
/// Always inlined, as [`gemv`].
#[inline(always)]
pub(super) fn hemv<T: Scalar>(a: TileRef<'_, T>, x: &[T], y: &mut [T]) {
    let (rows, columns) = (a.rows(), a.cols());
    assert!(
        rows >= columns && (x.len(), y.len()) == (rows, rows),
        "{rows} x {columns} times {}, to {}",
        x.len(),
        y.len()
    );
    let column = |j: usize| &a.col(j).expect("rows of a column-major view are adjacent")[..rows];
    let whole = columns - columns % COLUMNS;
    for first in (0..whole).step_by(COLUMNS) {
        for j in first..first + COLUMNS {
            corner(&column(j)[j..first + COLUMNS], &x[j..], &mut y[j..]);
        }
        let below = first + COLUMNS;
        let factors: [T; COLUMNS] = std::array::from_fn(|d| x[first + d]);
        let block: [&[T]; COLUMNS] = std::array::from_fn(|d| &column(first + d)[below..]);
        let sums = both_ways(factors, block, &x[below..], &mut y[below..]);
        y[first..below].iter_mut().zip(sums).for_each(|(y, sum)| *y += sum);
    }
    for j in whole..columns {
        corner(&column(j)[j..], &x[j..], &mut y[j..]);
    }
}

/// One column from the diagonal down.
#[inline(always)]
fn corner<T: Scalar>(column: &[T], x: &[T], y: &mut [T]) {
    let mut sum = T::from_real(column[0].re()) * x[0];
    for ((&a, &x_below), y) in column[1..].iter().zip(&x[1..]).zip(&mut y[1..]) {
        *y += a * x[0];
        sum += a.conj() * x_below;
    }
    y[0] += sum;
}

/// `y += A f`, and returns `A^H x`.
#[inline(always)]
fn both_ways<T: Scalar>(
    factors: [T; COLUMNS],
    block: [&[T]; COLUMNS],
    x: &[T],
    y: &mut [T],
) -> [T; COLUMNS] {
    let whole = y.len() / ROWS;
    let chunks: [&[[T; ROWS]]; COLUMNS] =
        std::array::from_fn(|d| &block[d].as_chunks::<ROWS>().0[..whole]);
    let mut sums = [[T::ZERO; ROWS]; COLUMNS];
    let x_chunks = &x.as_chunks::<ROWS>().0[..whole];
    let y_chunks = &mut y.as_chunks_mut::<ROWS>().0[..whole];
    for i in 0..whole {
        let (x, mut y) = (x_chunks[i], y_chunks[i]);
        for d in 0..COLUMNS {
            let a = chunks[d][i];
            for lane in 0..ROWS {
                y[lane] += a[lane] * factors[d];
                sums[d][lane] += a[lane].conj() * x[lane];
            }
        }
        y_chunks[i] = y;
    }
    std::array::from_fn(|d| {
        let mut sum: T = sums[d].into_iter().sum();
        for i in whole * ROWS..y.len() {
            y[i] += block[d][i] * factors[d];
            sum += block[d][i].conj() * x[i];
        }
        sum
    })
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
