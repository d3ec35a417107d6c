//! Complex arithmetic on top of a real product: whoever multiplies real matrices multiplies
//! complex ones as fast.
//!
//! A column-major complex matrix is a real one of twice as many rows. With each entry `a` of the
//! left factor written as `[re a, -im a; im a, re a]`, a complex product is one real product of as
//! many operations: the "1m method" of Van Zee, "Implementing high-performance complex matrix
//! multiplication via the 1m method", SIAM J. Sci. Comput. 42 (2020), at the level of blocks.

use num_complex::Complex;

use super::{Blas, blocked, check_product, check_triangle, vector};
use crate::option::{Diag, Triangle};
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

/// Most rows of a block of the left factor, and most columns; largest order of a triangle.
const BLOCK: usize = 128;

impl<R, B> Blas<Complex<R>> for B
where
    R: Real,
    Complex<R>: Scalar<Real = R>,
    B: Blas<R>,
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
            add_product(self, alpha, a, b, c);
        } else {
            add_product(self, alpha, b.transposed(), a.transposed(), c.transposed());
        }
    }

    fn trsm(&self, t: Triangle<'_, Complex<R>>, alpha: Complex<R>, b: TileMut<'_, Complex<R>>) {
        check_triangle(&t, &b);
        if t.order() > BLOCK {
            return blocked::trsm::<Complex<R>>(self, t, alpha, b);
        }
        solve(self, t, alpha, b);
    }

    fn gemv(
        &self,
        alpha: Complex<R>,
        a: TileRef<'_, Complex<R>>,
        x: TileRef<'_, Complex<R>>,
        beta: Complex<R>,
        mut y: TileMut<'_, Complex<R>>,
    ) {
        check_product(a, x, &y);
        assert!(x.cols() == 1, "the vector has {} columns", x.cols());
        let plain = if a.is_conjugated() { a.conjugated() } else { a };
        let (columns, rows) = (plain.parts(), plain.transposed().parts());
        if a.rows() * a.cols() < FEW || columns.or(rows).is_none() {
            return vector::gemv(alpha, a, x, beta, y);
        }
        y.scale(beta);
        if alpha == <Complex<R> as Scalar>::ZERO || a.cols() == 0 || a.rows() == 0 {
            return;
        }
        // A conjugate matrix by the conjugate vector, and the conjugate of that.
        let turn = |entry| if a.is_conjugated() { Scalar::conj(entry) } else { entry };
        let x = if a.is_conjugated() { x.conjugated() } else { x };
        let add = |i, entry| y.set(i, 0, y.at(i, 0) + alpha * turn(entry));
        match (columns, rows) {
            (Some(parts), _) => by_columns(self, parts, x, add),
            (None, parts) => by_rows(self, parts.expect("one or the other"), x, add),
        }
    }

    fn leaf(&self) -> &dyn Blas<Complex<R>> {
        self
    }
}

/// Entries of a matrix up to which two real products take as long as a complex one.
const FEW: usize = 1024;

/// Most numbers of a part of a matrix that is taken twice, so that it is found in the cache again.
const AT_ONCE: usize = 8192;

/// First columns and numbers of columns of the parts of `parts` to take at once.
fn column_blocks<R>(parts: TileRef<'_, R>) -> impl Iterator<Item = (usize, usize)> + use<R> {
    let (rows, cols) = (parts.rows(), parts.cols());
    let width = (AT_ONCE / rows).max(8);
    (0..cols).step_by(width).map(move |first| (first, width.min(cols - first)))
}

/// Gives the entries of `A x` to `add`, where `parts` holds those of `A`: its products with the
/// real and the imaginary parts of `x`, `u` and `v`, are `u + i v`.
fn by_columns<R: Real>(
    real: &dyn Blas<R>,
    parts: TileRef<'_, R>,
    x: TileRef<'_, Complex<R>>,
    mut add: impl FnMut(usize, Complex<R>),
) where
    Complex<R>: Scalar<Real = R>,
{
    let (rows, cols) = (parts.rows(), parts.cols());
    with_room(2 * (rows + cols), |room| {
        let (factors, sums) = room.split_at_mut(2 * cols);
        for j in 0..cols {
            (factors[j], factors[cols + j]) = (x.at(j, 0).re, x.at(j, 0).im);
        }
        sums.fill(R::ZERO);
        for (first, width) in column_blocks(parts) {
            let block = parts.part(0, first, rows, width);
            for (factors, sums) in factors.chunks_exact(cols).zip(sums.chunks_exact_mut(rows)) {
                let factors = TileRef::new(&factors[first..first + width], width, 1);
                real.gemv(R::ONE, block, factors, R::ONE, TileMut::new(sums, rows, 1));
            }
        }
        let (u, v) = sums.split_at(rows);
        for (i, (u, v)) in u.chunks_exact(2).zip(v.chunks_exact(2)).enumerate() {
            add(i, Complex::new(u[0] - v[1], u[1] + v[0]));
        }
    });
}

/// Gives the entries of `A^T x` to `add`, where `parts` holds those of `A`: a column of parts times
/// those of the conjugate of `x` is the real part, and times those of `i` times it the imaginary
/// one.
fn by_rows<R: Real>(
    real: &dyn Blas<R>,
    parts: TileRef<'_, R>,
    x: TileRef<'_, Complex<R>>,
    mut add: impl FnMut(usize, Complex<R>),
) where
    Complex<R>: Scalar<Real = R>,
{
    let (rows, cols) = (parts.rows(), parts.cols());
    with_room(2 * (rows + cols), |room| {
        let (factors, sums) = room.split_at_mut(2 * rows);
        for i in 0..rows / 2 {
            let entry = x.at(i, 0);
            factors[2 * i..2 * i + 2].copy_from_slice(&[entry.re, -entry.im]);
            factors[rows + 2 * i..rows + 2 * i + 2].copy_from_slice(&[entry.im, entry.re]);
        }
        sums.fill(R::ZERO);
        for (first, width) in column_blocks(parts) {
            let block = parts.part(0, first, rows, width).transposed();
            for (factors, sums) in factors.chunks_exact(rows).zip(sums.chunks_exact_mut(cols)) {
                let sums = TileMut::new(&mut sums[first..first + width], width, 1);
                real.gemv(R::ONE, block, TileRef::new(factors, rows, 1), R::ONE, sums);
            }
        }
        (0..cols).for_each(|j| add(j, Complex::new(sums[j], sums[cols + j])));
    });
}

/// `C += alpha A B`, where the rows of `C` are adjacent in memory.
fn add_product<R: Real>(
    real: &dyn Blas<R>,
    alpha: Complex<R>,
    a: TileRef<'_, Complex<R>>,
    b: TileRef<'_, Complex<R>>,
    mut c: TileMut<'_, Complex<R>>,
) where
    Complex<R>: Scalar<Real = R>,
{
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    // A real factor goes with the product.
    let (outer, inner) = if alpha.im == R::ZERO { (alpha.re, None) } else { (R::ONE, Some(alpha)) };
    let left = 4 * m.min(BLOCK) * k.min(BLOCK);
    let copied = if b.parts().is_some() { 0 } else { 2 * k.min(BLOCK) * n };
    with_room(left + copied, |room| {
        let (left, right) = room.split_at_mut(left);
        for p in (0..k).step_by(BLOCK) {
            let depth = BLOCK.min(k - p);
            let rows = b.part(p, 0, depth, n);
            let rows = rows.parts().unwrap_or_else(|| stacked(rows, right));
            for i in (0..m).step_by(BLOCK) {
                let height = BLOCK.min(m - i);
                let expanded = expand(inner, a.part(i, p, height, depth), left);
                let target = c.reborrow().part(i, 0, height, n).parts().expect("rows are adjacent");
                real.gemm(outer, expanded, rows, R::ONE, target);
            }
        }
    });
}

/// `B = alpha inv(T) B` as a real solve: with its rows divided by its diagonal, `T` is the real
/// triangle of the matrices that multiply by its entries, those on the diagonal identities.
fn solve<R: Real>(
    real: &dyn Blas<R>,
    t: Triangle<'_, Complex<R>>,
    alpha: Complex<R>,
    mut b: TileMut<'_, Complex<R>>,
) where
    Complex<R>: Scalar<Real = R>,
{
    let (n, columns) = (t.order(), b.cols());
    for j in 0..columns {
        for i in 0..n {
            let entry = alpha * b.at(i, j);
            b.set(i, j, if t.diag == Diag::Unit { entry } else { entry.divided_by(t.at(i, i)) });
        }
    }
    let adjacent = b.reborrow().parts().is_some();
    let copied = if adjacent { 0 } else { 2 * n * columns };
    with_room(4 * n * n + copied, |room| {
        let (left, right) = room.split_at_mut(4 * n * n);
        let mut entries = TileMut::new(left, 2 * n, 2 * n);
        for j in 0..n {
            for i in (0..n).filter(|&i| i != j && t.uplo.holds(i, j)) {
                let entry = t.entries.at(i, j);
                let entry = if t.diag == Diag::Unit { entry } else { entry.divided_by(t.at(i, i)) };
                put(&mut entries, (i, j), entry);
            }
            put(&mut entries, (j, j), Scalar::ONE);
        }
        let unit = Triangle::new(entries.as_ref(), t.uplo, Diag::Unit);
        if let Some(parts) = b.reborrow().parts() {
            return real.trsm(unit, R::ONE, parts);
        }
        stacked(b.as_ref(), right);
        let mut parts = TileMut::new(right, 2 * n, columns);
        real.trsm(unit, R::ONE, parts.reborrow());
        for j in 0..columns {
            (0..n).for_each(|i| {
                b.set(i, j, Complex::new(parts.at(2 * i, j), parts.at(2 * i + 1, j)))
            });
        }
    });
}

/// Sets the real matrix that multiplies by `entry`.
fn put<R: Real>(room: &mut TileMut<'_, R>, (i, j): (usize, usize), entry: Complex<R>) {
    let (i, j) = (2 * i, 2 * j);
    room.set(i, j, entry.re);
    room.set(i + 1, j, entry.im);
    room.set(i, j + 1, -entry.im);
    room.set(i + 1, j + 1, entry.re);
}

/// `b` as the real matrix of its parts below each other.
fn stacked<'a, R: Real>(b: TileRef<'_, Complex<R>>, room: &'a mut [R]) -> TileRef<'a, R>
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
    alpha: Option<Complex<R>>,
    a: TileRef<'_, Complex<R>>,
    room: &'a mut [R],
) -> TileRef<'a, R>
where
    Complex<R>: Scalar<Real = R>,
{
    let (rows, cols) = (2 * a.rows(), 2 * a.cols());
    for (p, pair) in room[..rows * cols].chunks_exact_mut((2 * rows).max(1)).enumerate() {
        match (a.col(p), alpha) {
            (Some(column), None) => expand_column(column.iter().copied(), pair),
            (None, None) => expand_column((0..a.rows()).map(|i| a.at(i, p)), pair),
            (_, Some(alpha)) => expand_column((0..a.rows()).map(|i| alpha * a.at(i, p)), pair),
        }
    }
    TileRef::new(&room[..rows * cols], rows, cols)
}

/// Two real columns of one complex one.
fn expand_column<R: Real>(entries: impl Iterator<Item = Complex<R>>, pair: &mut [R]) {
    let (first, second) = pair.split_at_mut(pair.len() / 2);
    let targets = first.chunks_exact_mut(2).zip(second.chunks_exact_mut(2));
    for ((first, second), entry) in targets.zip(entries) {
        first.copy_from_slice(&[entry.re, entry.im]);
        second.copy_from_slice(&[-entry.im, entry.re]);
    }
}
