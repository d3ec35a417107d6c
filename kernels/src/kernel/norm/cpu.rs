//! The shares, entry by entry in memory order.

use super::{Norm, NormFold, NormShare};
use crate::kernel::pack::Structure;
use crate::option::{Diag, Form, Uplo};
use crate::scalar::{Real, Scalar};
use crate::tile::TileRef;

/// The larger of two, or a NaN if there is one.
#[must_use]
pub fn larger<R: Real>(x: R, y: R) -> R {
    if x > y || !is_number(x) { x } else { y }
}

fn is_number<R: Real>(x: R) -> bool {
    x.partial_cmp(&x).is_some()
}

/// The Frobenius norm of a result `(s, q)`.
///
/// # Panics
/// If there are not two numbers.
#[must_use]
pub fn frobenius<R: Real>(result: &[R]) -> R {
    let &[scale, squares] = result else { panic!("{} numbers, not 2", result.len()) };
    if squares == R::ZERO { R::ZERO } else { scale * squares.sqrt() }
}

/// Adds `(s, q)` to the sum of squares `sum`.
fn add_squares<R: Real>(sum: &mut [R], (scale, squares): (R, R)) {
    let &mut [ref mut old_scale, ref mut old_squares] = sum else {
        panic!("a sum of squares is two numbers")
    };
    // Equal scales first: an infinite one has no ratio to itself.
    if *old_scale == scale {
        *old_squares += squares;
    } else if *old_scale > scale {
        let ratio = scale / *old_scale;
        *old_squares += squares * ratio * ratio;
    } else {
        let ratio = *old_scale / scale;
        *old_squares = squares + *old_squares * ratio * ratio;
        *old_scale = scale;
    }
}

impl<T: Scalar> NormShare<T> {
    /// Adds the share of `a` to `share`.
    ///
    /// # Panics
    /// If the shape is another or the share has another length.
    #[inline(never)]
    pub fn compute(&self, a: TileRef<'_, T>, share: &mut [T::Real]) {
        let (shape, mine) = ((a.rows(), a.cols()), (self.m, self.n));
        assert!(shape == mine, "norm of {mine:?} of a tile {shape:?}");
        let (length, needed) = (share.len(), self.norm.share(self.m, self.n));
        assert!(length == needed, "a share of {length} numbers, not {needed}");
        match self.norm {
            Norm::Max => self.visit(a, |_, _, x| share[0] = larger(share[0], x.abs())),
            Norm::One => self.visit(a, |_, j, x| share[j] += x.abs()),
            Norm::Infinity => self.visit(a, |i, _, x| share[i] += x.abs()),
            Norm::Frobenius => add_squares(share, self.squares(a)),
        }
    }

    /// The sum of squares, in units of the square of the largest part.
    fn squares(&self, a: TileRef<'_, T>) -> (T::Real, T::Real) {
        let zero = T::Real::ZERO;
        let mut largest = zero;
        self.visit(a, |_, _, x| largest = larger(largest, larger(x.re().abs(), x.im().abs())));
        if largest == zero {
            return (zero, zero);
        }
        if !largest.is_finite() {
            // Infinite, or NaN in the second number, where no comparison is made.
            let is_number = is_number(largest);
            return if is_number { (largest, T::Real::ONE) } else { (T::Real::ONE, largest) };
        }
        let scale = larger(largest, T::Real::MIN_POSITIVE);
        // In 64 bits, since in 32 the sum of many squares stops to grow.
        let (unit, mut sum) = (T::Real::ONE / scale, 0.0);
        self.visit(a, |_, _, x| sum += x.times_real(unit).abs_squared().to_f64());
        (scale, T::Real::of_f64(if self.twice { 2.0 * sum } else { sum }))
    }

    fn visit(&self, a: TileRef<'_, T>, see: impl FnMut(usize, usize, T)) {
        visit(self.structure, a, see);
    }
}

/// Shows every entry of the matrix that `a` stands for, with its place.
pub(in crate::kernel) fn visit<T: Scalar>(
    structure: Structure,
    a: TileRef<'_, T>,
    mut see: impl FnMut(usize, usize, T),
) {
    let m = a.rows();
    for j in 0..a.cols() {
        match structure {
            Structure::General => (0..m).for_each(|i| see(i, j, a.at(i, j))),
            Structure::Triangular(uplo, Diag::NonUnit) => {
                rows(uplo, m, j).for_each(|i| see(i, j, a.at(i, j)));
            }
            Structure::Triangular(uplo, Diag::Unit) => {
                let entry = |i| if i == j { T::ONE } else { a.at(i, j) };
                rows(uplo, m, j).for_each(|i| see(i, j, entry(i)));
            }
            Structure::Symmetric(form, uplo) => {
                for i in rows(uplo, m, j) {
                    if i != j {
                        let mirrored =
                            if form == Form::Hermitian { a.at(i, j).conj() } else { a.at(i, j) };
                        see(i, j, a.at(i, j));
                        see(j, i, mirrored);
                    } else if form == Form::Hermitian {
                        see(j, j, T::from_real(a.at(j, j).re()));
                    } else {
                        see(j, j, a.at(j, j));
                    }
                }
            }
        }
    }
}

/// The rows of column `j` that a triangle holds.
fn rows(uplo: Uplo, m: usize, j: usize) -> std::ops::Range<usize> {
    crate::option::Part::from(uplo).rows(m, j)
}

impl<T: Scalar> NormFold<T> {
    /// Folds `share` into `result`.
    ///
    /// # Panics
    /// If the lengths are others.
    #[inline(never)]
    pub fn compute(&self, share: &[T::Real], result: &mut [T::Real]) {
        assert!(share.len() == self.length, "{} numbers, not {}", share.len(), self.length);
        match (self.norm, share) {
            (Norm::Frobenius, &[scale, squares]) => add_squares(result, (scale, squares)),
            _ => share.iter().for_each(|&x| result[0] = larger(result[0], x)),
        }
    }
}
