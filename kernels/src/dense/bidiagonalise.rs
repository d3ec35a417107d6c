//! A small matrix brought to upper bidiagonal form, `A = Q B P'`: half of the flops in products
//! with vectors and half in products of matrices.
//!
//! Golub, Kahan, "Calculating the singular values and pseudo-inverse of a matrix", SIAM J. Numer.
//! Anal. 2 (1965); Dongarra, Hammarling, Sorensen, "Block reduction of matrices to condensed forms
//! for eigenvalue computations", J. Comput. Appl. Math. 27 (1989), as LAPACK's `labrd` and `gebrd`:
//! in a panel the reflectors `V` and `U` and the products `Y` and `X` are gathered by which what is
//! left becomes `A - V Y' - X U'`.

use super::Matrix;
use crate::backend::Blas;
use crate::householder::reflector;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Columns between two updates of what is left.
const COLUMNS: usize = 32;

/// A bidiagonal matrix and the factors of the reflectors that lead to it.
pub(super) struct Bidiagonal<R> {
    pub(super) diagonal: Vec<R>,
    pub(super) above: Vec<R>,
    /// Of the reflectors of `Q`, which are below the diagonal.
    pub(super) left: Vec<R>,
    /// Of those of `P`, which are right of the entries above the diagonal.
    pub(super) right: Vec<R>,
}

/// Reduces `a` (`m x n`, `m >= n`), which reflectors overwrite.
pub(super) fn bidiagonalise<R: Real>(blas: &dyn Blas<R>, a: &mut Matrix<R>) -> Bidiagonal<R> {
    let (m, n) = (a.rows(), a.cols());
    let [mut diagonal, mut left] = [(); 2].map(|()| Vec::with_capacity(n));
    let [mut above, mut right] = [(); 2].map(|()| Vec::with_capacity(n));
    for first in (0..n).step_by(COLUMNS) {
        let (rows, columns) = (m - first, n - first);
        let width = COLUMNS.min(columns);
        let mut panel = Panel {
            blas,
            a: a.view_mut().part(first, first, rows, columns),
            x: Matrix::zeros(rows, width),
            y: Matrix::zeros(columns, width),
        };
        for c in 0..width {
            let (entry, tau) = panel.column(c);
            diagonal.push(entry);
            left.push(tau);
            if c + 1 < columns {
                let (entry, tau) = panel.row(c, tau);
                above.push(entry);
                right.push(tau);
            }
        }
        panel.update();
    }
    Bidiagonal { diagonal, above, left, right }
}

/// A panel: the first columns and rows of what is left of the matrix.
struct Panel<'a, R: Real> {
    blas: &'a dyn Blas<R>,
    a: TileMut<'a, R>,
    x: Matrix<R>,
    y: Matrix<R>,
}

impl<R: Real> Panel<'_, R> {
    /// Brings column `c` up to date and makes its reflector, whose one is written; the diagonal
    /// entry and the reflector's factor.
    fn column(&mut self, c: usize) -> (R, R) {
        let rows = self.a.rows() - c;
        let of_v = of_row(self.y.view(), c, c);
        let of_x: Vec<R> = (0..c).map(|i| self.a.at(i, c)).collect();
        let (done, rest) = self.a.reborrow().split_cols(c);
        let mut target = rest.part(c, 0, rows, 1);
        for (left, factors) in [(done.as_ref(), of_v), (self.x.view(), of_x)] {
            let left = left.part(c, 0, rows, c);
            self.blas.gemv(-R::ONE, left, column(&factors), R::ONE, target.reborrow());
        }
        let (mut top, mut below) = target.split_rows(1);
        let (beta, tau) = reflector(self.blas, top.at(0, 0), &mut below);
        top.set(0, 0, R::ONE);
        (beta, tau)
    }

    /// Makes column `c` of `Y` from the reflector of column `c`, whose factor is `tau`, then brings
    /// row `c` up to date and makes its reflector and column `c` of `X`; the entry above the
    /// diagonal, and that reflector's factor.
    fn row(&mut self, c: usize, tau: R) -> (R, R) {
        let (blas, a) = (self.blas, self.a.as_ref());
        let (rows, columns) = (a.rows() - c, a.cols() - c - 1);
        // Y = tau (A' v - Y V' v - U X' v).
        let v = a.part(c, c, rows, 1);
        let product = |left: TileRef<'_, R>, x: TileRef<'_, R>| {
            let mut y = vec![R::ZERO; left.rows()];
            let target = TileMut::new(&mut y, left.rows(), 1);
            blas.gemv(R::ONE, left, x, R::ZERO, target);
            y
        };
        let less = |left: TileRef<'_, R>, x: &[R], y: &mut [R]| {
            let target = TileMut::new(y, left.rows(), 1);
            blas.gemv(-R::ONE, left, column(x), R::ONE, target);
        };
        let mut y = product(a.part(c, c + 1, rows, columns).transposed(), v);
        let along = product(a.part(c, 0, rows, c).transposed(), v);
        less(self.y.view().part(c + 1, 0, columns, c), &along, &mut y);
        let along = product(self.x.view().part(c, 0, rows, c).transposed(), v);
        let above = a.part(0, c + 1, c, columns);
        less(above.transposed(), &along, &mut y);
        y.iter_mut().for_each(|y| *y *= tau);
        self.y.view_mut().part(c + 1, c, columns, 1).copy_from(column(&y));
        // The row less V Y' and X U'.
        let mut row: Vec<R> = (0..columns).map(|j| a.at(c, c + 1 + j)).collect();
        less(self.y.view().part(c + 1, 0, columns, c + 1), &of_row(a, c, c + 1), &mut row);
        less(above.transposed(), &of_row(self.x.view(), c, c), &mut row);
        let (alpha, below) = row.split_first_mut().expect("there is a column");
        let mut below = TileMut::new(below, columns - 1, 1);
        let (beta, tau) = reflector(blas, *alpha, &mut below);
        *alpha = R::ONE;
        // X = tau (A u - V Y' u - X U' u), of the rows below.
        let (down, u) = (rows - 1, column(&row));
        let mut x = product(a.part(c + 1, c + 1, down, columns), u);
        let along = product(self.y.view().part(c + 1, 0, columns, c + 1).transposed(), u);
        less(a.part(c + 1, 0, down, c + 1), &along, &mut x);
        let along = product(above, u);
        less(self.x.view().part(c + 1, 0, down, c), &along, &mut x);
        x.iter_mut().for_each(|x| *x *= tau);
        self.x.view_mut().part(c + 1, c, down, 1).copy_from(column(&x));
        self.a.reborrow().part(c, c + 1, 1, columns).copy_from(u.transposed());
        (beta, tau)
    }

    /// What is left of the matrix, less `V Y'` and `X U'`.
    fn update(self) {
        let Self { blas, a, x, y } = self;
        let (rows, columns, width) = (a.rows(), a.cols(), x.cols());
        let [(_, above), (left, rest)] = a.split(width, width);
        let (down, right) = (rows - width, columns - width);
        let mut rest = rest;
        let y = y.view().part(width, 0, right, width).transposed();
        blas.gemm(-R::ONE, left.as_ref(), y, R::ONE, rest.reborrow());
        let x = x.view().part(width, 0, down, width);
        blas.gemm(-R::ONE, x, above.as_ref(), R::ONE, rest);
    }
}

/// The first entries of row `i`.
fn of_row<R: Real>(a: TileRef<'_, R>, i: usize, count: usize) -> Vec<R> {
    (0..count).map(|j| a.at(i, j)).collect()
}

/// Numbers as a matrix of one column.
fn column<R: Real>(x: &[R]) -> TileRef<'_, R> {
    TileRef::new(x, x.len(), 1)
}
