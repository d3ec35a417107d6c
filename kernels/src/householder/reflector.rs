//! One reflector, made as LAPACK's `larfg` makes it.

use crate::backend::Blas;
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};

/// Makes the reflector with `H^H (alpha; x) = (beta; 0)`, `beta` real: overwrites `x` by the part
/// of `v` below its one and returns `(beta, tau)`.
///
/// `tau` is zero, and `H` the identity, if `x` is zero and `alpha` real. Norms that are so small
/// that `1 / (alpha - beta)` could overflow are scaled up first, at most 20 times. NaN passes
/// through. `x` has one column of adjacent rows.
pub(crate) fn reflector<T: Scalar>(blas: &dyn Blas<T>, alpha: T, x: &mut TileMut<'_, T>) -> (T, T) {
    let zero = T::Real::ZERO;
    let mut norm = norm_of(blas, x.as_ref());
    if norm == zero && alpha.im() == zero {
        return (alpha, T::ZERO);
    }
    // Fortran's `safmin`: the smallest number with a reciprocal, over the unit roundoff.
    let two = T::Real::ONE + T::Real::ONE;
    let safe = two * T::Real::MIN_POSITIVE / T::Real::EPSILON;
    let (mut alpha, mut beta, mut scalings) = (alpha, pivot(alpha, norm), 0);
    while beta.abs() < safe && scalings < 20 {
        let up = T::Real::ONE / safe;
        x.apply(|x| x.times_real(up));
        alpha = alpha.times_real(up);
        norm = norm_of(blas, x.as_ref());
        beta = pivot(alpha, norm);
        scalings += 1;
    }
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    let factor = reciprocal(alpha - T::from_real(beta));
    x.apply(|x| x * factor);
    for _ in 0..scalings {
        beta *= safe;
    }
    (T::from_real(beta), tau)
}

/// `beta`: the norm of the whole vector, with the sign that avoids cancellation in `alpha - beta`.
fn pivot<T: Scalar>(alpha: T, norm: T::Real) -> T::Real {
    let length = alpha.abs().hypot(norm);
    if alpha.re() < T::Real::ZERO { length } else { -length }
}

/// `1 / z`, without overflow on the way.
fn reciprocal<T: Scalar>(z: T) -> T {
    if !T::IS_COMPLEX {
        return T::ONE / z;
    }
    let (re, im) = (z.re().abs(), z.im().abs());
    let down = T::Real::ONE / if re < im { im } else { re };
    let z = z.times_real(down);
    let square = z.abs_squared();
    z.conj().times_real(T::Real::ONE / square).times_real(down)
}

/// Euclidean norm of a vector, without overflow or underflow on the way.
fn norm_of<T: Scalar>(blas: &dyn Blas<T>, x: TileRef<'_, T>) -> T::Real {
    let square = sum_of_squares(blas, x);
    let epsilon = T::Real::EPSILON;
    // Squares that have underflowed are too small to count here.
    if square.is_finite() && square >= T::Real::MIN_POSITIVE / epsilon / epsilon {
        return square.sqrt();
    }
    let mut largest = T::Real::ZERO;
    for i in 0..x.rows() {
        for part in [x.at(i, 0).re().abs(), x.at(i, 0).im().abs()] {
            if part.is_nan() {
                return part;
            }
            if part > largest {
                largest = part;
            }
        }
    }
    if largest == T::Real::ZERO || !largest.is_finite() {
        return largest;
    }
    let scaled = |x: T| T::from_parts(x.re() / largest, x.im() / largest).abs_squared();
    largest * (0..x.rows()).map(|i| scaled(x.at(i, 0))).sum::<T::Real>().sqrt()
}

fn sum_of_squares<T: Scalar>(blas: &dyn Blas<T>, x: TileRef<'_, T>) -> T::Real {
    if T::IS_COMPLEX {
        let column = x.col(0).expect("adjacent rows");
        let mut partial = [T::Real::ZERO; 8];
        for eight in column.chunks(8) {
            for (sum, x) in partial.iter_mut().zip(eight) {
                *sum += x.abs_squared();
            }
        }
        return partial.into_iter().sum();
    }
    let mut sum = [T::ZERO];
    blas.gemv(T::ONE, x.transposed(), x, T::ZERO, TileMut::new(&mut sum, 1, 1));
    sum[0].re()
}
