//! The backend on the crate faer: pure Rust, every architecture that Rust knows.
#![allow(unsafe_code)]

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve as solve;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

use super::{Backend, Blas, check_product, check_triangle};
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::{Real, c32, c64};
use crate::tile::{TileMut, TileRef};

/// The backend on the crate faer.
#[derive(Debug)]
pub(super) struct Faer;

impl Backend for Faer {
    fn name(&self) -> &'static str {
        "faer"
    }

    fn description(&self) -> String {
        "faer 0.24, pure Rust".into()
    }

    fn single(&self) -> &dyn Blas<f32> {
        self
    }

    fn double(&self) -> &dyn Blas<f64> {
        self
    }

    fn complex_single(&self) -> &dyn Blas<c32> {
        self
    }

    fn complex_double(&self) -> &dyn Blas<c64> {
        self
    }
}

impl<T: Real + ComplexField> Blas<T> for Faer {
    fn gemm(&self, alpha: T, a: TileRef<'_, T>, b: TileRef<'_, T>, beta: T, mut c: TileMut<'_, T>) {
        check_product(a, b, &c);
        if a.cols() == 0 || alpha == T::ZERO {
            return c.scale(beta);
        }
        let accumulate = if beta == T::ZERO {
            Accum::Replace
        } else {
            c.scale(beta);
            Accum::Add
        };
        matmul(mutable(c), accumulate, shared(a), shared(b), alpha, Par::Seq);
    }

    fn trsm(&self, t: Triangle<'_, T>, alpha: T, mut b: TileMut<'_, T>) {
        check_triangle(&t, &b);
        b.scale(alpha);
        let (entries, b) = (shared(t.entries), mutable(b));
        match (t.uplo, t.diag) {
            (Uplo::Lower, Diag::NonUnit) => {
                solve::solve_lower_triangular_in_place(entries, b, Par::Seq);
            }
            (Uplo::Lower, Diag::Unit) => {
                solve::solve_unit_lower_triangular_in_place(entries, b, Par::Seq);
            }
            (Uplo::Upper, Diag::NonUnit) => {
                solve::solve_upper_triangular_in_place(entries, b, Par::Seq);
            }
            (Uplo::Upper, Diag::Unit) => {
                solve::solve_unit_upper_triangular_in_place(entries, b, Par::Seq);
            }
        }
    }

    fn leaf(&self) -> &dyn Blas<T> {
        self
    }
}

fn shared<T>(a: TileRef<'_, T>) -> MatRef<'_, T> {
    let (rows, cols) = (a.rows(), a.cols());
    let (row_stride, col_stride) = (a.row_stride().cast_signed(), a.col_stride().cast_signed());
    // SAFETY: the view promises that every element of the shape is readable while it lives.
    unsafe { MatRef::from_raw_parts(a.as_ptr(), rows, cols, row_stride, col_stride) }
}

fn mutable<T>(mut a: TileMut<'_, T>) -> MatMut<'_, T> {
    let (rows, cols) = (a.rows(), a.cols());
    let (row_stride, col_stride) = (a.row_stride().cast_signed(), a.col_stride().cast_signed());
    // SAFETY: the view promises that nobody else reaches its elements, and is consumed here.
    unsafe { MatMut::from_raw_parts_mut(a.as_mut_ptr(), rows, cols, row_stride, col_stride) }
}
