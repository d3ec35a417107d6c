//! `xGELS`: least squares and least norms with matrices of full rank.

use tegula_kernels::option::{Diag, Side, Storev, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::Triangle;

use super::scaling::{Scaling, largest};
use super::{Reflectors, geqrf, is_query, ormqr};
use crate::array::{Array, Matrix};
use crate::blas3::triangular::solve;
use crate::check::{Checked, Integer, Letter};
use crate::export::export;
use crate::option::unitary_trans;
use crate::run::info;
use crate::triangular::trtri::check_diagonal;

export! {
    "The `X` for which `op(A) X - B` is least, or of those for which it is zero the least."
    gels(
        trans: Letter, m: Int, n: Int, nrhs: Int, a: Array, lda: Int, b: Array, ldb: Int,
        work: Array, lwork: Int
    ) info as sgels_: f32, dgels_: f64, cgels_: c32, zgels_: c64;
}

#[expect(clippy::too_many_arguments, reason = "LAPACK's interface")]
fn gels<T: Scalar>(
    trans: Letter,
    m: i32,
    n: i32,
    nrhs: i32,
    a: Array<T>,
    lda: i32,
    b: Array<T>,
    ldb: i32,
    work: Array<T>,
    lwork: i32,
) -> Checked<i32> {
    let trans = trans.of(1, unitary_trans::<T>())?;
    let (m, n, nrhs) = (m.size(2)?, n.size(3)?, nrhs.size(4)?);
    let a = a.matrix(m, n, lda.leading(6, m)?);
    let ldb = ldb.leading(8, m.max(n))?;
    let count = m.min(n);
    if is_query(10, work, lwork, count + count.max(nrhs))? {
        return Ok(0);
    }
    let whole = b.matrix(m.max(n), nrhs, ldb);
    if count == 0 || nrhs == 0 {
        whole.view_mut().scale(T::ZERO);
        return Ok(0);
    }
    let size = largest(a);
    if size == Scalar::ZERO {
        whole.view_mut().scale(T::ZERO);
        return Ok(0);
    }
    let (unknowns, equations) = if trans.swaps() { (m, n) } else { (n, m) };
    let given = b.matrix(equations, nrhs, ldb);
    let (of_a, of_b) = (Scaling::of(a, size), Scaling::of(given, largest(given)));
    let storev = if m >= n { Storev::Columns } else { Storev::Rows };
    let reflectors = Reflectors { storev, a, tau: work, count };
    geqrf::factorise(reflectors);
    let b = Sides { all: whole, triangle: b.matrix(count, nrhs, ldb) };
    let singular = substitute(reflectors, trans, b);
    if singular == 0 {
        let x = whole.corner(unknowns, nrhs);
        // With c A in place of A, the solution is one c-th.
        of_a.into_iter().for_each(|scaling| scaling.apply(x));
        of_b.into_iter().for_each(|scaling| scaling.undo(x));
    }
    Ok(singular)
}

/// Right-hand sides, and then unknowns, in one array.
struct Sides<T> {
    /// As many rows as the larger of them.
    all: Matrix<T>,
    /// The rows that the triangle meets.
    triangle: Matrix<T>,
}

/// Solves with the factors; the number of the first zero on the diagonal of the triangle, or 0.
fn substitute<T: Scalar>(reflectors: Reflectors<T>, trans: Trans, b: Sides<T>) -> i32 {
    let Reflectors { storev, a, count, .. } = reflectors;
    let triangle = a.corner(count, count);
    let uplo = if storev == Storev::Columns { Uplo::Upper } else { Uplo::Lower };
    let op = if trans.swaps() { Trans::Conj } else { Trans::No };
    let rotate = |trans| ormqr::multiply(Side::Left, trans, reflectors, b.all);
    let solve_triangle = || {
        let outcome = check_diagonal(triangle);
        if outcome.is_ok() {
            let shape = Triangle { side: Side::Left, uplo, trans: op, diag: Diag::NonUnit };
            solve(shape, T::ONE, triangle, b.triangle);
        }
        info(outcome)
    };
    // As many equations as op(A) has rows, which are no fewer than the unknowns: least squares.
    if (storev == Storev::Columns) != trans.swaps() {
        rotate(if storev == Storev::Columns { Trans::Conj } else { Trans::No });
        return solve_triangle();
    }
    let singular = solve_triangle();
    if singular == 0 {
        b.all.bottom(count).view_mut().scale(T::ZERO);
        rotate(if storev == Storev::Columns { Trans::No } else { Trans::Conj });
    }
    singular
}
