//! Householder reflectors on views: made one by one, gathered into blocks, applied, multiplied out.
//!
//! Reflector `i` is `H(i) = I - tau(i) v v^H` with `v` zero above row `i` and one in it, as in
//! LAPACK; `k` of them are the block `H(1) ... H(k) = I - V T V^H` with `T` upper triangular
//! (Schreiber, Van Loan, "A storage-efficient WY representation for products of Householder
//! transformations", SIAM J. Sci. Stat. Comput. 10, 1989). `V` lies below the diagonal of a view,
//! whose upper triangle holds something else and is not read.

mod apply;
mod form;
mod gram;
mod panel;
mod plain;
mod reflector;
mod stacked;

pub(crate) use apply::{apply, apply_packed, room_to_apply};
pub(crate) use form::{form, room_to_form};
pub(crate) use gram::{room_for_triangle, triangle};
pub(crate) use panel::{factor, room_to_factor};
pub(crate) use plain::{factor_plainly, room_for_factors};
pub(crate) use reflector::reflector;
pub(crate) use stacked::{absorb, apply_stacked, room_for_stacked};

use std::cmp::Ordering;

use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// A packed block of reflectors, with the ones and zeros of its first rows: what many products
/// with it read.
#[derive(Clone, Copy, Debug)]
pub struct PackedReflectors<'a, T> {
    /// `V`, `m x k`.
    pub columns: PackedRef<'a, T>,
    /// `V^H`, `k x m`.
    pub rows: PackedRef<'a, T>,
}

/// A block of reflectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a, T> {
    /// `m x k`: the reflectors below the diagonal.
    pub(crate) v: TileRef<'a, T>,
    /// `k x k`: the triangle `T` on and above the diagonal.
    pub(crate) t: TileRef<'a, T>,
}

impl<T: Scalar> Block<'_, T> {
    /// Number of reflectors.
    fn count(&self) -> usize {
        self.v.cols()
    }
}

/// Where to cut `n` columns: near the middle, at a multiple of 24, which divides into the registers
/// of a product, where there are so many.
fn half(n: usize) -> usize {
    let unit = if n > 24 { 24 } else { 8 };
    (n / 2).next_multiple_of(unit).min(n - 1)
}

/// The first rows of reflectors `v`, as many as it has columns, with their ones and zeros.
fn copy_top<T: Scalar>(v: TileRef<'_, T>, top: &mut TileMut<'_, T>) {
    let k = v.cols();
    copy_rows(v.part(0, 0, k, k), 0, top);
}

/// Rows of reflectors, from row `first` of these on, with their ones and zeros.
fn copy_rows<T: Scalar>(v: TileRef<'_, T>, first: usize, to: &mut TileMut<'_, T>) {
    for j in 0..v.cols() {
        for i in 0..v.rows() {
            let entry = match (first + i).cmp(&j) {
                Ordering::Less => T::ZERO,
                Ordering::Equal => T::ONE,
                Ordering::Greater => v.at(i, j),
            };
            to.set(i, j, entry);
        }
    }
}
