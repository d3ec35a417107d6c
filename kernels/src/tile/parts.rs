//! Complex matrices as real ones of twice as many rows, in the same memory.
//! Complex matrices as real ones of twice as many rows.

use std::marker::PhantomData;

use num_complex::Complex;

use super::{TileMut, TileRef};
use crate::scalar::{Real, Scalar};

impl<'a, R: Real> TileRef<'a, Complex<R>>
where
    Complex<R>: Scalar<Real = R>,
{
    /// The real matrix of `2 rows x cols` in the same memory: the parts of each entry below each
    /// other. `None` if the rows are not adjacent, or the entries are to be conjugated.
    #[must_use]
    pub fn parts(self) -> Option<TileRef<'a, R>> {
        if self.row_stride != 1 && self.rows > 1 || self.conjugated {
            return None;
        }
        let (pointer, rows) = (self.pointer.cast::<R>(), 2 * self.rows);
        // SAFETY: a complex number is its real part and then its imaginary one.
        Some(unsafe { TileRef::from_raw(pointer, rows, self.cols, 1, 2 * self.col_stride) })
    }
}

impl<'a, R: Real> TileMut<'a, Complex<R>>
where
    Complex<R>: Scalar<Real = R>,
{
    /// The real matrix of `2 rows x cols` in the same memory, as [`TileRef::parts`]; `None` if the
    /// rows are not adjacent.
    #[must_use]
    pub fn parts(self) -> Option<TileMut<'a, R>> {
        if self.row_stride != 1 && self.rows > 1 {
            return None;
        }
        Some(TileMut {
            pointer: self.pointer.cast::<R>(),
            rows: 2 * self.rows,
            cols: self.cols,
            row_stride: 1,
            col_stride: 2 * self.col_stride,
            lifetime: PhantomData,
        })
    }
}
