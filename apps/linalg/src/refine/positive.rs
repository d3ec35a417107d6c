//! Refinement with Cholesky factors.

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Form, Part, Side, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use super::{Refinement, System, solve};
use crate::convert::convert;
use crate::elementwise::lacpy;
use crate::norm::lansy;
use crate::potrf::potrf;
use crate::potrs::potrs;
use crate::symm::symm;

/// Solves `A X = B` with a Hermitian positive definite matrix `a`, of which the lower triangle is
/// read, as exactly as [`posv`](crate::posv) from a factorisation in 32 bits (LAPACK's xxPOSV).
/// Neither `a` nor `b` is changed; waits.
///
/// # Errors
/// Those of tasks before.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn posv_mixed<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    b: &TileMatrix<T>,
    x: &TileMatrix<T>,
) -> Result<Refinement, FlowError> {
    solve(flow, Positive { a, narrow: None, wide: None }, b, x)
}

struct Positive<'a, T: Scalar> {
    a: &'a TileMatrix<T>,
    narrow: Option<TileMatrix<T::Other>>,
    wide: Option<TileMatrix<T>>,
}

const NO_FACTORS: &str = "the factors are made before they are used";

impl<T: Scalar<Real = f64>> System<T> for Positive<'_, T> {
    fn norm(&self, flow: &mut Flow) -> Result<f64, FlowError> {
        lansy(flow, Norm::Infinity, (Form::Hermitian, Uplo::Lower), self.a)
    }

    fn subtract_product(&self, flow: &mut Flow, x: &TileMatrix<T>, r: &TileMatrix<T>) {
        let how = (Form::Hermitian, Side::Left, Uplo::Lower);
        symm(flow, how, -T::ONE, self.a, x, T::ONE, r);
    }

    fn factorise_narrow(&mut self, flow: &mut Flow) -> Result<bool, FlowError> {
        let narrow = TileMatrix::lower(flow, self.a.n(), self.a.nb());
        convert(flow, Part::Lower, self.a, &narrow);
        potrf(flow, &narrow);
        self.narrow = Some(narrow);
        Ok(outcome(flow)?.is_none())
    }

    fn solve_narrow(&self, flow: &mut Flow, b: &TileMatrix<T::Other>) {
        potrs(flow, self.narrow.as_ref().expect(NO_FACTORS), b);
    }

    fn widen(&mut self, flow: &mut Flow) -> Result<(), FlowError> {
        let wide = TileMatrix::lower(flow, self.a.n(), self.a.nb());
        convert(flow, Part::Lower, self.narrow.as_ref().expect(NO_FACTORS), &wide);
        self.wide = Some(wide);
        flow.wait()
    }

    fn factorise_wide(&mut self, flow: &mut Flow) -> Result<Option<NumericalError>, FlowError> {
        let (n, nb) = (self.a.n(), self.a.nb());
        let wide = self.wide.get_or_insert_with(|| TileMatrix::lower(flow, n, nb));
        lacpy(flow, Part::Lower, self.a, wide);
        potrf(flow, &*wide);
        outcome(flow)
    }

    fn solve_wide(&self, flow: &mut Flow, b: &TileMatrix<T>) {
        potrs(flow, self.wide.as_ref().expect(NO_FACTORS), b);
    }

    fn retire(self, flow: &mut Flow) {
        self.narrow.into_iter().for_each(|narrow| narrow.unregister(flow));
        self.wide.into_iter().for_each(|wide| wide.unregister(flow));
    }
}

/// Waits; the numerical failure, if that is what happened.
fn outcome(flow: &mut Flow) -> Result<Option<NumericalError>, FlowError> {
    match flow.wait() {
        Ok(()) => Ok(None),
        Err(error) => error.kernel_error().copied().map_or(Err(error), |why| Ok(Some(why))),
    }
}
