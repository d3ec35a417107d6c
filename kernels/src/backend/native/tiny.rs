//! The Cholesky factorization of matrices that are smaller than a micro-panel of the packed one.

use super::direct::{Product, multiply_body};
use super::lanes::Edge;
use super::micro_kernels::MicroKernels;
use super::pack::with_workspace;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileMut;

/// Largest order of a tiny matrix.
pub(super) const ORDER: usize = 32;

/// Columns that are brought up to date together.
const WIDTH: usize = 4;

/// Lower triangle of `A`, of at most [`ORDER`] rows, becomes `L` with `L L' = A`: in a copy without
/// gaps.
///
/// # Safety
/// The processor has the set of `K`.
pub(super) unsafe fn factor<T: Real, K: MicroKernels<T>>(
    mut a: TileMut<'_, T>,
) -> Result<(), NumericalError> {
    let n = a.rows();
    with_workspace([n * n, 0], |[room, _]: [*mut T; 2]| {
        for j in 0..n {
            // SAFETY: the room holds the matrix.
            let column = unsafe { std::slice::from_raw_parts_mut(room.add(j * n), n) };
            match a.col_mut(j) {
                Some(from) => column[j..].copy_from_slice(&from[j..]),
                None => (j..n).for_each(|i| column[i] = a.at(i, j)),
            }
        }
        // SAFETY: as above.
        let outcome = unsafe { K::factor_tiny(n, room) };
        for j in 0..n {
            // SAFETY: as above.
            let column = unsafe { std::slice::from_raw_parts(room.add(j * n), n) };
            match a.col_mut(j) {
                Some(to) => to[j..].copy_from_slice(&column[j..]),
                None => (j..n).for_each(|i| a.set(i, j, column[i])),
            }
        }
        outcome.map_err(|failed| NumericalError::NotPositiveDefinite { order: failed + 1 })
    })
}

/// The factorization of the `n x n` matrix at `a`, left-looking by blocks of columns. What is above
/// the diagonal becomes arbitrary. The error is the failed row.
///
/// # Safety
/// The processor has the set of `S`, and `a` holds the matrix.
#[inline(always)]
pub(super) unsafe fn factor_body<T: Real, S: Edge<T>>(n: usize, a: *mut T) -> Result<(), usize> {
    for j in (0..n).step_by(WIDTH) {
        // SAFETY: rows and columns from `j` on are inside the matrix, and other than those before.
        unsafe {
            let (rows, first) = (a.add(j), a.add(j + j * n));
            let update = Product::less_adjoint(n - j, WIDTH.min(n - j), j, rows, first, n);
            multiply_body::<T, S>(&update);
        }
        for c in j..n.min(j + WIDTH) {
            // SAFETY: column `c` from its diagonal on.
            unsafe {
                let column = a.add(c + c * n);
                let pivot = *column;
                if !(pivot > T::ZERO && pivot.is_finite()) {
                    return Err(c);
                }
                let root = pivot.sqrt();
                *column = root;
                scale::<T, S>(n - c - 1, T::ONE / root, column.add(1));
                for d in c + 1..n.min(j + WIDTH) {
                    let part = column.add(d - c).cast_const();
                    subtract::<T, S>(n - d, *part, part, a.add(d + d * n));
                }
            }
        }
    }
    Ok(())
}

/// `x = factor x`.
#[inline(always)]
unsafe fn scale<T: Real, S: Edge<T>>(length: usize, factor: T, x: *mut T) {
    // SAFETY: the caller passes so many numbers.
    unsafe {
        let factor = S::splat(factor);
        let whole = length / S::LANES * S::LANES;
        for i in (0..whole).step_by(S::LANES) {
            S::store(x.add(i), S::mul(factor, S::load(x.add(i))));
        }
        if whole < length {
            let (x, mask) = (x.add(whole), S::first(length - whole));
            S::store_first(x, mask, S::mul(factor, S::load_first(x, mask)));
        }
    }
}

/// `y = y - factor x`.
#[inline(always)]
unsafe fn subtract<T: Real, S: Edge<T>>(length: usize, factor: T, x: *const T, y: *mut T) {
    // SAFETY: the caller passes so many numbers.
    unsafe {
        let factor = S::splat(factor);
        let whole = length / S::LANES * S::LANES;
        for i in (0..whole).step_by(S::LANES) {
            let (x, y) = (S::load(x.add(i)), y.add(i));
            S::store(y, S::sub_product(x, factor, S::load(y)));
        }
        if whole < length {
            let (y, mask) = (y.add(whole), S::first(length - whole));
            let x = S::load_first(x.add(whole), mask);
            S::store_first(y, mask, S::sub_product(x, factor, S::load_first(y, mask)));
        }
    }
}
