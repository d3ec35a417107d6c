//! Eigenvalues, singular values and the polar decomposition: algorithms that wait between their
//! stages.

use crate::{Eigen, Polar, Singular, Vectors, gesvd, heevd, qdwh};
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::TileMatrix;

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::{Factor, Sum, difference};
use crate::program::layout::Layout;
use crate::program::operand::Operand;
use crate::program::random::Entries::Uniform;
use crate::program::sizes::Size::{self, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "spectra";
/// Widest block of vectors that one task puts together.
const BLOCK: usize = 256;
const HERMITIAN: &[Operand] = &[Operand::triangle(N, Uniform).input()];
const GENERAL: &[Operand] = &[Operand::full(M, N, Uniform).input()];

/// Bytes of a real number.
fn real_bytes(sizes: &Sizes) -> usize {
    let bytes = sizes.precision.bytes();
    if sizes.precision.is_complex() { bytes / 2 } else { bytes }
}

/// Values in order, and matrices.
type Found<T> = (Vec<<T as Scalar>::Real>, Vec<TileMatrix<T>>);

/// Keeps what was found, in place of what was before, or why there is nothing.
fn keep<T: Scalar, E: std::error::Error + Send + Sync + 'static>(
    flow: &mut Flow,
    case: &mut Case<T>,
    found: Result<Found<T>, E>,
) {
    case.values.clear();
    case.found.drain(..).for_each(|matrix| matrix.retire(flow));
    match found {
        Ok((spectrum, matrices)) => {
            case.spectrum = spectrum.into_iter().map(Real::to_f64).collect();
            let ends = [("first", case.spectrum.first()), ("last", case.spectrum.last())];
            case.values = ends.into_iter().filter_map(|(name, x)| Some((name, *x?))).collect();
            case.found = matrices;
        }
        Err(failure) => case.failure = Some(failure.into()),
    }
}

/// How far the sum of squares of the values found is from that of the entries of `a`, in units of
/// rounding; all over the largest value, so that no square leaves the range.
fn norm_error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    a: &Factor<'_, T>,
) -> Result<f64, Failure> {
    let norm = case.spectrum.iter().fold(0.0f64, |norm, value| norm.max(value.abs()));
    let norm = if norm == 0.0 { 1.0 } else { norm };
    let mut expected = 0.0;
    a.each(flow, |_, _, entry| expected += (entry.size() / norm).powi(2))?;
    let found: f64 = case.spectrum.iter().map(|value| (value / norm).powi(2)).sum();
    let (m, n) = a.shape();
    let unit = m.max(n).max(1) as f64 * T::epsilon() * f64::max(expected, f64::MIN_POSITIVE);
    let error = (found - expected).abs() / unit;
    Ok(if error.is_nan() { f64::INFINITY } else { error })
}

/// How far the columns of matrix `index` of those found are from orthonormal, by a vector of signs.
fn orthogonality_error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    (index, trans): (usize, Trans),
) -> Result<f64, Failure> {
    let vectors = || Factor::found(&case.found[index], Layout::FULL).op(trans);
    let w = Sum::signs(case.sizes.seed, vectors().columns());
    let adjoint = if trans == Trans::No { Trans::Conj } else { Trans::No };
    let image = vectors().times(flow, &w)?;
    let back = Factor::found(&case.found[index], Layout::FULL).op(adjoint).times(flow, &image)?;
    Ok(difference::<T>(&back, &w, case.found[index].m()))
}

/// Each entry multiplied by the value of the same place; there are as many as values, or more.
fn weighted(mut x: Sum, values: &[f64]) -> Sum {
    for (i, &value) in values.iter().enumerate() {
        x.value[i] *= value;
        x.size[i] *= value.abs();
    }
    x
}

/// How far the product of vectors, values and vectors is from `a`.
fn product_error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    a: &Factor<'_, T>,
    [left, right]: [Factor<'_, T>; 2],
) -> Result<f64, Failure> {
    let w = Sum::signs(case.sizes.seed, a.columns());
    let expected = a.times(flow, &w)?;
    let inner = weighted(right.times(flow, &w)?, &case.spectrum);
    let found = left.times(flow, &inner)?;
    Ok(difference::<T>(&found, &expected, a.columns()))
}

/// Eigenvalues, and eigenvectors or not.
pub(super) struct Heev<const HAS_VECTORS: bool>;

impl<const HAS_VECTORS: bool> Routine for Heev<HAS_VECTORS> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = if HAS_VECTORS { "heevd" } else { "heev" };
    const FORMULA: &'static str =
        if HAS_VECTORS { "A = Z D Z^H, A Hermitian" } else { "D alone of A = Z D Z^H" };
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = if HAS_VECTORS { "10 n^3/3" } else { "4 n^3/3" };
    const CHECK: &'static str =
        if HAS_VECTORS { "Z (D (Z^H w)) - A w" } else { "norm of D - norm of A" };
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = HERMITIAN;
    const MAKES_RESULT: bool = true;

    fn flops(sizes: &Sizes) -> f64 {
        // The reduction to tridiagonal form, and the return of its vectors, at once.
        (sizes.n as f64).powi(3) * if HAS_VECTORS { 10.0 } else { 4.0 } / 3.0
    }

    /// The halves of the vectors of a tridiagonal matrix, which a task puts together, and up to a
    /// quarter of those of the whole.
    fn task_bytes(sizes: &Sizes) -> u64 {
        let (bytes, square) = (sizes.precision.bytes() as u64, (sizes.n as u64).pow(2));
        let real = real_bytes(sizes) as u64;
        if HAS_VECTORS { square * real + square * bytes / 4 } else { 0 }
    }

    /// The reflectors of the chase, and what workers join vectors in.
    fn plain_bytes(sizes: &Sizes) -> u64 {
        let room = sizes.workers * 2 * sizes.n * sizes.n.min(BLOCK) * real_bytes(sizes);
        let bytes = sizes.n.pow(2) * sizes.precision.bytes() * 11 / 10 + room;
        if HAS_VECTORS { bytes as u64 } else { 0 }
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let found = heevd(flow, case.uplo(), &case[0], HAS_VECTORS);
        let parts = |Eigen { values, vectors }| (values, Vec::from_iter(vectors));
        keep(flow, case, found.map(parts));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let original = case.original_hermitian(0);
        let error = norm_error(flow, case, &original)?;
        if !HAS_VECTORS || case.found.is_empty() {
            return Ok(if HAS_VECTORS { f64::INFINITY } else { error });
        }
        let vectors = || Factor::found(&case.found[0], Layout::FULL);
        let factors = [vectors(), vectors().op(Trans::Conj)];
        let product = product_error(flow, case, &original, factors)?;
        Ok(error.max(product).max(orthogonality_error(flow, case, (0, Trans::No))?))
    }
}

/// Singular values, and vectors or not.
pub(super) struct Gesvd<const HAS_VECTORS: bool>;

impl<const HAS_VECTORS: bool> Routine for Gesvd<HAS_VECTORS> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = if HAS_VECTORS { "gesvd" } else { "gesvd-values" };
    const FORMULA: &'static str =
        if HAS_VECTORS { "A = U S V^H, U m x min(m, n)" } else { "S alone of A = U S V^H" };
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = if HAS_VECTORS { "8 m n^2 - 4 n^3/3" } else { "4 m n^2 - 4 n^3/3" };
    const CHECK: &'static str =
        if HAS_VECTORS { "U (S (V^H w)) - A w" } else { "norm of S - norm of A" };
    const OPERANDS: &'static [Operand] = GENERAL;
    const MAKES_RESULT: bool = true;

    fn flops(sizes: &Sizes) -> f64 {
        // The reduction to bidiagonal form, and the return of its vectors, at once.
        let [m, n, ..] = sizes.real();
        let (most, least) = (m.max(n), m.min(n));
        let weight = if HAS_VECTORS { 8.0 } else { 4.0 };
        weight * most * least.powi(2) - 4.0 * least.powi(3) / 3.0
    }

    /// The reflectors of the chase on both sides, and vectors with what they are put together from.
    fn plain_bytes(sizes: &Sizes) -> u64 {
        let square = sizes.m.min(sizes.n).pow(2);
        let bytes = square * (sizes.precision.bytes() * 22 / 10 + real_bytes(sizes) * 5);
        if HAS_VECTORS { bytes as u64 } else { 0 }
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let vectors = if HAS_VECTORS { Vectors::Thin } else { Vectors::None };
        let found = gesvd(flow, &case[0], vectors);
        let parts = |Singular { values, u, vh }| (values, u.into_iter().chain(vh).collect());
        keep(flow, case, found.map(parts));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let original = case.original(0);
        let error = norm_error(flow, case, &original)?;
        if !HAS_VECTORS || case.found.is_empty() {
            return Ok(if HAS_VECTORS { f64::INFINITY } else { error });
        }
        let factors = [0, 1].map(|index| Factor::found(&case.found[index], Layout::FULL));
        let product = product_error(flow, case, &original, factors)?;
        let left = orthogonality_error(flow, case, (0, Trans::No))?;
        let right = orthogonality_error(flow, case, (1, Trans::Conj))?;
        Ok(error.max(product).max(left).max(right))
    }
}

/// Polar decomposition.
pub(super) struct Qdwh;

impl Routine for Qdwh {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "qdwh";
    const FORMULA: &'static str = "A = U H, U orthogonal, H Hermitian";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "4 m n^2 + 27 n^3";
    const CHECK: &'static str = "U (H w) - A w";
    const DECISIONS: &'static [(char, &'static str)] = qdwh::DECISIONS;
    const LIMITS: &'static [(Size, Size)] = &[(N, M)];
    const OPERANDS: &'static [Operand] = GENERAL;
    const MAKES_RESULT: bool = true;

    fn flops(sizes: &Sizes) -> f64 {
        // Two steps by QR and three by Cholesky factorisations.
        let [m, n, ..] = sizes.real();
        4.0 * m * n * n + 27.0 * n.powi(3)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let found = qdwh(flow, &case[0]);
        keep(flow, case, found.map(|Polar { u, h, .. }| (Vec::new(), vec![u, h])));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        if case.found.is_empty() {
            return Ok(f64::INFINITY);
        }
        let factors = [0, 1].map(|index| Factor::found(&case.found[index], Layout::FULL));
        let product = case.product_error(flow, &case.original(0), &factors)?;
        Ok(product.max(orthogonality_error(flow, case, (0, Trans::No))?))
    }
}
