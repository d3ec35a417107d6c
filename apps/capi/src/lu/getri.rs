//! `xGETRI`: the inverse from the factors of a general matrix.

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;

use crate::array::{Array, Matrix};
use crate::blas3::triangular::solve;
use crate::check::{Checked, Integer};
use crate::export::export;
use crate::qr::is_query;
use crate::run::info;
use crate::triangular::trtri;

export! {
    "`inv(A)` in place of the factors of `A` that `xGETRF` has left."
    getri(n: Int, a: Array, lda: Int, ipiv: InputInts, work: Array, lwork: Int) info
        as sgetri_: f32, dgetri_: f64, cgetri_: c32, zgetri_: c64;
}

fn getri<T: Scalar>(
    n: i32,
    a: Array<T>,
    lda: i32,
    ipiv: Array<i32>,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    let n = n.size(1)?;
    let ld = lda.leading(3, n)?;
    if is_query(6, work, lwork, n)? || n == 0 {
        return Ok(0);
    }
    // Of U' in place of U, since the lower triangle is what is inverted.
    let outcome = trtri::invert(Diag::NonUnit, a.lower(Uplo::Upper, n, ld));
    if outcome.is_ok() {
        let room = if n == 1 { Vec::new() } else { take_lower(a, n, ld) };
        divide(&room, a.matrix(n, n, ld));
        for j in (0..n).rev() {
            exchange_columns(a, (n, ld), j, ipiv.get(j).cast_unsigned() as usize - 1);
        }
    }
    Ok(info(outcome))
}

/// The matrix below the diagonal, which becomes zero.
fn take_lower<T: Scalar>(a: Array<T>, n: usize, ld: usize) -> Vec<T> {
    let mut lower = vec![T::ZERO; n * n];
    for (j, column) in lower.chunks_exact_mut(n).enumerate() {
        let below = a.after(j * ld + j + 1).slice(n - j - 1);
        column[j + 1..].copy_from_slice(below);
        below.fill(T::ZERO);
    }
    lower
}

/// `X = X inv(L)`, of the unit lower triangle `L` in `lower`.
fn divide<T: Scalar>(lower: &[T], x: Matrix<T>) {
    if lower.is_empty() {
        return;
    }
    let (side, uplo, trans, diag) = (Side::Right, Uplo::Lower, Trans::No, Diag::Unit);
    let l = Matrix::of(lower, x.rows);
    solve(Triangle { side, uplo, trans, diag }, T::ONE, l, x);
}

/// Columns `j` and `other` change places.
fn exchange_columns<T: Scalar>(a: Array<T>, (n, ld): (usize, usize), j: usize, other: usize) {
    if j != other {
        let (one, two) = (a.after(j * ld).slice(n), a.after(other * ld).slice(n));
        one.swap_with_slice(two);
    }
}
