//! What is done to every entry: copies, constants, factors, sums, transposition.

use crate::{convert, geadd, lacpy, lascal, lascl, laset, map, redistribute, tradd, transpose};
use tegula_kernels::option::{Diag, Part, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::{Storage, TileMatrix};

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::{Sum, difference};
use crate::program::operand::Operand;
use crate::program::random::Entries::Uniform;
use crate::program::sizes::Size::{self, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "entries";
/// Factors of the sums, exact in all precisions.
const ALPHA: f64 = 1.5;
const BETA: f64 = -0.5;
const MATRIX: Operand = Operand::full(M, N, Uniform);

fn entries(sizes: &Sizes) -> f64 {
    let [m, n, ..] = sizes.real();
    m * n
}

/// How far operand `index` times `w` is from `expected`.
fn error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    (index, w): (usize, &Sum),
    expected: &Sum,
) -> Result<f64, Failure> {
    let found = case.found(index).times(flow, w)?;
    Ok(difference::<T>(&found, expected, case.sizes.n))
}

/// Copy.
pub(super) struct Lacpy;

impl Routine for Lacpy {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lacpy";
    const FORMULA: &'static str = "B = A, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "B w - A w";
    const OPERANDS: &'static [Operand] = &[MATRIX, MATRIX.result()];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        lacpy(flow, Part::Whole, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(0).times(flow, &w)?;
        error(flow, case, (1, &w), &expected)
    }
}

/// A constant, and another on the diagonal.
pub(super) struct Laset;

impl Routine for Laset {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "laset";
    const FORMULA: &'static str = "A = alpha off, beta on the diagonal";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "A w - (alpha E w + (beta - alpha) I w)";
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        laset(flow, Part::Whole, (T::from_f64(ALPHA), T::from_f64(BETA)), &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let sum: c64 = w.value.iter().sum();
        let mut expected = Sum::zero(case.sizes.m);
        for (i, (value, size)) in expected.value.iter_mut().zip(&mut expected.size).enumerate() {
            let own = w.value.get(i).copied().unwrap_or(c64::ZERO);
            *value = sum * ALPHA + own * (BETA - ALPHA);
            *size = ALPHA * case.sizes.n as f64;
        }
        error(flow, case, (0, &w), &expected)
    }
}

/// Product with a number.
pub(super) struct Lascal;

impl Routine for Lascal {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lascal";
    const FORMULA: &'static str = "A = alpha A, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "m n";
    const CHECK: &'static str = "A w - alpha A0 w";
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        entries(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        lascal(flow, Part::Whole, T::from_f64(ALPHA), &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?.scaled(ALPHA);
        error(flow, case, (0, &w), &expected)
    }
}

/// Sum of two matrices.
pub(super) struct Geadd;

impl Routine for Geadd {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "geadd";
    const FORMULA: &'static str = "B = alpha A + beta B, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "3 m n";
    const CHECK: &'static str = "B w - (alpha A w + beta B0 w)";
    const OPERANDS: &'static [Operand] = &[MATRIX, MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        3.0 * entries(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let (alpha, beta) = (T::from_f64(ALPHA), T::from_f64(BETA));
        geadd(flow, Trans::No, alpha, &case[0], beta, &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(0).times(flow, &w)?.scaled(ALPHA);
        let expected = expected.plus(&case.original(1).times(flow, &w)?.scaled(BETA));
        error(flow, case, (1, &w), &expected)
    }
}

/// Sum of two triangles.
pub(super) struct Tradd;

impl Routine for Tradd {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "tradd";
    const FORMULA: &'static str = "B = alpha A + beta B, triangles";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "3 n (n + 1)/2";
    const CHECK: &'static str = "B w - (alpha A w + beta B0 w)";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] =
        &[Operand::triangle(N, Uniform), Operand::triangle(N, Uniform).result()];

    fn flops(sizes: &Sizes) -> f64 {
        let n = sizes.n as f64;
        1.5 * n * (n + 1.0)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let (alpha, beta) = (T::from_f64(ALPHA), T::from_f64(BETA));
        let part = if case.uplo() == Uplo::Lower { Part::Lower } else { Part::Upper };
        tradd(flow, (part, Trans::No), alpha, &case[0], beta, &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original_triangle(0).times(flow, &w)?.scaled(ALPHA);
        let original = case.original_triangle(1).times(flow, &w)?.scaled(BETA);
        let found = case.found(1).triangle(case.uplo(), Diag::NonUnit).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected.plus(&original), case.sizes.n))
    }
}

/// Conjugate transpose, out of place.
pub(super) struct Transpose;

impl Routine for Transpose {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "transpose";
    const FORMULA: &'static str = "B = A^H, A m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "B w - A^H w";
    const OPERANDS: &'static [Operand] = &[MATRIX, Operand::full(N, M, Uniform).result()];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        transpose(flow, Trans::Conj, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(0).op(Trans::Conj).times(flow, &w)?;
        error(flow, case, (1, &w), &expected)
    }
}

/// Product with a quotient, in safe steps.
pub(super) struct Lascl;

impl Routine for Lascl {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "lascl";
    const FORMULA: &'static str = "A = (alpha / beta) A, in safe steps";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "m n";
    const CHECK: &'static str = "A w - (alpha / beta) A0 w";
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        entries(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let factors = (T::Real::of_f64(BETA), T::Real::of_f64(ALPHA));
        lascl(flow, Part::Whole, factors, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?.scaled(ALPHA / BETA);
        error(flow, case, (0, &w), &expected)
    }
}

/// Copy to other tiles.
pub(super) struct Redistribute;

impl Routine for Redistribute {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "redistribute";
    const FORMULA: &'static str = "B = A, in tiles of 2/3 of the order";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "B w - A w";
    const OPERANDS: &'static [Operand] = &[MATRIX, MATRIX.in_smaller_tiles().result()];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        redistribute(flow, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(0).times(flow, &w)?;
        error(flow, case, (1, &w), &expected)
    }
}

/// Copy in the other precision, and back.
pub(super) struct Convert;

impl Routine for Convert {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "convert";
    const FORMULA: &'static str = "B = A by the other precision";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "0";
    const CHECK: &'static str = "B w - A w, eps of 32 bits";
    const OPERANDS: &'static [Operand] = &[MATRIX, MATRIX.result()];

    fn flops(_sizes: &Sizes) -> f64 {
        0.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let (shape, tile) = ((case[0].m(), case[0].n()), (case[0].mb(), case[0].nb()));
        let other = TileMatrix::<T::Other>::new(flow, shape, tile, Storage::Full);
        convert(flow, Part::Whole, &case[0], &other);
        convert(flow, Part::Whole, &other, &case[1]);
        other.retire(flow);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(0).times(flow, &w)?;
        let least = T::epsilon() / T::Other::epsilon();
        Ok(error(flow, case, (1, &w), &expected)? * least.min(1.0))
    }
}

/// A formula of each entry and its place.
pub(super) struct Map;

impl Routine for Map {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "map";
    const FORMULA: &'static str = "a_ij = f(i, j, a_ij): here + i - j";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "m n";
    const CHECK: &'static str = "A w - (A0 w + sums of (i - j) w_j)";
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        entries(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        map(flow, Part::Whole, &case[0], |i, j, x: T| x + T::from_f64(i as f64 - j as f64));
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let mut expected = case.original(0).times(flow, &w)?;
        for (i, (value, size)) in expected.value.iter_mut().zip(&mut expected.size).enumerate() {
            for (j, w) in w.value.iter().enumerate() {
                *value += w * (i as f64 - j as f64);
                *size += (i as f64 - j as f64).abs();
            }
        }
        error(flow, case, (0, &w), &expected)
    }
}
