//! The steps of a panel: a column brought up to date and its reflector, the product of what is left
//! of the matrix with this, and what the panel does to the matrix in the end.

use super::{PARTS, Shares};
use crate::backend::Blas;
use crate::householder::reflector;
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::reflect::{add, dot};
use crate::workspace::{carve, with_room};

/// A panel: the columns of the matrix from `first` on, `width` of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) n: usize,
    pub(super) first: usize,
    pub(super) width: usize,
}

/// `V` and `W` of a panel beside each other, `n x 2 width`, and its scalars: diagonal entries,
/// entries below them, and factors of reflectors.
pub(super) struct Panel<'a, T> {
    pub(super) span: Span,
    pub(super) vw: TileMut<'a, T>,
    pub(super) scalars: &'a mut [T],
}

impl<T: Scalar> Panel<'_, T> {
    /// Column `c` of `W`, of the products that were shared out: `y = A v`, `V^H v` and `W^H v`.
    pub(super) fn complete(&mut self, blas: &dyn Blas<T>, c: usize, shares: &[&[T]]) {
        let Span { n, first, width } = self.span;
        let (from, tau) = (first + c + 1, self.scalars[2 * width + c]);
        let sum = |i: usize| -> T { shares.iter().map(|share| share[i]).sum() };
        let coefficients: Vec<T> = (n..n + 2 * width).map(|i| -sum(i)).collect();
        let of_v = TileRef::new(&coefficients[width..][..c], c, 1);
        let of_w = TileRef::new(&coefficients[..c], c, 1);
        let rows = n - from;
        let (left, right) = self.vw.reborrow().split_cols(width + c);
        let left = left.as_ref();
        let (v, w) = (left.part(from, 0, rows, c), left.part(from, width, rows, c));
        let mut y = right.part(from, 0, rows, 1);
        for (i, y) in y.col_mut(0).expect("adjacent rows").iter_mut().enumerate() {
            *y = sum(from + i);
        }
        blas.gemv(T::ONE, v, of_v, T::ONE, y.reborrow());
        blas.gemv(T::ONE, w, of_w, T::ONE, y.reborrow());
        let (v, y) = (left.col(c).expect("adjacent rows"), y.col_mut(0).expect("adjacent rows"));
        y.iter_mut().for_each(|y| *y *= tau);
        let factor = (tau * dot(y, &v[from..])).times_real(T::Real::of_f64(-0.5));
        add(y, factor, &v[from..]);
    }

    /// Column `c` of the panel, which is `a` from the diagonal on as it was before the panel:
    /// brought up to date, and its reflector made.
    pub(super) fn reflect(&mut self, blas: &dyn Blas<T>, c: usize, a: &[T]) {
        let Span { n, first, width } = self.span;
        let (j, rows) = (first + c, a.len());
        let (left, right) = self.vw.reborrow().split_cols(c);
        let row = |x: TileRef<'_, T>| -> Vec<T> { (0..c).map(|l| x.at(j, l).conj()).collect() };
        let (mut column, others) = right.split_cols(1);
        let (v, w) = (left.as_ref(), others.as_ref().part(0, width - c - 1, n, c));
        let (of_w, of_v) = (row(v), row(w));
        let mut target = column.reborrow().part(j, 0, rows, 1);
        target.col_mut(0).expect("adjacent rows").copy_from_slice(a);
        for (x, factors) in [(v, of_v), (w, of_w)] {
            let factors = TileRef::new(&factors, c, 1);
            blas.gemv(-T::ONE, x.part(j, 0, rows, c), factors, T::ONE, target.reborrow());
        }
        self.scalars[c] = T::from_real(target.at(0, 0).re());
        if rows == 1 {
            return;
        }
        let (mut top, mut below) = target.split_rows(2);
        let (beta, tau) = reflector(blas, top.at(1, 0), &mut below);
        top.set(1, 0, T::ONE);
        (self.scalars[width + c], self.scalars[2 * width + c]) = (beta, tau);
    }
}

/// One share of the products with reflector `c` of the panel `vw`: of `y = A v` what comes of its
/// block columns, and of `V^H v` and `W^H v` what comes of a range of rows.
pub(super) fn multiply<T: Scalar>(
    blas: &dyn Blas<T>,
    (shares, part, share): (Shares, usize, &[T]),
    (Span { n, first, width }, c): (Span, usize),
    vw: TileRef<'_, T>,
    to: &mut [T],
) {
    let from = first + c + 1;
    let v = vw.col(c).expect("adjacent rows");
    let (y, coefficients) = to.split_at_mut(n);
    y[from..].fill(T::ZERO);
    for block in shares.of(part).filter(|block| block.first + block.columns > from) {
        let done = block.done(from);
        let (rows, columns) = (block.rows - done, block.columns - done);
        let begin = block.first + done;
        let a = block.read(share).part(done, done, rows, columns);
        blas.hemv(a, &v[begin..], &mut y[begin..]);
    }
    let rows = n - from;
    let (begin, end) = (from + part * rows / PARTS, from + (part + 1) * rows / PARTS);
    let conjugated: Vec<T> = v[begin..end].iter().map(|v| v.conj()).collect();
    let mine = TileRef::new(&conjugated, end - begin, 1);
    for (column, to) in [(0, 0), (width, width)] {
        let left = vw.part(begin, column, end - begin, c).transposed();
        let mut target = TileMut::new(&mut coefficients[to..][..c], c, 1);
        blas.gemv(T::ONE, left, mine, T::ZERO, target.reborrow());
        target.apply(T::conj);
    }
}

/// `A = A - V W^H - W V^H` of one share, with a panel of which all is full.
pub(super) fn update<T: Scalar>(
    blas: &dyn Blas<T>,
    (shares, part, share): (Shares, usize, &mut [T]),
    Span { n, first, width }: Span,
    vw: TileRef<'_, T>,
) {
    let from = first + width;
    with_room(shares.width * 2 * width, |room| {
        for block in shares.of(part).filter(|block| block.first + block.columns > from) {
            let done = block.done(from);
            let (rows, columns) = (block.rows - done, block.columns - done);
            let begin = block.first + done;
            let mut room = &mut *room;
            let mut right = carve(&mut room, columns, 2 * width);
            let beside = vw.part(begin, 0, columns, 2 * width);
            let (mut of_v, mut of_w) = right.reborrow().split_cols(width);
            of_v.copy_from(beside.part(0, width, columns, width));
            of_w.copy_from(beside.part(0, 0, columns, width));
            let a = block.write(share).part(done, done, rows, columns);
            let left = vw.part(begin, 0, n - begin, 2 * width);
            blas.gemm(-T::ONE, left, right.as_ref().adjoint(), T::ONE, a);
        }
    });
}
