//! `xLANGE`, `xLANSY`, `xLANHE` and `xLANTR`: norms.

use std::marker::PhantomData;

use tegula_kernels::kernel::norm::{Norm, NormFold, NormShare, frobenius};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Form, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};

use super::count;
use crate::array::{Array, Matrix};
use crate::check::Letter;
use crate::export::export;

export! {
    "A norm of a matrix: its largest entry, or the 1, infinity or Frobenius norm."
    lange(norm: Letter, m: Int, n: Int, a: Input, lda: Int, work: Reals) real
        as slange_: f32, dlange_: f64, clange_: c32, zlange_: c64;

    "A norm of a symmetric matrix."
    lansy(norm: Letter, uplo: Letter, n: Int, a: Input, lda: Int, work: Reals) real
        as slansy_: f32, dlansy_: f64, clansy_: c32, zlansy_: c64;

    "A norm of a Hermitian matrix."
    lanhe(norm: Letter, uplo: Letter, n: Int, a: Input, lda: Int, work: Reals) real
        as clanhe_: c32, zlanhe_: c64;

    "A norm of a triangular or trapezoidal matrix."
    lantr(
        norm: Letter, uplo: Letter, diag: Letter, m: Int, n: Int, a: Input, lda: Int, work: Reals
    ) real as slantr_: f32, dlantr_: f64, clantr_: c32, zlantr_: c64;
}

/// The norms by their letters.
const NORMS: &[(u8, Norm)] = &[
    (b'M', Norm::Max),
    (b'1', Norm::One),
    (b'O', Norm::One),
    (b'I', Norm::Infinity),
    (b'F', Norm::Frobenius),
    (b'E', Norm::Frobenius),
];

fn lange<T: Scalar>(
    norm: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    _work: Array<T::Real>,
) -> T::Real {
    named(norm, Structure::General, a.matrix(count(m), count(n), count(lda)))
}

fn lansy<T: Scalar>(
    norm: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    _work: Array<T::Real>,
) -> T::Real {
    let structure = Structure::Symmetric(Form::Symmetric, triangle(uplo));
    named(norm, structure, a.matrix(count(n), count(n), count(lda)))
}

fn lanhe<T: Scalar>(
    norm: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    lda: i32,
    _work: Array<T::Real>,
) -> T::Real {
    let structure = Structure::Symmetric(Form::Hermitian, triangle(uplo));
    named(norm, structure, a.matrix(count(n), count(n), count(lda)))
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn lantr<T: Scalar>(
    norm: Letter,
    uplo: Letter,
    diag: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    lda: i32,
    _work: Array<T::Real>,
) -> T::Real {
    let diag = if diag.is(b'U') { Diag::Unit } else { Diag::NonUnit };
    let structure = Structure::Triangular(triangle(uplo), diag);
    named(norm, structure, a.matrix(count(m), count(n), count(lda)))
}

/// The triangle of a letter, as the reference takes it.
fn triangle(uplo: Letter) -> Uplo {
    if uplo.is(b'U') { Uplo::Upper } else { Uplo::Lower }
}

/// The norm with this letter; of other letters zero.
fn named<T: Scalar>(letter: Letter, structure: Structure, a: Matrix<T>) -> T::Real {
    letter.of(1, NORMS).map_or(T::Real::ZERO, |norm| value(norm, structure, a))
}

/// The norm of what `a` stands for.
pub(crate) fn value<T: Scalar>(norm: Norm, structure: Structure, a: Matrix<T>) -> T::Real {
    let (m, n, scalar) = (a.rows, a.cols, PhantomData::<T>);
    if m == 0 || n == 0 {
        return T::Real::ZERO;
    }
    let length = norm.share(m, n);
    let mut few = [T::Real::ZERO; 64];
    let mut many = Vec::new();
    let share = if length <= few.len() {
        &mut few[..length]
    } else {
        many.resize(length, T::Real::ZERO);
        &mut many
    };
    NormShare { norm, structure, twice: false, m, n, scalar }.compute(a.view(), share);
    let mut result = [T::Real::ZERO; 2];
    let result = &mut result[..norm.share(1, 1)];
    NormFold { norm, length, scalar }.compute(share, result);
    if norm == Norm::Frobenius { frobenius(result) } else { result[0] }
}
