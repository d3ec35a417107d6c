//! What the references of kernels on reflectors share: the obvious loops.

use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Entry `i` of reflector `j`, of those in columns below the diagonal of `v`.
pub(super) fn entry<T: Scalar>(v: TileRef<'_, T>, i: usize, j: usize) -> T {
    match i.cmp(&j) {
        std::cmp::Ordering::Less => T::ZERO,
        std::cmp::Ordering::Equal => T::ONE,
        std::cmp::Ordering::Greater => v.at(i, j),
    }
}

/// `C = (I - tau v v^H) C`.
pub(super) fn reflect<T: Scalar>(v: &[T], tau: T, c: &mut TileMut<'_, T>) {
    for j in 0..c.cols() {
        let sum: T = v.iter().enumerate().map(|(i, v)| v.conj() * c.at(i, j)).sum();
        for (i, &v) in v.iter().enumerate() {
            c.set(i, j, c.at(i, j) - tau * v * sum);
        }
    }
}

/// `C = H(1) ... H(k) C`, or the product with its conjugate transpose.
pub(super) fn reflect_all<T: Scalar>(
    v: TileRef<'_, T>,
    tau: &[T],
    is_adjoint: bool,
    c: &mut TileMut<'_, T>,
) {
    for step in 0..tau.len() {
        let j = if is_adjoint { step } else { tau.len() - 1 - step };
        let column: Vec<T> = (0..v.rows()).map(|i| entry(v, i, j)).collect();
        reflect(&column, if is_adjoint { tau[j].conj() } else { tau[j] }, c);
    }
}
