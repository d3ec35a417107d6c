//! Refinement with LU factors, on columns of blocks.

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix};

use super::{Refinement, System, solve};
use crate::convert::convert;
use crate::elementwise::lacpy;
use crate::gemm::gemm;
use crate::getrf::{Pivots, getrf};
use crate::getrs::getrs;
use crate::norm::lange;
use crate::redistribute::redistribute;

/// Solves `A X = B` with a matrix `a` in columns of blocks, as exactly as [`getrf`](crate::getrf)
/// and [`getrs`](crate::getrs) do, from a factorisation in 32 bits (LAPACK's xxGESV). Neither `a`
/// nor `b` is changed; waits.
///
/// # Errors
/// Those of tasks before.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn gesv_mixed<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
    x: &TileMatrix<T>,
) -> Result<Refinement, FlowError> {
    solve(flow, General { a, narrow: None, wide: None }, b, x)
}

/// Factors with their pivots.
type Factors<T> = (TileMatrix<T>, Pivots);

struct General<'a, T: Scalar> {
    a: &'a TileMatrix<T>,
    narrow: Option<Factors<T::Other>>,
    wide: Option<Factors<T>>,
}

const NO_FACTORS: &str = "the factors are made before they are used";

fn like<T: Scalar, U: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Factors<U> {
    let factors = TileMatrix::new(flow, (a.m(), a.n()), (a.mb(), a.nb()), Storage::Full);
    let pivots = Pivots::new(flow, &factors);
    (factors, pivots)
}

impl<T: Scalar<Real = f64>> System<T> for General<'_, T> {
    fn norm(&self, flow: &mut Flow) -> Result<f64, FlowError> {
        lange(flow, Norm::Infinity, self.a)
    }

    fn subtract_product(&self, flow: &mut Flow, x: &TileMatrix<T>, r: &TileMatrix<T>) {
        // A product takes the columns of A and the rows of X in the same pieces.
        let rows = TileMatrix::<T>::new(flow, (x.m(), x.n()), (self.a.nb(), x.nb()), Storage::Full);
        redistribute(flow, x, &rows);
        gemm(flow, (Trans::No, Trans::No), -T::ONE, self.a, &rows, T::ONE, r);
        rows.retire(flow);
    }

    fn factorise_narrow(&mut self, flow: &mut Flow) -> Result<bool, FlowError> {
        let (narrow, pivots) = like(flow, self.a);
        convert(flow, Part::Whole, self.a, &narrow);
        getrf(flow, &narrow, &pivots);
        let singular = pivots.singular(flow)?;
        self.narrow = Some((narrow, pivots));
        Ok(singular.is_none())
    }

    fn solve_narrow(&self, flow: &mut Flow, b: &TileMatrix<T::Other>) {
        let (factors, pivots) = self.narrow.as_ref().expect(NO_FACTORS);
        getrs(flow, Trans::No, factors, pivots, b);
    }

    fn widen(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let (narrow, pivots) = self.narrow.as_ref().expect(NO_FACTORS);
        let (wide, copies) = like(flow, self.a);
        convert(flow, Part::Whole, narrow, &wide);
        copies.copy_from(flow, pivots)?;
        self.wide = Some((wide, copies));
        flow.wait()
    }

    fn factorise_wide(&mut self, flow: &mut Flow) -> Result<Option<NumericalError>, FlowError> {
        let (wide, pivots) = like(flow, self.a);
        lacpy(flow, Part::Whole, self.a, &wide);
        getrf(flow, &wide, &pivots);
        let singular = pivots.singular(flow)?;
        let old = self.wide.replace((wide, pivots));
        old.into_iter().for_each(|factors| unregister(flow, factors));
        Ok(singular)
    }

    fn solve_wide(&self, flow: &mut Flow, b: &TileMatrix<T>) {
        let (factors, pivots) = self.wide.as_ref().expect(NO_FACTORS);
        getrs(flow, Trans::No, factors, pivots, b);
    }

    fn retire(self, flow: &mut Flow) {
        self.narrow.into_iter().for_each(|factors| unregister(flow, factors));
        self.wide.into_iter().for_each(|factors| unregister(flow, factors));
    }
}

fn unregister<T: Scalar>(flow: &mut Flow, (factors, pivots): Factors<T>) {
    factors.unregister(flow);
    pivots.unregister(flow);
}
