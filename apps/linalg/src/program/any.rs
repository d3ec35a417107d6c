//! A tiled matrix whose precision is a value.

use std::any::Any;

use tegula_kernels::scalar::{Precision, Scalar, c32, c64};
use tegula_tiles::TileMatrix;

/// A tiled matrix in one of the precisions; [`with_matrix`](crate::with_matrix) calls a generic
/// function with it.
#[derive(Clone, Copy, Debug)]
pub enum AnyMatrix<'a> {
    /// In 32 bits, real.
    Single(&'a TileMatrix<f32>),
    /// In 64 bits, real.
    Double(&'a TileMatrix<f64>),
    /// In 32 bits, complex.
    ComplexSingle(&'a TileMatrix<c32>),
    /// In 64 bits, complex.
    ComplexDouble(&'a TileMatrix<c64>),
}

impl<'a> AnyMatrix<'a> {
    /// `matrix`, whatever its precision is.
    #[must_use]
    pub fn of<T: Scalar>(matrix: &'a TileMatrix<T>) -> Self {
        fn cast<T: Scalar>(matrix: &dyn Any) -> &TileMatrix<T> {
            matrix.downcast_ref().expect("a matrix of its precision")
        }
        match T::PRECISION {
            Precision::Single => Self::Single(cast(matrix)),
            Precision::Double => Self::Double(cast(matrix)),
            Precision::ComplexSingle => Self::ComplexSingle(cast(matrix)),
            Precision::ComplexDouble => Self::ComplexDouble(cast(matrix)),
        }
    }
}

/// Evaluates an expression in which a name stands for the `TileMatrix` of an
/// [`AnyMatrix`](crate::program::AnyMatrix): `with_matrix!(any, |matrix| matrix.m())`.
#[macro_export]
macro_rules! with_matrix {
    ($any:expr, |$matrix:ident| $value:expr) => {
        match $any {
            $crate::program::AnyMatrix::Single($matrix) => $value,
            $crate::program::AnyMatrix::Double($matrix) => $value,
            $crate::program::AnyMatrix::ComplexSingle($matrix) => $value,
            $crate::program::AnyMatrix::ComplexDouble($matrix) => $value,
        }
    };
}
