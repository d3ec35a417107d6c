//! LU factorization with partial pivoting of a tall panel, by recursion on its columns.
//!
//! Source: Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J.
//! Matrix Anal. Appl. 18 (1997); the choice of pivots is that of LAPACK.

use super::Blas;
use super::blocked::half;
use super::fetch;
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;
use crate::workspace::with_room;

/// Columns under which the loops take over.
const NARROW: usize = 8;

/// Partial maxima, so that the search for a pivot fills vector registers.
const LANES: usize = 16;

/// See [`Blas::getrf_pivoting`].
pub(super) fn getrf<T: Scalar>(
    leaf: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    pivots: &mut [u32],
) -> Option<usize> {
    let steps = a.rows().min(a.cols());
    assert!(pivots.len() == steps, "{} pivots for {steps} steps", pivots.len());
    if steps <= NARROW {
        return leaf.getrf_columns(a, pivots);
    }
    let cut = half(steps);
    let (first, last) = pivots.split_at_mut(cut);
    let (mut left, mut right) = a.reborrow().split_cols(cut);
    let singular = getrf(leaf, left.reborrow(), first);
    exchange_rows(&mut right, 0, first);
    let (mut top, mut bottom) = right.split_rows(cut);
    let l = left.as_ref();
    let l11 = Triangle::new(l.part(0, 0, cut, cut), Uplo::Lower, Diag::Unit);
    leaf.trsm(l11, T::ONE, top.reborrow());
    let l21 = l.part(cut, 0, l.rows() - cut, cut);
    leaf.gemm(-T::ONE, l21, top.as_ref(), T::ONE, bottom.reborrow());
    let later = getrf(leaf, bottom, last).map(|step| cut + step);
    let mut under = left.split_rows(cut).1;
    exchange_rows(&mut under, 0, last);
    last.iter_mut().for_each(|pivot| *pivot += cut as u32);
    singular.or(later)
}

/// Exchanges row `first + i` and row `pivots[i]`, one `i` after the other, of a matrix whose rows
/// are adjacent in memory.
pub(crate) fn exchange_rows<T: Scalar>(a: &mut TileMut<'_, T>, first: usize, pivots: &[u32]) {
    exchange(a, pivots.iter().enumerate().map(|(i, &pivot)| (first + i, pivot as usize)));
}

/// Undoes [`exchange_rows`].
pub(crate) fn restore_rows<T: Scalar>(a: &mut TileMut<'_, T>, first: usize, pivots: &[u32]) {
    exchange(a, pivots.iter().enumerate().map(|(i, &pivot)| (first + i, pivot as usize)).rev());
}

/// Exchanges the rows of one pair after the other, in a few columns at a time, which stay in the
/// first caches; what the next columns will be asked for comes meanwhile. Where pairs are many, all
/// at once.
fn exchange<T: Scalar>(
    a: &mut TileMut<'_, T>,
    pairs: impl ExactSizeIterator<Item = (usize, usize)> + Clone,
) {
    /// Rows from which on the order of all is worth finding out.
    const MANY: usize = 64;
    /// Columns at a time: so many accesses are under way together.
    const TOGETHER: usize = 4;
    let rows = a.rows();
    if rows >= MANY && 2 * pairs.len() > rows {
        return permute(a, pairs);
    }
    let mut columns: Vec<&mut [T]> = a.reborrow().into_cols().expect("rows are adjacent").collect();
    let mut rest = columns.as_mut_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at_mut(TOGETHER.min(rest.len()));
        let next = &later[..TOGETHER.min(later.len())];
        for (i, pivot) in pairs.clone() {
            next.iter().for_each(|column| fetch::near(&raw const column[pivot]));
            now.iter_mut().for_each(|column| column.swap(i, pivot));
        }
        rest = later;
    }
}

/// As [`exchange`]: each column is read in the order that all exchanges together leave it in.
fn permute<T: Scalar>(a: &mut TileMut<'_, T>, pairs: impl Iterator<Item = (usize, usize)>) {
    let mut sources: Vec<u32> = (0..a.rows() as u32).collect();
    pairs.for_each(|(i, pivot)| sources.swap(i, pivot));
    let still = sources.iter().zip(0..).take_while(|&(&source, row)| source == row).count();
    let sources = &sources[still..];
    with_room(a.rows(), |before: &mut [T]| {
        for j in 0..a.cols() {
            let column = &mut a.col_mut(j).expect("rows are adjacent")[still..];
            before[still..].copy_from_slice(column);
            for (entry, &source) in column.iter_mut().zip(sources) {
                *entry = before[source as usize];
            }
        }
    });
}

/// See [`Blas::getrf_columns`]. Always inlined, so that it is compiled for the processor set of
/// whoever calls it.
#[inline(always)]
pub(super) fn columns<T: Scalar>(mut a: TileMut<'_, T>, pivots: &mut [u32]) -> Option<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    assert!(a.row_stride() == 1 || rows <= 1, "the rows of a panel are not adjacent");
    let mut singular = None;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let column = &a.col_mut(k).expect("rows are adjacent")[k..];
        let place = k + largest(column);
        *pivot = place as u32;
        let value = a.at(place, k);
        if value == T::ZERO {
            singular = singular.or(Some(k));
            continue;
        }
        for j in 0..cols {
            a.col_mut(j).expect("rows are adjacent").swap(k, place);
        }
        let (mut left, mut right) = a.reborrow().split_cols(k + 1);
        let multipliers = &mut left.col_mut(k).expect("rows are adjacent")[k + 1..];
        divide(multipliers, value);
        for j in 0..right.cols() {
            let column = right.col_mut(j).expect("rows are adjacent");
            let factor = column[k];
            for (entry, &multiplier) in column[k + 1..rows].iter_mut().zip(&*multipliers) {
                *entry -= multiplier * factor;
            }
        }
    }
    singular
}

/// Divides by `value`: by a product with the reciprocal, unless that overflows.
#[inline(always)]
fn divide<T: Scalar>(numbers: &mut [T], value: T) {
    if value.abs1() >= T::Real::MIN_POSITIVE {
        let reciprocal = T::ONE.divided_by(value);
        numbers.iter_mut().for_each(|number| *number *= reciprocal);
    } else {
        numbers.iter_mut().for_each(|number| *number = number.divided_by(value));
    }
}

/// Place of the first number whose absolute value is largest, NaN left out; 0 if all are NaN.
#[inline(always)]
fn largest<T: Scalar>(numbers: &[T]) -> usize {
    let mut partial = [T::Real::ZERO; LANES];
    let chunks = numbers.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (most, &number) in partial.iter_mut().zip(chunk) {
            let size = number.abs1();
            *most = if size > *most { size } else { *most };
        }
    }
    for (most, &number) in partial.iter_mut().zip(rest) {
        let size = number.abs1();
        *most = if size > *most { size } else { *most };
    }
    let most = partial.into_iter().fold(T::Real::ZERO, |most, x| if x > most { x } else { most });
    numbers.iter().position(|number| number.abs1() == most).unwrap_or(0)
}
