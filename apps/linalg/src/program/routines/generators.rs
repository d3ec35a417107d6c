//! Generators of random matrices, each entry known from its place.

use crate::{Spectrum, SpectrumKind, SpectrumShape, latms, plghe, plrnt};
use tegula_kernels::option::Form;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::{random_entry, random_hermitian_entry};

use crate::program::Routine;
use crate::program::case::Case;
use crate::program::freivalds::{Sum, difference, exact};
use crate::program::operand::Operand;
use crate::program::random::Entries::Nothing;
use crate::program::sizes::Size::{self, M, N};
use crate::program::sizes::Sizes;

const FAMILY: &str = "random";

/// How far operand 0 times signs is from the matrix of `entry`.
fn error<T: Scalar>(
    flow: &mut Flow,
    case: &Case<T>,
    entry: impl Fn(usize, usize) -> T,
) -> Result<f64, Failure> {
    let w = case.signs(0);
    let found = case.found(0).times(flow, &w)?;
    let mut expected = Sum::zero(case[0].m());
    for (i, (value, size)) in expected.value.iter_mut().zip(&mut expected.size).enumerate() {
        for (j, w) in w.value.iter().enumerate() {
            let entry = exact(entry(i, j));
            *value += entry * w;
            *size += entry.norm();
        }
    }
    Ok(difference::<T>(&found, &expected, case[0].n()))
}

/// A random matrix.
pub(super) struct Plrnt;

impl Routine for Plrnt {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "plrnt";
    const FORMULA: &'static str = "A random in [-1/2, 1/2)";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "m n";
    const CHECK: &'static str = "A w - (entries from their places) w";
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Nothing).result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        m * n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        plrnt(flow, case.sizes.seed, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        error(flow, case, |i, j| random_entry(case.sizes.seed, i, j))
    }
}

/// A random positive definite matrix.
pub(super) struct Plghe;

impl Routine for Plghe {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "plghe";
    const FORMULA: &'static str = "A random, Hermitian, n on diagonal";
    const SIZES: &'static [Size] = &[N];
    const FLOPS: &'static str = "n^2";
    const CHECK: &'static str = "A w - (entries from their places) w";
    const OPERANDS: &'static [Operand] = &[Operand::full(N, N, Nothing).result()];

    fn flops(sizes: &Sizes) -> f64 {
        (sizes.n as f64).powi(2)
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        let bump = T::from_f64(case.sizes.n as f64);
        plghe(flow, Form::Hermitian, bump, case.sizes.seed, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let bump = T::from_f64(case.sizes.n as f64);
        error(flow, case, |i, j| {
            let entry = random_hermitian_entry::<T>(case.sizes.seed, i, j);
            if i == j { entry + bump } else { entry }
        })
    }
}

/// A random matrix of given singular values.
pub(super) struct Latms;

/// Its singular values.
const SPECTRUM: Spectrum =
    Spectrum { shape: SpectrumShape::Geometric, condition: 1e4, largest: 1.0 };

impl Routine for Latms {
    const FAMILY: &'static str = FAMILY;
    const NAME: &'static str = "latms";
    const FORMULA: &'static str = "A of singular values from 1 to 1e-4";
    const SIZES: &'static [Size] = &[M, N];
    const FLOPS: &'static str = "48 m n";
    const CHECK: &'static str = "|A|_F^2 - sum of their squares";
    const OPERANDS: &'static [Operand] = &[Operand::full(M, N, Nothing).result()];

    fn flops(sizes: &Sizes) -> f64 {
        let [m, n, ..] = sizes.real();
        48.0 * m * n
    }

    fn submit<T: Scalar>(flow: &mut Flow, case: &mut Case<T>) {
        latms(flow, SpectrumKind::General, &SPECTRUM, case.sizes.seed, &case[0]);
    }

    fn check<T: Scalar>(flow: &mut Flow, case: &Case<T>) -> Result<f64, Failure> {
        let Sizes { m, n, seed, .. } = case.sizes;
        let values = SPECTRUM.values(SpectrumKind::General, m.min(n), seed);
        let expected: f64 = values.iter().map(|value| value * value).sum();
        let mut found = 0.0;
        case.found(0).each(flow, |_, _, x| found += x.norm_sqr())?;
        let unit = m.max(n).max(1) as f64 * T::epsilon() * expected;
        let error = (found - expected).abs() / unit.max(f64::MIN_POSITIVE);
        Ok(if error.is_nan() { f64::INFINITY } else { error })
    }
}
