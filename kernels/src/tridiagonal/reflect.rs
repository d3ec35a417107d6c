//! One reflector at a time on blocks of a band: made, and applied from either side.

use crate::backend::Blas;
use crate::householder::reflector;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Makes the reflector that takes out a column below its first entry; returns its factor.
pub(crate) fn make<T: Scalar>(blas: &dyn Blas<T>, column: TileMut<'_, T>, v: &mut [T]) -> T {
    let (mut top, mut below) = column.split_rows(1);
    let (beta, tau) = reflector(blas, top.at(0, 0), &mut below);
    top.set(0, 0, beta);
    v[0] = T::ONE;
    for (i, v) in v[1..].iter_mut().enumerate() {
        *v = below.at(i, 0);
    }
    below.apply(|_| T::ZERO);
    tau
}

/// `A = A (I - tau v v^H)`.
pub(crate) fn from_the_right<T: Scalar>(
    blas: &dyn Blas<T>,
    a: &mut TileMut<'_, T>,
    v: &[T],
    tau: T,
    product: &mut [T],
) {
    if tau == T::ZERO {
        return;
    }
    let (rows, columns) = (a.rows(), a.cols());
    let target = TileMut::new(product, rows, 1);
    blas.gemv(T::ONE, a.as_ref(), TileRef::new(v, columns, 1), T::ZERO, target);
    for (j, &v) in v.iter().enumerate() {
        add(column_mut(a, j), -tau * v.conj(), product);
    }
}

/// `A = (I - tau v v^H) A`.
pub(crate) fn from_the_left<T: Scalar>(mut a: TileMut<'_, T>, v: &[T], tau: T) {
    if tau == T::ZERO {
        return;
    }
    for j in 0..a.cols() {
        let column = column_mut(&mut a, j);
        let sum = dot(v, column);
        add(column, -tau * sum, v);
    }
}

pub(crate) fn column<'a, T: Scalar>(a: TileRef<'a, T>, j: usize) -> &'a [T] {
    a.col(j).expect("columns of a band are adjacent")
}

pub(crate) fn column_mut<'a, T: Scalar>(a: &'a mut TileMut<'_, T>, j: usize) -> &'a mut [T] {
    a.col_mut(j).expect("columns of a band are adjacent")
}

/// `y = y + factor x`.
pub(crate) fn add<T: Scalar>(y: &mut [T], factor: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// Partial sums, so that they are made side by side.
const LANES: usize = 16;

/// `x^H y`.
pub(crate) fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    let mut sums = [T::ZERO; LANES];
    let ((x, x_end), (y, y_end)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x.conj() * y;
        }
    }
    let end: T = x_end.iter().zip(y_end).map(|(&x, &y)| x.conj() * y).sum();
    sums.into_iter().sum::<T>() + end
}
