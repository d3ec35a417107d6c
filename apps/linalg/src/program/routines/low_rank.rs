//! The largest singular values and vectors, of a matrix that has no others.

use std::any::Any;

use crate::{LowRank, RangeFinder, SvdError, gemm, randomized_svd, redistribute};
use tegula_kernels::error::NumericalError;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Precision, Real, Scalar};
use tegula_runtime::flow::{Failure, Flow};

use crate::program::Routine;
use crate::program::case::{Case, cast, product};
use crate::program::freivalds::difference;
use crate::program::operand::Operand;
use crate::program::random::Entries::{Nothing, Uniform};
use crate::program::sizes::Size::{self, K, M, N};
use crate::program::sizes::Sizes;

/// Decomposition from products with random vectors.
pub(super) struct RandomizedSvd;

impl Routine for RandomizedSvd {
    const FAMILY: &'static str = "low rank";
    const NAME: &'static str = "randomized-svd";
    const FORMULA: &'static str = "A = U S V^H for A of rank k";
    const SIZES: &'static [Size] = &[M, N, K];
    const FLOPS: &'static str = "12 m n (k + 10)";
    const CHECK: &'static str = "U (S (V^H w)) - A w";
    const LIMITS: &'static [(Size, Size)] = &[(K, M), (K, N)];
    const OPERANDS: &'static [Operand] = &[
        Operand::full(M, N, Nothing),
        Operand::full(M, K, Uniform),
        Operand::full(K, N, Uniform),
        Operand::full(M, K, Nothing).result(),
        Operand::full(N, K, Nothing),
    ];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, k, _] = sizes.real();
        12.0 * m * n * (k + 10.0)
    }

    fn prepare<T: Scalar>(flow: &mut Flow, case: &Case<T>) {
        gemm(flow, (Trans::No, Trans::No), T::ONE, &case[1], &case[2], T::ZERO, &case[0]);
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let case: &mut dyn Any = case;
        match T::PRECISION {
            Precision::Single => {
                let case = cast::<f32>(case);
                let found = randomized_svd(flow, &case[0], case.sizes.k, RangeFinder::default());
                keep(flow, case, found);
            }
            Precision::Double => {
                let case = cast::<f64>(case);
                let found = randomized_svd(flow, &case[0], case.sizes.k, RangeFinder::default());
                keep(flow, case, found);
            }
            Precision::ComplexSingle => {
                let case = cast::<tegula_kernels::scalar::c32>(case);
                let found = randomized_svd(flow, &case[0], case.sizes.k, RangeFinder::default());
                keep(flow, case, found);
            }
            Precision::ComplexDouble => {
                let case = cast::<tegula_kernels::scalar::c64>(case);
                let found = randomized_svd(flow, &case[0], case.sizes.k, RangeFinder::default());
                keep(flow, case, found);
            }
        }
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let w = case.signs(0);
        let expected = product(flow, &[case.original(1), case.original(2)], &w)?;
        let mut inner = case.found(4).op(Trans::Conj).times(flow, &w)?;
        if case.spectrum.len() != inner.value.len() {
            return Ok(f64::INFINITY);
        }
        for ((value, size), s) in inner.value.iter_mut().zip(&mut inner.size).zip(&case.spectrum) {
            *value *= s;
            *size *= s;
        }
        let found = case.found(3).times(flow, &inner)?;
        Ok(difference::<T>(&found, &expected, case.sizes.m.max(case.sizes.n)))
    }

    /// The factor that turns the basis into vectors is one tile.
    fn task_bytes(sizes: &Sizes) -> u64 {
        let (nb, vectors) = (sizes.nb.min(sizes.m.max(sizes.n)), vectors(sizes));
        ((vectors * sizes.k + nb * (vectors + sizes.k)) * sizes.precision.bytes()) as u64
    }

    /// The basis gathered, or the small decomposition: the projected matrix twice, and its vectors.
    fn plain_bytes(sizes: &Sizes) -> u64 {
        let numbers = (4 * sizes.n + 2 * vectors(sizes)).max(2 * sizes.m) * vectors(sizes);
        (numbers * sizes.precision.bytes()) as u64
    }
}

/// Vectors in the basis, more than are asked for.
fn vectors(sizes: &Sizes) -> usize {
    (sizes.k + RangeFinder::default().oversampling).min(sizes.m).min(sizes.n)
}

/// Keeps vectors in operands 3 and 4, and values beside.
fn keep<T: Scalar>(flow: &mut Flow, case: &mut Case<T>, found: Result<LowRank<T>, SvdError>) {
    match found {
        Ok(LowRank { u, s, v }) => {
            redistribute(flow, &u, &case[3]);
            redistribute(flow, &v, &case[4]);
            u.retire(flow);
            v.retire(flow);
            case.spectrum = s.into_iter().map(Real::to_f64).collect();
            let ends = [case.spectrum.first(), case.spectrum.last()].map(|s| s.copied());
            let named = ["largest singular value", "smallest of rank k"].into_iter().zip(ends);
            case.values = named.filter_map(|(name, s)| Some((name, s?))).collect();
        }
        Err(SvdError::Flow(failure)) => case.failure = Some(failure.into()),
        Err(SvdError::NoConvergence) => {
            case.verdict = Some(NumericalError::NoConvergence { order: case.sizes.n });
        }
    }
}
