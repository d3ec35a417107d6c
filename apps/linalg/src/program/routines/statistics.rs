//! What statistics do to matrices first: centring, scaling, Gram matrices of distances.

use crate::{Lines, cesca, gram};
use tegula_kernels::option::Form;
use tegula_kernels::scalar::{Precision, Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};

use crate::program::Routine;
use crate::program::case::{Case, RealCase};
use crate::program::freivalds::{Sum, difference};
use crate::program::operand::Operand;
use crate::program::random::Entries::Uniform;
use crate::program::sizes::Size::{self, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "centring";

/// Columns centred and scaled, as before a principal component analysis.
pub(super) struct Cesca;

impl Routine for Cesca {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "cesca";
    const FORMULA: &'static str = "columns of A centred, and of length 1";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "7 m n";
    const CHECK: &'static str = "A w - ((A0 - means) / lengths) w";
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Uniform).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        7.0 * m * n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        cesca(flow, (Some(Lines::Columns), Some(Lines::Columns)), &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let Sizes { m, n, .. } = case.sizes;
        if m <= 1 {
            // Nothing is left of a single row but zeros.
            let mut most = 0.0f64;
            case.found(0).each(flow, |_, _, x| most = most.max(x.norm() - 1.0))?;
            return Ok(most / T::epsilon());
        }
        let (a, mut means) = (case.original(0), vec![c64::ZERO; n]);
        let [mut squares, mut before, mut largest] = [(); 3].map(|()| vec![0.0f64; n]);
        a.each(flow, |_, j, x| {
            means[j] += x / m as f64;
            before[j] += x.norm_sqr();
            largest[j] = largest[j].max(x.norm());
        })?;
        a.each(flow, |_, j, x| squares[j] += (x - means[j]).norm_sqr())?;
        let (w, rounding) = (case.signs(0), ((m + n) as f64 * T::epsilon()).powi(2));
        let mut expected = Sum::zero(m);
        a.each(flow, |i, j, x| {
            // A column that is constant but for rounding is not scaled.
            if squares[j] > rounding * before[j] {
                let length = squares[j].sqrt();
                expected.value[i] += (x - means[j]) / length * w.value[j];
                expected.size[i] += 2.0 * largest[j] / length;
            } else {
                expected.value[i] += (x - means[j]) * w.value[j];
                expected.size[i] += 2.0 * largest[j];
            }
        })?;
        let found = case.found(0).times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, m.max(n)))
    }
}

/// Inner products from distances.
pub(super) struct Gram;

impl Routine for Gram {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "gram";
    const FORMULA: &'static str = "-(d_ij^2 - r_i - r_j + mean)/2";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "4.5 n^2";
    const CHECK: &'static str = "G w - (D.^2 w - means) / -2";
    const HAS_UPLO: bool = true;
    const PRECISIONS: &'static [Precision] = &Precision::REAL;
    const OPERANDS: &'static [Operand] = &[Operand::triangle(N, Uniform).input().result()];

    fn flops(sizes: &Sizes) -> f64 {
        4.5 * (sizes.n as f64).powi(2)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let uplo = case.uplo();
        match case.real() {
            RealCase::Single(case) => gram(flow, uplo, &case[0]),
            RealCase::Double(case) => gram(flow, uplo, &case[0]),
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let n = case.sizes.n;
        let w = case.signs(0);
        let (mut sums, mut expected) = (vec![0.0; n], Sum::zero(n));
        case.original_hermitian(0).each(flow, |i, j, x| {
            sums[i] += x.norm_sqr();
            expected.value[i] += x.norm_sqr() * w.value[j];
            expected.size[i] += x.norm_sqr();
        })?;
        let count = n.max(1) as f64;
        let all = sums.iter().sum::<f64>() / (count * count);
        let of_w: f64 = w.value.iter().map(|w| w.re).sum();
        let along: f64 = sums.iter().zip(&w.value).map(|(sum, w)| sum / count * w.re).sum();
        for (i, sum) in sums.iter().enumerate() {
            let means = sum / count * of_w + along - all * of_w;
            expected.value[i] = (expected.value[i] - means) * -0.5;
            expected.size[i] = 2.0 * expected.size[i] + all * count;
        }
        let found = case.found(0).mirrored(Form::Symmetric, case.uplo());
        let found = found.times(flow, &w)?;
        Ok(difference::<T>(&found, &expected, n))
    }
}
