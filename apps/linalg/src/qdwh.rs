//! Polar decomposition `A = U H` by a dynamically weighted Halley iteration.
//!
//! Nakatsukasa, Bai, Gygi, "Optimizing Halley's iteration for computing the matrix polar
//! decomposition", SIAM J. Matrix Anal. Appl. 31 (2010); Nakatsukasa, Higham, "Stable and efficient
//! spectral divide and conquer algorithms for the symmetric eigenvalue decomposition and the SVD",
//! SIAM J. Sci. Comput. 35 (2013).

use tegula_kernels::dense::scale_of;
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Diag, Form, Part, Side, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::Access::W;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix};

use crate::condense::copy;
use crate::tall::Tall;
use crate::view::View;
use crate::{
    Triangle, geadd, gemm, geqrf, lacpy, lange, lantr, lascal, laset, orgqr, plrnt, potrf,
    redistribute, syrk, trsm, trtri,
};

/// The decision for a step by a QR factorisation.
const BY_QR: char = 'q';
/// The decision for a step by a Cholesky factorisation.
const BY_CHOLESKY: char = 'c';
/// The decision for a step beyond those that the bound asks for.
const MORE_STEPS: char = 'm';
/// The decision that the matrix is zero.
const ZERO: char = 'z';
/// The decision that there is no orthogonal factor.
const FAILED: char = 'f';
/// What it [decides](Flow::decide).
pub(crate) const DECISIONS: &[(char, &str)] = &[
    (BY_QR, "a step by QR"),
    (BY_CHOLESKY, "a step by Cholesky"),
    (MORE_STEPS, "one more than was expected"),
    (ZERO, "the matrix is zero"),
    (FAILED, "there is no orthogonal factor"),
];

/// What [`qdwh`] finds.
#[derive(Debug)]
pub struct Polar<T: Scalar> {
    /// `U`, with orthonormal columns: as `a` in shape and tiles.
    pub u: TileMatrix<T>,
    /// `H`, Hermitian and positive semidefinite: `n x n`, both triangles, in tiles as those of `a`.
    pub h: TileMatrix<T>,
    /// Iterations by QR factorisations, and by Cholesky factorisations after them.
    pub iterations: (usize, usize),
}

/// Why there is no polar decomposition.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PolarError {
    /// An entry is NaN or infinite, or its modulus overflows.
    #[error("the matrix has an entry that is not finite")]
    NotFinite,
    /// Nothing of `U` is determined: the matrix is zero.
    #[error("the matrix is zero: nothing determines its orthogonal factor")]
    Zero,
    /// Singular values are left that are not one, after all steps.
    #[error("the iteration for the orthogonal factor has not ended")]
    NoConvergence,
    /// The tasks failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// The polar decomposition of `a` (`m x n` in square tiles, `m >= n`), which is only read.
///
/// Norms and the inverse of a triangle bound the singular values from both sides, and the bounds
/// say how many iterations there will be, at most six in double precision; a matrix that is
/// singular but for rounding takes some more. The flow is waited for there, and for checks at the
/// end. Of a square matrix an iteration by QR takes `26/3 n^3` flops, one by Cholesky `10/3 n^3`.
/// The workspace is eleven matrices of order `n` and one of the shape of `a`, or seven of that
/// shape if these are larger.
///
/// A matrix that is singular, or is so but for rounding, has more than one `U`. Random numbers of
/// the size of rounding, the same each time, choose one of them, in some forty steps more: it is
/// orthogonal all the same, and `A = U H` holds to rounding. A matrix of zeros is refused.
///
/// # Errors
/// [`PolarError`].
///
/// # Panics
/// If there are more columns than rows, the tiles are not square, or only a triangle is stored.
pub fn qdwh<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Result<Polar<T>, PolarError> {
    let (m, n, nb) = (a.m(), a.n(), a.nb());
    assert!(m >= n, "{m} x {n} has more columns than rows");
    assert!(a.mb() == nb && a.storage() == Storage::Full, "{} x {nb} tiles", a.mb());
    let largest = lange(flow, Norm::Max, a)?;
    if !largest.is_finite() {
        return Err(PolarError::NotFinite);
    }
    if n == 0 {
        let [u, h] = [m, 0].map(|m| TileMatrix::new(flow, (m, 0), (nb, nb), Storage::Full));
        return Ok(Polar { u, h, iterations: (0, 0) });
    }
    let Prepared { tall, x, least } = prepared(flow, a, scale_of(largest))?;
    let iterations = iterate(flow, &x, least)?;
    let squares = squares(flow, &x)?;
    let u = match tall {
        Some(tall) => widened(flow, tall, x, m),
        None => x,
    };
    if flow.decide(FAILED, !are_ones::<T>(squares, n)) {
        u.retire(flow);
        return Err(if squares == 0.0 { PolarError::Zero } else { PolarError::NoConvergence });
    }
    let h = hermitian_factor(flow, &u, a);
    Ok(Polar { u, h, iterations })
}

/// What is iterated on.
struct Prepared<T> {
    /// The orthogonal factor of a tall matrix, of which the triangle is decomposed.
    tall: Option<Tall<T>>,
    x: TileMatrix<T>,
    /// A lower bound of the smallest singular value of `x`; the largest is at most one.
    least: f64,
}

/// `A` divided by a bound of its norm, a tall one reduced to the triangle of its QR factorisation.
fn prepared<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    scale: T::Real,
) -> Result<Prepared<T>, FlowError> {
    let scaled = |flow: &mut Flow| {
        let x = TileMatrix::new(flow, (a.m(), a.n()), (a.nb(), a.nb()), Storage::Full);
        geadd(flow, Trans::No, T::from_real(scale), a, T::ZERO, &x);
        x
    };
    let from = scaled(flow);
    let (tall, r) = Tall::factorise(flow, from);
    let (most, least) = bounds(flow, &r)?;
    let (tall, x) = if a.m() > a.n() {
        (Some(tall), r)
    } else {
        // The triangle has served for the bounds.
        tall.retire(flow);
        r.retire(flow);
        (None, scaled(flow))
    };
    lascal(flow, Part::Whole, T::from_f64(1.0 / most), &x);
    Ok(Prepared { tall, x, least })
}

/// An upper bound of the largest singular value of the upper triangle `r`, and a lower one of the
/// smallest relative to that: `norm(R^-1)` in the sense of Frobenius is at least the inverse of the
/// smallest.
fn bounds<T: Scalar>(flow: &mut Flow, r: &TileMatrix<T>) -> Result<(f64, f64), FlowError> {
    let mut norm = |norm| lange(flow, norm, r).map(Real::to_f64);
    let (frobenius, one, infinity) =
        (norm(Norm::Frobenius)?, norm(Norm::One)?, norm(Norm::Infinity)?);
    // Some units of rounding more, since no singular value may be above it.
    let most = frobenius.min((one * infinity).sqrt()) * (1.0 + 1e3 * T::epsilon());
    // Below rounding R says nothing of A, and weights for less make more of what rounding leaves:
    // without an order of columns the QR factorisation of a step is not exact to rounding of each
    // row.
    let lowest = T::Real::EPSILON.to_f64() * 8.0;
    if flow.decide(ZERO, most == 0.0) {
        return Ok((1.0, lowest));
    }
    let inverse = copied(flow, r);
    trtri(flow, Uplo::Upper, Diag::NonUnit, &inverse);
    let size = match flow.wait() {
        Ok(()) => lantr(flow, Norm::Frobenius, (Uplo::Upper, Diag::NonUnit), &inverse)?.to_f64(),
        Err(error) if error.kernel_error::<NumericalError>().is_some() => f64::INFINITY,
        Err(error) => return Err(error),
    };
    inverse.unregister(flow);
    let least = 0.9 / (size * most);
    Ok((most, if least > lowest { least.min(1.0) } else { lowest }))
}

fn copied<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> TileMatrix<T> {
    let copy = TileMatrix::new(flow, (a.m(), a.n()), (a.mb(), a.nb()), Storage::Full);
    lacpy(flow, Part::Whole, a, &copy);
    copy
}

/// Weights of a step for singular values from `l` to one (Nakatsukasa, Bai, Gygi 2010, equation
/// 3.8), and the bound after it.
struct Weights {
    a: f64,
    b: f64,
    c: f64,
    next: f64,
}

impl Weights {
    fn new(l: f64) -> Self {
        let square = l * l;
        let d = (4.0 * (1.0 - square) / (square * square)).cbrt();
        let root = (1.0 + d).sqrt();
        let a = root + (8.0 - 4.0 * d + 8.0 * (2.0 - square) / (square * root)).sqrt() / 2.0;
        let b = (a - 1.0).powi(2) / 4.0;
        let c = a + b - 1.0;
        Self { a, b, c, next: (l * (a + b * square) / (1.0 + c * square)).min(1.0) }
    }
}

/// The weight from which on the Cholesky factorisation would lose accuracy (Nakatsukasa, Higham
/// 2013, section 3.1).
const HEAVY: f64 = 100.0;

/// Most steps beyond those that the bound asks for; each makes tiny singular values three times as
/// large.
const MORE: usize = 50;

/// Makes steps until all singular values, which are from `l` to one, are one to rounding; how many
/// by QR and by Cholesky factorisations. Smaller ones, which rounding has left of zeros, take some
/// more.
fn iterate<T: Scalar>(
    flow: &mut Flow,
    x: &TileMatrix<T>,
    l: f64,
) -> Result<(usize, usize), FlowError> {
    let (mut l, mut counts) = (l, (0, 0));
    loop {
        let (weights, is_open) = (Weights::new(l), 1.0 - l > T::Real::EPSILON.to_f64());
        let is_by_qr = flow.decide(BY_QR, is_open && weights.c > HEAVY);
        if !is_by_qr && !flow.decide(BY_CHOLESKY, is_open) {
            break;
        }
        flow.iteration(counts.0 + counts.1);
        if is_by_qr {
            step_by_qr(flow, x, &weights);
            counts.0 += 1;
        } else {
            step_by_cholesky(flow, x, &weights);
            counts.1 += 1;
        }
        l = weights.next;
    }
    for step in 0..MORE {
        let squares = squares(flow, x)?;
        let is_over = squares == 0.0 || are_ones::<T>(squares, x.n());
        if !flow.decide(MORE_STEPS, !is_over) {
            break;
        }
        if step == 0 {
            fill_kernel(flow, x);
        }
        step_by_cholesky(flow, x, &Weights::new(1.0));
        counts.1 += 1;
    }
    Ok(counts)
}

/// Adds random numbers of the size of rounding: steps find no directions where there is nothing.
fn fill_kernel<T: Scalar>(flow: &mut Flow, x: &TileMatrix<T>) {
    let random = TileMatrix::new(flow, (x.m(), x.n()), (x.mb(), x.nb()), Storage::Full);
    plrnt(flow, 1, &random);
    geadd(flow, Trans::No, T::from_f64(T::epsilon()), &random, T::ONE, x);
    random.retire(flow);
}

/// The sum of squares of the singular values.
fn squares<T: Scalar>(flow: &mut Flow, x: &TileMatrix<T>) -> Result<f64, FlowError> {
    Ok(lange(flow, Norm::Frobenius, x)?.to_f64().powi(2))
}

/// Whether `n` singular values, none of which is more than one, are one to some units of rounding.
fn are_ones<T: Scalar>(squares: f64, n: usize) -> bool {
    (squares - n as f64).abs() <= 200.0 * T::epsilon() * n as f64
}

/// `X = b/c X + (a - b/c) / sqrt(c) Q1 Q2^H` with `[X; I / sqrt(c)] = [Q1; Q2] R`.
fn step_by_qr<T: Scalar>(flow: &mut Flow, x: &TileMatrix<T>, &Weights { a, b, c, .. }: &Weights) {
    let (n, nb, number) = (x.n(), x.nb(), T::from_f64);
    let both = TileMatrix::new(flow, (2 * n, n), (2 * n, nb), Storage::Full);
    let tau = TileMatrix::new(flow, (n, 1), (nb, 1), Storage::Full);
    let [q1, q2] = [(); 2].map(|()| TileMatrix::new(flow, (n, n), (nb, nb), Storage::Full));
    laset(flow, Part::Whole, (T::ZERO, number(c.sqrt().recip())), &q2);
    copy_part(flow, &both, 0, x, Way::In);
    copy_part(flow, &both, n, &q2, Way::In);
    geqrf(flow, &both, &tau);
    orgqr(flow, &both, &tau);
    copy_part(flow, &both, 0, &q1, Way::Out);
    copy_part(flow, &both, n, &q2, Way::Out);
    let factor = number((a - b / c) / c.sqrt());
    gemm(flow, (Trans::No, Trans::Conj), factor, &q1, &q2, number(b / c), x);
    [both, tau, q1, q2].into_iter().for_each(|matrix| matrix.retire(flow));
}

/// Which way a part is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// Submits the copy of `part` to the rows from `first` on of a matrix in block columns, or back.
fn copy_part<T: Scalar>(
    flow: &mut Flow,
    columns: &TileMatrix<T>,
    first: usize,
    part: &TileMatrix<T>,
    way: Way,
) {
    for index in part.indices() {
        let column = View::from(columns).tile(0, index.column);
        let tile = View::from(part).tile(index.row, index.column);
        let (inside, size) =
            ((column, (first + index.row * part.mb(), 0)), (tile.rows, tile.columns));
        let outside = (tile, (0, 0));
        let (from, to) = if way == Way::In { (outside, inside) } else { (inside, outside) };
        copy::<T>(flow, from, to, size, 0);
    }
}

/// `X = b/c X + (a - b/c) X Z^-1` with `Z = I + c X^H X`.
fn step_by_cholesky<T: Scalar>(
    flow: &mut Flow,
    x: &TileMatrix<T>,
    &Weights { a, b, c, .. }: &Weights,
) {
    let (n, nb, number) = (x.n(), x.nb(), T::from_f64);
    let z = TileMatrix::lower(flow, n, nb);
    laset(flow, Part::Lower, (T::ZERO, T::ONE), &z);
    let lower = (Form::Hermitian, Uplo::Lower, Trans::Conj);
    syrk(flow, lower, number(c), x, T::ONE, &z);
    potrf(flow, &z);
    let y = copied(flow, x);
    for trans in [Trans::Conj, Trans::No] {
        let (side, uplo, diag) = (Side::Right, Uplo::Lower, Diag::NonUnit);
        trsm(flow, Triangle { side, uplo, trans, diag }, T::ONE, &z, &y);
    }
    geadd(flow, Trans::No, number(a - b / c), &y, number(b / c), x);
    z.retire(flow);
    y.retire(flow);
}

/// The product of an orthogonal factor of `m` rows and `x`, which is given back.
fn widened<T: Scalar>(flow: &mut Flow, tall: Tall<T>, x: TileMatrix<T>, m: usize) -> TileMatrix<T> {
    let (n, nb) = (x.n(), x.nb());
    let columns = TileMatrix::new(flow, (m, n), (m, nb), Storage::Full);
    for j in 0..columns.nt() {
        let zero =
            Laset { m, n: columns.tile_columns(j), off_diagonal: T::ZERO, diagonal: T::ZERO };
        flow.submit(zero, &[(columns.tile(0, j), W)], 0);
    }
    copy_part(flow, &columns, 0, &x, Way::In);
    tall.multiply(flow, &columns);
    tall.retire(flow);
    x.retire(flow);
    let u = TileMatrix::new(flow, (m, n), (nb, nb), Storage::Full);
    redistribute(flow, &columns, &u);
    columns.retire(flow);
    u
}

/// `(U^H A + A^H U) / 2`.
fn hermitian_factor<T: Scalar>(
    flow: &mut Flow,
    u: &TileMatrix<T>,
    a: &TileMatrix<T>,
) -> TileMatrix<T> {
    let (n, nb, half) = (u.n(), u.nb(), T::from_f64(0.5));
    let [product, h] = [(); 2].map(|()| TileMatrix::new(flow, (n, n), (nb, nb), Storage::Full));
    gemm(flow, (Trans::Conj, Trans::No), half, u, a, T::ZERO, &product);
    geadd(flow, Trans::No, T::ONE, &product, T::ZERO, &h);
    geadd(flow, Trans::Conj, T::ONE, &product, T::ONE, &h);
    product.retire(flow);
    h
}
