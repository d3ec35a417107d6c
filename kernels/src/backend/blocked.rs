//! Level-3 operations by recursion on halves, down to short loops: what a backend that offers
//! little more than a matrix product does for the rest.
//!
//! Recursive formulations as in Elmroth, Gustavson, Jonsson, Kågström, "Recursive blocked
//! algorithms and hybrid data structures for dense matrix library software", SIAM Review 46 (2004).

use super::{Blas, check_packed, check_packed_left, check_product, check_square, check_triangle};
use crate::error::NumericalError;
use crate::option::{Diag, Triangle, Uplo};
use crate::packed::PackedRef;
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};

/// Order under which the loops take over.
const LEAF: usize = 32;

/// The same for complex numbers, whose loops are slower beside products of real matrices.
const COMPLEX_LEAF: usize = 8;

/// Where to cut a matrix of `order` rows: a multiple of 8 near the middle.
pub(super) fn half(order: usize) -> usize {
    (order / 2).next_multiple_of(8).min(order - 1)
}

pub(super) fn gemmt<T: Scalar>(
    leaf: &dyn Blas<T>,
    alpha: T,
    a: TileRef<'_, T>,
    b: TileRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    check_product(a, b, &c);
    let n = check_square(&c);
    if n <= LEAF {
        let mut product = [T::ZERO; LEAF * LEAF];
        let mut product = TileMut::new(&mut product[..n * n], n, n);
        leaf.gemm(alpha, a, b, T::ZERO, product.reborrow());
        return accumulate_lower(product.as_ref(), beta, &mut c);
    }
    let (cut, k) = (half(n), a.cols());
    let (top, bottom) = (a.part(0, 0, cut, k), a.part(cut, 0, n - cut, k));
    let (left, right) = (b.part(0, 0, k, cut), b.part(0, cut, k, n - cut));
    let [(c11, _), (c21, c22)] = c.split(cut, cut);
    leaf.gemmt(alpha, top, left, beta, c11);
    leaf.gemm(alpha, bottom, left, beta, c21);
    leaf.gemmt(alpha, bottom, right, beta, c22);
}

pub(super) fn gemm_packed<T: Scalar>(
    leaf: &dyn Blas<T>,
    alpha: T,
    a: PackedRef<'_, T>,
    b: PackedRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    check_packed(&a, &b, &c);
    for j in 0..b.shape().micro_panels() {
        for i in 0..a.shape().micro_panels() {
            let (rows, cols) = (a.shape().rows_of(i), b.shape().rows_of(j));
            let part = c.reborrow().part(rows.start, cols.start, rows.len(), cols.len());
            leaf.gemm(alpha, a.micro_panel(i), b.micro_panel(j).transposed(), beta, part);
        }
    }
}

pub(super) fn gemm_packed_left<T: Scalar>(
    leaf: &dyn Blas<T>,
    alpha: T,
    a: PackedRef<'_, T>,
    b: TileRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    check_packed_left(&a, b, &c);
    for i in 0..a.shape().micro_panels() {
        let rows = a.shape().rows_of(i);
        let part = c.reborrow().part(rows.start, 0, rows.len(), b.cols());
        leaf.gemm(alpha, a.micro_panel(i), b, beta, part);
    }
}

pub(super) fn syrk_packed<T: Scalar>(
    leaf: &dyn Blas<T>,
    alpha: T,
    a: PackedRef<'_, T>,
    beta: T,
    c: TileMut<'_, T>,
) {
    check_packed(&a, &a, &c);
    let panels = a.shape().micro_panels();
    if panels == 0 {
        return;
    }
    if panels == 1 {
        return leaf.syrk(alpha, a.micro_panel(0), beta, c);
    }
    let (top, bottom) = a.split(panels / 2);
    let cut = top.shape().rows;
    let [(c11, _), (c21, c22)] = c.split(cut, cut);
    syrk_packed(leaf, alpha, top, beta, c11);
    leaf.gemm_packed(alpha, bottom, top, beta, c21);
    syrk_packed(leaf, alpha, bottom, beta, c22);
}

/// Lower triangle of `c = product + beta c`.
fn accumulate_lower<T: Scalar>(product: TileRef<'_, T>, beta: T, c: &mut TileMut<'_, T>) {
    for j in 0..product.cols() {
        for i in j..product.rows() {
            let old = if beta == T::ZERO { T::ZERO } else { beta * c.at(i, j) };
            c.set(i, j, product.at(i, j) + old);
        }
    }
}

pub(super) fn trsm<T: Scalar>(
    leaf: &dyn Blas<T>,
    t: Triangle<'_, T>,
    alpha: T,
    mut b: TileMut<'_, T>,
) {
    check_triangle(&t, &b);
    b.scale(alpha);
    let n = t.order();
    if n <= LEAF {
        return substitute(t, b);
    }
    let cut = half(n);
    let (t1, t2) = (t.block(0, cut), t.block(cut, n - cut));
    let (mut b1, mut b2) = b.split_rows(cut);
    match t.uplo {
        Uplo::Lower => {
            leaf.trsm(t1, T::ONE, b1.reborrow());
            let t21 = t.entries.part(cut, 0, n - cut, cut);
            leaf.gemm(-T::ONE, t21, b1.as_ref(), T::ONE, b2.reborrow());
            leaf.trsm(t2, T::ONE, b2);
        }
        Uplo::Upper => {
            leaf.trsm(t2, T::ONE, b2.reborrow());
            let t12 = t.entries.part(0, cut, cut, n - cut);
            leaf.gemm(-T::ONE, t12, b2.as_ref(), T::ONE, b1.reborrow());
            leaf.trsm(t1, T::ONE, b1);
        }
    }
}

/// `B = inv(T) B` by substitution: row operations when rows are adjacent in memory, else columns.
fn substitute<T: Scalar>(t: Triangle<'_, T>, mut b: TileMut<'_, T>) {
    let n = t.order();
    for step in 0..n {
        let (i, known) = match t.uplo {
            Uplo::Lower => (step, 0..step),
            Uplo::Upper => (n - 1 - step, n - step..n),
        };
        for k in known {
            add_row(&mut b, i, -t.at(i, k), k);
        }
        if t.diag == Diag::NonUnit {
            let pivot = t.at(i, i);
            for j in 0..b.cols() {
                b.set(i, j, b.at(i, j).divided_by(pivot));
            }
        }
    }
}

/// Row `target` of `b` += `factor` times row `source`.
fn add_row<T: Scalar>(b: &mut TileMut<'_, T>, target: usize, factor: T, source: usize) {
    for j in 0..b.cols() {
        b.set(target, j, b.at(target, j) + factor * b.at(source, j));
    }
}

pub(super) fn trmm<T: Scalar>(leaf: &dyn Blas<T>, t: Triangle<'_, T>, b: TileMut<'_, T>) {
    check_triangle(&t, &b);
    let n = t.order();
    if n <= LEAF {
        return multiply(leaf, t, b);
    }
    let cut = half(n);
    let (t1, t2) = (t.block(0, cut), t.block(cut, n - cut));
    let (mut b1, mut b2) = b.split_rows(cut);
    match t.uplo {
        Uplo::Lower => {
            leaf.trmm(t2, b2.reborrow());
            let t21 = t.entries.part(cut, 0, n - cut, cut);
            leaf.gemm(T::ONE, t21, b1.as_ref(), T::ONE, b2);
            leaf.trmm(t1, b1);
        }
        Uplo::Upper => {
            leaf.trmm(t1, b1.reborrow());
            let t12 = t.entries.part(0, cut, cut, n - cut);
            leaf.gemm(T::ONE, t12, b2.as_ref(), T::ONE, b1);
            leaf.trmm(t2, b2);
        }
    }
}

/// `B = T B` as a product with the completed triangle, some columns at a time through a copy.
fn multiply<T: Scalar>(leaf: &dyn Blas<T>, t: Triangle<'_, T>, b: TileMut<'_, T>) {
    let n = t.order();
    let (mut square, mut copy) = ([T::ZERO; LEAF * LEAF], [T::ZERO; LEAF * COPIED]);
    let square = completed(t, &mut square);
    let mut left = b;
    while left.cols() > 0 {
        let width = left.cols().min(COPIED);
        let (mut some, rest) = left.split_cols(width);
        let mut old = TileMut::new(&mut copy[..n * width], n, width);
        old.copy_from(some.as_ref());
        leaf.gemm(T::ONE, square, old.as_ref(), T::ZERO, some.reborrow());
        left = rest;
    }
}

/// Columns that [`multiply`] copies at a time.
const COPIED: usize = 64;

/// The matrix that a small triangle stands for, zeros and ones included, written into `room`.
fn completed<'a, T: Scalar>(t: Triangle<'_, T>, room: &'a mut [T]) -> TileRef<'a, T> {
    let n = t.order();
    let mut square = TileMut::new(&mut room[..n * n], n, n);
    for j in 0..n {
        (0..n).for_each(|i| square.set(i, j, t.at(i, j)));
    }
    TileRef::new(&room[..n * n], n, n)
}

pub(super) fn potrf<T: Scalar>(
    leaf: &dyn Blas<T>,
    a: TileMut<'_, T>,
) -> Result<(), NumericalError> {
    let n = check_square(&a);
    if n <= if T::IS_COMPLEX { COMPLEX_LEAF } else { LEAF } {
        return potrf_loops(a);
    }
    let cut = half(n);
    let [(mut a11, _), (mut a21, mut a22)] = a.split(cut, cut);
    leaf.potrf(a11.reborrow())?;
    let l11 = Triangle::new(a11.as_ref(), Uplo::Lower, Diag::NonUnit);
    leaf.trsm(l11.conjugated(), T::ONE, a21.reborrow().transposed());
    let l21 = a21.as_ref();
    leaf.gemmt(-T::ONE, l21, l21.adjoint(), T::ONE, a22.reborrow());
    leaf.potrf(a22).map_err(|e| e.shifted(cut))
}

/// Left-looking by columns.
fn potrf_loops<T: Scalar>(mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
    for j in 0..a.cols() {
        for k in 0..j {
            let factor = a.at(j, k).conj();
            for i in j..a.rows() {
                a.set(i, j, a.at(i, j) - factor * a.at(i, k));
            }
        }
        let pivot = a.at(j, j).re();
        if !(pivot > T::Real::ZERO && pivot.is_finite()) {
            return Err(NumericalError::NotPositiveDefinite { order: j + 1 });
        }
        let root = T::from_real(pivot.sqrt());
        a.set(j, j, root);
        for i in j + 1..a.rows() {
            a.set(i, j, a.at(i, j).divided_by(root));
        }
    }
    Ok(())
}

pub(super) fn getrf<T: Scalar>(
    leaf: &dyn Blas<T>,
    a: TileMut<'_, T>,
) -> Result<(), NumericalError> {
    let steps = a.rows().min(a.cols());
    if steps <= LEAF / 4 {
        return getrf_loops(a);
    }
    let cut = half(steps);
    let [(mut a11, mut a12), (mut a21, mut a22)] = a.split(cut, cut);
    getrf(leaf, a11.reborrow())?;
    let u11 = Triangle::new(a11.as_ref(), Uplo::Upper, Diag::NonUnit).transposed();
    leaf.trsm(u11, T::ONE, a21.reborrow().transposed());
    let l11 = Triangle::new(a11.as_ref(), Uplo::Lower, Diag::Unit);
    leaf.trsm(l11, T::ONE, a12.reborrow());
    leaf.gemm(-T::ONE, a21.as_ref(), a12.as_ref(), T::ONE, a22.reborrow());
    getrf(leaf, a22).map_err(|e| e.shifted(cut))
}

/// Right-looking by columns.
fn getrf_loops<T: Scalar>(mut a: TileMut<'_, T>) -> Result<(), NumericalError> {
    for k in 0..a.rows().min(a.cols()) {
        let pivot = a.at(k, k);
        if pivot == T::ZERO || !pivot.is_finite() {
            return Err(NumericalError::SingularPivot { index: k + 1 });
        }
        for i in k + 1..a.rows() {
            a.set(i, k, a.at(i, k).divided_by(pivot));
        }
        for j in k + 1..a.cols() {
            let factor = a.at(k, j);
            for i in k + 1..a.rows() {
                a.set(i, j, a.at(i, j) - a.at(i, k) * factor);
            }
        }
    }
    Ok(())
}

pub(super) fn trtri<T: Scalar>(
    leaf: &dyn Blas<T>,
    diag: Diag,
    a: TileMut<'_, T>,
) -> Result<(), NumericalError> {
    check_invertible(diag, &a)?;
    invert(leaf, diag, a);
    Ok(())
}

/// An error if a stored diagonal entry is zero.
pub(super) fn check_invertible<T: Scalar>(
    diag: Diag,
    a: &TileMut<'_, T>,
) -> Result<(), NumericalError> {
    let n = check_square(a);
    let zero = (0..n).find(|&i| diag == Diag::NonUnit && a.at(i, i) == T::ZERO);
    zero.map_or(Ok(()), |i| Err(NumericalError::SingularTriangle { index: i + 1 }))
}

/// `inv([A11 0; A21 A22]) = [inv(A11) 0; -inv(A22) A21 inv(A11) inv(A22)]`.
fn invert<T: Scalar>(leaf: &dyn Blas<T>, diag: Diag, a: TileMut<'_, T>) {
    let n = a.rows();
    if n <= LEAF / 2 {
        return invert_loops(diag, a);
    }
    let cut = half(n);
    let [(a11, _), (mut a21, a22)] = a.split(cut, cut);
    let t11 = Triangle::new(a11.as_ref(), Uplo::Lower, diag);
    let t22 = Triangle::new(a22.as_ref(), Uplo::Lower, diag);
    leaf.trsm(t22, -T::ONE, a21.reborrow());
    leaf.trsm(t11.transposed(), T::ONE, a21.transposed());
    invert(leaf, diag, a11);
    invert(leaf, diag, a22);
}

/// Column `j` of the inverse solves `L x = e_j`; columns from left to right.
fn invert_loops<T: Scalar>(diag: Diag, mut a: TileMut<'_, T>) {
    let n = a.rows();
    let pivot = |a: &TileMut<'_, T>, i: usize| match diag {
        Diag::NonUnit => a.at(i, i),
        Diag::Unit => T::ONE,
    };
    for j in 0..n {
        let first = T::ONE.divided_by(pivot(&a, j));
        for i in j + 1..n {
            let known: T = (j + 1..i).map(|k| a.at(i, k) * a.at(k, j)).sum();
            a.set(i, j, -(known + a.at(i, j) * first).divided_by(pivot(&a, i)));
        }
        if diag == Diag::NonUnit {
            a.set(j, j, first);
        }
    }
}

pub(super) fn lauum<T: Scalar>(leaf: &dyn Blas<T>, a: TileMut<'_, T>) {
    let n = check_square(&a);
    if n <= LEAF {
        let mut square = [T::ZERO; LEAF * LEAF];
        let l = completed(Triangle::new(a.as_ref(), Uplo::Lower, Diag::NonUnit), &mut square);
        return leaf.gemmt(T::ONE, l.adjoint(), l, T::ZERO, a);
    }
    let cut = half(n);
    let [(mut a11, _), (mut a21, a22)] = a.split(cut, cut);
    leaf.lauum(a11.reborrow());
    let l21 = a21.as_ref();
    leaf.gemmt(T::ONE, l21.adjoint(), l21, T::ONE, a11);
    let l22 = Triangle::new(a22.as_ref(), Uplo::Lower, Diag::NonUnit);
    leaf.trmm(l22.adjoint(), a21.reborrow());
    leaf.lauum(a22);
}
