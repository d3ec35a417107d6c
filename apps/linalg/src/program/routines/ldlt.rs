//! Factorisation of symmetric and Hermitian matrices without pivoting, and the solve with it.

use crate::{sysv, sytrf};
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::Factor;
use crate::program::operand::Operand;
use crate::program::random::Entries::{Dominant, Uniform};
use crate::program::sizes::Size::{self, N, Nrhs};
use crate::program::sizes::Sizes;

const FAMILY: &str = "LDL'";
const MATRIX: Operand = Operand::triangle(N, Dominant).input();

/// The form of a family of which LAPACK has two members.
const fn form(is_hermitian: bool) -> Form {
    if is_hermitian { Form::Hermitian } else { Form::Symmetric }
}

/// The factors `L`, `D` and `L'`, or `U'`, `D` and `U`, that overwrite the first operand.
fn factors<T: Scalar>(case: &Case<T>, form: Form) -> [Factor<'_, T>; 3] {
    let triangle = |trans| case.found(0).triangle(case.uplo(), Diag::Unit).op(trans);
    let [first, last] = match case.uplo() {
        Uplo::Lower => [Trans::No, form.mirror()],
        Uplo::Upper => [form.mirror(), Trans::No],
    };
    [triangle(first), case.found(0).diagonal(), triangle(last)]
}

/// Factorisation.
pub(super) struct Sytrf<const IS_HERMITIAN: bool>;

impl<const IS_HERMITIAN: bool> Routine for Sytrf<IS_HERMITIAN> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = if IS_HERMITIAN { "hetrf" } else { "sytrf" };
    const FORMULA: &'static str = if IS_HERMITIAN {
        "A = L D L^H, diagonally dominant"
    } else {
        "A = L D L', diagonally dominant"
    };
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^3/3 + n^2/2 + n/6";
    const CHECK: &'static str =
        if IS_HERMITIAN { "L (D (L^H w)) - A w" } else { "L (D (L' w)) - A w" };
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] = &[MATRIX.result()];

    fn flops(sizes: &Sizes) -> f64 {
        let n = sizes.n as f64;
        n.powi(3) / 3.0 + n.powi(2) / 2.0 + n / 6.0
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        sytrf(flow, (form(IS_HERMITIAN), case.uplo()), &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let form = form(IS_HERMITIAN);
        let original = case.original(0).mirrored(form, case.uplo());
        case.product_error(flow, &original, &factors(case, form))
    }
}

/// Factorisation and solve at once.
pub(super) struct Sysv<const IS_HERMITIAN: bool>;

impl<const IS_HERMITIAN: bool> Routine for Sysv<IS_HERMITIAN> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = if IS_HERMITIAN { "hesv" } else { "sysv" };
    const FORMULA: &'static str =
        if IS_HERMITIAN { "A X = B with A = L D L^H" } else { "A X = B with A = L D L'" };
    const SIZES: &'static [Size] = &[N, Nrhs];
    const FLOPS: &'static str = "sytrf + 2 n^2 nrhs";
    const CHECK: &'static str = "A (X w) - B w";
    const HAS_UPLO: bool = true;
    const OPERANDS: &'static [Operand] =
        &[MATRIX, Operand::full(N, Nrhs, Uniform).right_sides().result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [_, n, _, nrhs] = sizes.real();
        Sytrf::<IS_HERMITIAN>::flops(sizes) + 2.0 * n * n * nrhs
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        sysv(flow, (form(IS_HERMITIAN), case.uplo()), &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let original = case.original(0).mirrored(form(IS_HERMITIAN), case.uplo());
        case.solution_error(flow, &original, 1)
    }
}
