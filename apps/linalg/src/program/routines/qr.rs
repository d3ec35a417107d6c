//! Orthogonal factorisations on columns and rows of blocks, in LAPACK's format.

use std::ops::Range;

use crate::{gelqf, gels, gels_steps, geqrf, geqrf_steps, orglq, orgqr, ormlq, ormqr};
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::{Sum, difference};
use crate::program::operand::Operand;
use crate::program::options::{Choice, Options};
use crate::program::random::Entries::{Nothing, Uniform};
use crate::program::sizes::Size::{self, K, Least, M, Most, N, Nrhs, One, Sided};
use crate::program::sizes::Sizes;

const FAMILY: &str = "QR";
const FACTORS: Operand = Operand::full(Least, One, Nothing);
/// Leading terms of a tall matrix, as LAPACK Working Note 41 has them.
const FACTOR_FLOPS: &str = "2 m n^2 - 2 n^3/3";

/// Operations of the factorisation of an `m x n` matrix, leading terms.
fn factor_flops(sizes: &Sizes) -> f64 {
    let [m, n, ..] = sizes.real();
    let (most, least) = (m.max(n), m.min(n));
    2.0 * most * least.powi(2) - 2.0 * least.powi(3) / 3.0
}

/// Where a `Q` comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// `A = Q R`.
    Qr,
    /// `A = L Q`.
    Lq,
}

/// `op(Q) x` with the reflectors in operand 0 and their factors in operand 1, computed in `T`:
/// rounded entries stand for those of `x`, and each sum has at most the size of all of `x`.
fn times_q<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    (from, trans): (From, Trans),
    x: &Sum,
) -> Result<Sum, Failure> {
    let column = case.column(flow, x)?;
    let multiply = if from == From::Qr { ormqr } else { ormlq };
    multiply(flow, Side::Left, trans, &case[0], &case[1], &column);
    let mut product = case.gathered(flow, column)?;
    let size = x.size.iter().map(|size| size * size).sum::<f64>().sqrt();
    product.size.fill(size);
    Ok(product)
}

/// `A = Q R`.
pub(super) struct Geqrf;

impl Routine for Geqrf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "geqrf";
    const FORMULA: &'static str = "A = Q R";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = FACTOR_FLOPS;
    const CHECK: &'static str = "Q (R w) - A w";
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Uniform).columns().input().result(), FACTORS];
    const STATE: &'static [usize] = &[0, 1];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        geqrf(flow, &case[0], &case[1]);
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        geqrf_steps(flow, &case[0], &case[1], steps);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?;
        let r = case.found(0).triangle(Uplo::Upper, Diag::NonUnit).times(flow, &w)?;
        let r = r.resized(case.sizes.m);
        let found = times_q(flow, case, (From::Qr, Trans::No), &r)?;
        Ok(difference::<T>(&found, &expected, case.sizes.m))
    }
}

/// The first columns of `Q`.
pub(super) struct Orgqr;

impl Routine for Orgqr {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "orgqr";
    const FORMULA: &'static str = "Q from the factors of A = Q R, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "2 m n^2 - 2 n^3/3";
    const CHECK: &'static str = "Q^H (Q w) - w";
    const LIMITS: &'static [(Size, Size)] = &[(N, M)];
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Uniform).columns().input().result(), FACTORS];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        geqrf(flow, &case[0], &case[1]);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        orgqr(flow, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let tall = case.found(0).times(flow, &w)?;
        let found = case.found(0).op(Trans::Conj).times(flow, &tall)?;
        // The columns of Q span what those of A do: A w = Q (Q^H A w).
        let original = case.original(0).times(flow, &w)?;
        let part = case.found(0).op(Trans::Conj).times(flow, &original)?;
        let back = case.found(0).times(flow, &part)?;
        let (m, n) = (case.sizes.m, case.sizes.n);
        Ok(difference::<T>(&found, &w, n).max(difference::<T>(&back, &original, m)))
    }
}

/// Product with the `Q` of a QR factorisation, or of an LQ factorisation.
pub(super) struct Ormq<const IS_LQ: bool>;

impl<const IS_LQ: bool> Ormq<IS_LQ> {
    const FROM: From = if IS_LQ { From::Lq } else { From::Qr };
}

impl<const IS_LQ: bool> Routine for Ormq<IS_LQ> {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = if IS_LQ { "ormlq" } else { "ormqr" };
    const FORMULA: &'static str = if IS_LQ {
        "C = op(Q) C or C op(Q), Q of A = L Q"
    } else {
        "C = op(Q) C or C op(Q), Q of A = Q R"
    };
    const SIZES: &'static [Size] = &[M, N, K];
    const FLOPS: &'static str = "4 m n k - 2 n k^2";
    const CHECK: &'static str = "op(Q)^H (C w) - C0 w, or C (Q w) - C0 w";
    const CHOICES: &'static [Choice] = &[Choice::Side, Choice::Adjoint];
    const LIMITS: &'static [(Size, Size)] = &[(K, Sided)];
    const OPERANDS: &'static [Operand] = &[
        if IS_LQ {
            Operand::full(K, Sided, Uniform).rows().input()
        } else {
            Operand::full(Sided, K, Uniform).columns().input()
        },
        Operand::full(K, One, Nothing),
        Operand::full(M, N, Uniform).sided().right_sides().result(),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, k, _] = sizes.real();
        let (length, lines) = if sizes.options.side == Side::Left { (m, n) } else { (n, m) };
        4.0 * length * lines * k - 2.0 * lines * k * k
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        let factorise = if IS_LQ { gelqf } else { geqrf };
        factorise(flow, &case[0], &case[1]);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let Options { side, trans, .. } = case.sizes.options;
        let multiply = if IS_LQ { ormlq } else { ormqr };
        multiply(flow, side, trans, &case[0], &case[1], &case[2]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let Options { side, trans, .. } = case.sizes.options;
        let w = case.signs(2);
        let expected = case.original(2).times(flow, &w)?;
        let back = if trans == Trans::No { Trans::Conj } else { Trans::No };
        let found = if side == Side::Left {
            let product = case.found(2).times(flow, &w)?;
            times_q(flow, case, (Self::FROM, back), &product)?
        } else {
            // C0 op(Q) op(Q)^H w = C0 w.
            let turned = times_q(flow, case, (Self::FROM, back), &w)?;
            case.found(2).times(flow, &turned)?
        };
        Ok(difference::<T>(&found, &expected, case.sizes.of(Sided)))
    }
}

/// `A = L Q`.
pub(super) struct Gelqf;

impl Routine for Gelqf {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gelqf";
    const FORMULA: &'static str = "A = L Q";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = FACTOR_FLOPS;
    const CHECK: &'static str = "L (Q w) - A w";
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Uniform).rows().input().result(), FACTORS];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        gelqf(flow, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = case.original(0).times(flow, &w)?;
        let turned = times_q(flow, case, (From::Lq, Trans::No), &w)?;
        let turned = turned.resized(case.sizes.m.min(case.sizes.n));
        let l = case.found(0).triangle(Uplo::Lower, Diag::NonUnit);
        Ok(difference::<T>(&l.times(flow, &turned)?, &expected, case.sizes.n))
    }
}

/// The first rows of `Q`.
pub(super) struct Orglq;

impl Routine for Orglq {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "orglq";
    const FORMULA: &'static str = "Q from the factors of A = L Q, m x n";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "2 n m^2 - 2 m^3/3";
    const CHECK: &'static str = "Q (Q^H w) - w";
    const LIMITS: &'static [(Size, Size)] = &[(M, N)];
    const OPERANDS: &'static [Operand] =
        &[Operand::full(M, N, Uniform).rows().input().result(), FACTORS];

    fn flops(sizes: &Sizes) -> f64 {
        factor_flops(sizes)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        gelqf(flow, &case[0], &case[1]);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        orglq(flow, &case[0], &case[1]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = Sum::signs(case.sizes.seed, case.sizes.m);
        let wide = case.found(0).op(Trans::Conj).times(flow, &w)?;
        let found = case.found(0).times(flow, &wide)?;
        // The rows of Q span what those of A do: A^H w = Q^H (Q A^H w).
        let original = case.original(0).op(Trans::Conj).times(flow, &w)?;
        let part = case.found(0).times(flow, &original)?;
        let back = case.found(0).op(Trans::Conj).times(flow, &part)?;
        let (m, n) = (case.sizes.m, case.sizes.n);
        Ok(difference::<T>(&found, &w, m).max(difference::<T>(&back, &original, n)))
    }
}

/// Least squares, or the solution of least norm.
pub(super) struct Gels;

impl Routine for Gels {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gels";
    const FORMULA: &'static str = "least X with least |A X - B|";
    const SIZES: &'static [Size] = &[M, N, Nrhs];
    const FLOPS: &'static str = "geqrf + ormqr + trsm";
    const CHECK: &'static str = "A^H (A (X w) - B w)";
    const OPERANDS: &'static [Operand] = &[
        Operand::full(M, N, Uniform).lines().input(),
        FACTORS,
        Operand::full(Most, Nrhs, Uniform).shares().rows_in_files(M, N).right_sides().result(),
    ];
    const STATE: &'static [usize] = &[0, 1, 2];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, _, nrhs] = sizes.real();
        let (most, least) = (m.max(n), m.min(n));
        let rotation = 4.0 * most * nrhs * least - 2.0 * nrhs * least.powi(2);
        factor_flops(sizes) + rotation + nrhs * least.powi(2)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        gels(flow, Trans::No, &case[0], &case[1], &case[2]);
    }

    fn submit_steps<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, steps: Range<usize>) {
        gels_steps(flow, Trans::No, (&case[0], &case[1]), &case[2], steps);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let (Sizes { m, n, .. }, w) = (case.sizes, case.signs(2));
        let x = case.found(2).times(flow, &w)?.resized(n);
        let b = case.original(2).times(flow, &w)?.resized(m);
        let product = case.original(0).times(flow, &x)?;
        if m < n {
            // The equations hold, and Q X is zero in what they leave free.
            let turned = times_q(flow, case, (From::Lq, Trans::No), &x)?;
            let bound = turned.clone().resized(m).resized(n);
            let error = difference::<T>(&turned, &bound, n);
            return Ok(error.max(difference::<T>(&product, &b, n)));
        }
        let adjoint = case.original(0).op(Trans::Conj);
        // So that nothing leaves the range that need not.
        let largest = product.size.iter().chain(&b.size).copied().fold(f64::MIN_POSITIVE, f64::max);
        let [product, b] = [product, b].map(|sum| sum.scaled(largest.recip()));
        let (left, right) = (adjoint.times(flow, &product)?, adjoint.times(flow, &b)?);
        Ok(difference::<T>(&left, &right, m))
    }
}
