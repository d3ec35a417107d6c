//! Matrix products: general, symmetric, Hermitian, triangular.

use crate::{Triangle, check_diagonal, gemm, symm, syr2k, syrk, trmm, trsm};
use tegula_kernels::option::{Diag, Form, Side, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use crate::program::Routine;
use crate::program::case::{Case, product};
use crate::program::freivalds::{Factor, difference};
use crate::program::operand::Operand;
use crate::program::options::{Choice, Options};
use crate::program::random::Entries::{Dominant, Uniform};
use crate::program::sizes::Size::{self, K, M, N, Sided};
use crate::program::sizes::Sizes;

const FAMILY: &str = "products";

/// The form of a family of which LAPACK has two members.
const fn form(is_hermitian: bool) -> Form {
    if is_hermitian { Form::Hermitian } else { Form::Symmetric }
}

/// `transposed`, or `adjoint` if the family is Hermitian: for formulas.
const fn named(
    is_hermitian: bool,
    adjoint: &'static str,
    transposed: &'static str,
) -> &'static str {
    if is_hermitian { adjoint } else { transposed }
}

/// Product of two matrices, added to a third.
pub(super) struct Gemm;

impl Routine for Gemm {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gemm";
    const FORMULA: &'static str = "C = A B + C, A m x k, B k x n";
    const SIZES: &'static [Size] = &[M, N, K];
    const FLOPS: &'static str = "2 m n k";
    const CHECK: &'static str = "C w - (A (B w) + C0 w)";
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, K, Uniform), Operand::full(K, N, Uniform), Operand::full(M, N, Uniform)];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, k, _] = sizes.real();
        2.0 * m * n * k
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        gemm(flow, (Trans::No, Trans::No), T::ONE, &case[0], &case[1], T::ONE, &case[2]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(2);
        let expected = product(flow, &[case.original(0), case.original(1)], &w)?;
        let expected = expected.plus(&case.original(2).times(flow, &w)?);
        let found = case.found(2).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.k))
    }
}

/// Product with a symmetric or Hermitian matrix.
pub(super) struct Symm<const IS_HERMITIAN: bool>;

impl<const IS_HERMITIAN: bool> Routine for Symm<IS_HERMITIAN> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = named(IS_HERMITIAN, "hemm", "symm");
    const FORMULA: &'static str =
        named(IS_HERMITIAN, "C = A B + C, A = A^H of order m", "C = A B + C, A = A' of order m");
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "2 m^2 n";
    const CHECK: &'static str = "C w - (A (B w) + C0 w)";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[
        Operand::triangle(M, Uniform),
        Operand::full(M, N, Uniform),
        Operand::full(M, N, Uniform).result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        2.0 * m * m * n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let how = (form(IS_HERMITIAN), Side::Left, case.uplo());
        symm(flow, how, T::ONE, &case[0], &case[1], T::ONE, &case[2]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let (w, a) = (case.signs(2), case.original(0).mirrored(form(IS_HERMITIAN), case.uplo()));
        let expected = product(flow, &[a, case.original(1)], &w)?;
        let expected = expected.plus(&case.original(2).times(flow, &w)?);
        let found = case.found(2).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.m))
    }
}

/// Triangle of the product of a matrix with its transpose.
pub(super) struct Syrk<const IS_HERMITIAN: bool>;

impl<const IS_HERMITIAN: bool> Routine for Syrk<IS_HERMITIAN> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = named(IS_HERMITIAN, "herk", "syrk");
    const FORMULA: &'static str =
        named(IS_HERMITIAN, "C = A A^H + C, A n x k", "C = A A' + C, A n x k");
    const SIZES: &'static [Size] = &[N, K];
    const FLOPS: &'static str = "k n (n + 1)";
    const CHECK: &'static str =
        named(IS_HERMITIAN, "C w - (A (A^H w) + C0 w)", "C w - (A (A' w) + C0 w)");
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] =
        &[Operand::full(N, K, Uniform), Operand::triangle(N, Uniform).result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [_, n, k, _] = sizes.real();
        k * n * (n + 1.0)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let how = (form(IS_HERMITIAN), case.uplo(), Trans::No);
        syrk(flow, how, T::ONE, &case[0], T::ONE, &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let (w, form) = (case.signs(1), form(IS_HERMITIAN));
        let factors = [case.original(0), case.original(0).op(form.mirror())];
        let original = case.original(1).mirrored(form, case.uplo()).times(flow, &w)?;
        let expected = product(flow, &factors, &w)?.plus(&original);
        let found = case.found(1).mirrored(form, case.uplo()).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.k))
    }
}

/// Triangle of the sum of the product of two matrices and its transpose.
pub(super) struct Syr2k<const IS_HERMITIAN: bool>;

impl<const IS_HERMITIAN: bool> Routine for Syr2k<IS_HERMITIAN> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = named(IS_HERMITIAN, "her2k", "syr2k");
    const FORMULA: &'static str =
        named(IS_HERMITIAN, "C = A B^H + B A^H + C, A n x k", "C = A B' + B A' + C, A n x k");
    const SIZES: &'static [Size] = &[N, K];
    const FLOPS: &'static str = "2 k n^2 + n";
    const CHECK: &'static str = named(
        IS_HERMITIAN,
        "C w - (A (B^H w) + B (A^H w) + C0 w)",
        "C w - (A (B' w) + B (A' w) + C0 w)",
    );
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[
        Operand::full(N, K, Uniform),
        Operand::full(N, K, Uniform),
        Operand::triangle(N, Uniform).result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        let [_, n, k, _] = sizes.real();
        2.0 * k * n * n + n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let how = (form(IS_HERMITIAN), case.uplo(), Trans::No);
        syr2k(flow, how, T::ONE, &case[0], &case[1], T::ONE, &case[2]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let (w, form) = (case.signs(2), form(IS_HERMITIAN));
        let mut expected = case.original(2).mirrored(form, case.uplo()).times(flow, &w)?;
        for (a, b) in [(0, 1), (1, 0)] {
            let factors = [case.original(a), case.original(b).op(form.mirror())];
            expected = expected.plus(&product(flow, &factors, &w)?);
        }
        let found = case.found(2).mirrored(form, case.uplo()).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, 2 * case.sizes.k))
    }
}

/// How a triangle enters.
fn triangle<T: Scalar>(case: &Case<T>) -> Triangle {
    let Options { side, trans, .. } = case.sizes.options;
    Triangle { side, uplo: case.uplo(), trans, diag: Diag::NonUnit }
}

/// `op(T) B` or `B op(T)` of operand 0 and a factor, as they are multiplied by a vector.
fn product_of<'a, T: Scalar>(case: &'a Case<T>, b: Factor<'a, T>) -> [Factor<'a, T>; 2] {
    let Options { side, trans, .. } = case.sizes.options;
    let t = case.original_triangle(0).op(trans);
    if side == Side::Left { [t, b] } else { [b, t] }
}

/// Operations of a product or a solve with a triangle.
fn triangle_flops(sizes: &Sizes) -> f64 {
    let [m, n, ..] = sizes.real();
    m * n * sizes.of(Sided) as f64
}

const SIDES: &[Choice] = &[Choice::Side, Choice::Trans];

/// Product with a triangle.
pub(super) struct Trmm;

impl Routine for Trmm {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "trmm";
    const FORMULA: &'static str = "B = op(T) B or B op(T), T triangular";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "n m^2 or m n^2";
    const CHECK: &'static str = "B w - op(T) (B0 w)";
    const HAS_UPLO: bool = true;
    const CHOICES: &'static [Choice] = SIDES;
    const OPERANDS: &'static [Operand] =
        &[Operand::triangle(Sided, Dominant), Operand::full(M, N, Uniform).result()];

    fn flops(sizes: &Sizes) -> f64 {
        triangle_flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        trmm(flow, triangle(case), T::ONE, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = product(flow, &product_of(case, case.original(1)), &w)?;
        let found = case.found(1).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.of(Sided)))
    }
}

/// Solve with a triangle.
pub(super) struct Trsm;

impl Routine for Trsm {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "trsm";
    const FORMULA: &'static str = "op(T) X = B or X op(T) = B";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "n m^2 or m n^2";
    const CHECK: &'static str = "op(T) (X w) - B w";
    const HAS_UPLO: bool = true;
    const CHOICES: &'static [Choice] = SIDES;
    const OPERANDS: &'static [Operand] = &[
        Operand::triangle(Sided, Dominant).input(),
        Operand::full(M, N, Uniform).right_sides().result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        triangle_flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        trsm(flow, triangle(case), T::ONE, &case[0], &case[1]);
    }

    /// Afterwards, since BLAS does not look.
    fn verify<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<(), Failure> {
        check_diagonal(flow, &case[0]);
        Ok(flow.wait()?)
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(1);
        let expected = case.original(1).times(flow, &w)?;
        let found = product(flow, &product_of(case, case.found(1)), &w)?;
        Ok(difference::<T>(&found, &expected, case.sizes.of(Sided)))
    }
}
