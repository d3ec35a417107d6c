//! The factorization in panels: one block of threads factors a panel, cuBLAS does the rest.

use tegula_runtime::flow::{Failure, Launch};

use super::GetrfNopiv;
use crate::cuda::device_code::Argument;
use crate::cuda::{Blas, Grid, Program, Verdict, diag, int, output, side, trans, uplo};
use crate::error::NumericalError;
use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Columns of a panel.
const WIDTH: usize = 32;

impl<T: Scalar> GetrfNopiv<T> {
    /// Puts the factorization on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, offset, .. } = self;
        let a = output::<T>(launch, 0, m * n);
        let verdict = Verdict::new(launch)?;
        for first in (0..m.min(n)).step_by(WIDTH) {
            let width = WIDTH.min(m.min(n) - first);
            self.panel(launch, a, first, width, &verdict)?;
            if first + width < n {
                self.update(launch, a, first, width)?;
            }
        }
        verdict.check(launch, move |index| NumericalError::SingularPivot { index: index + offset })
    }

    /// Entry `(i, j)` of the tile at `a`.
    fn entry(&self, a: *mut T, i: usize, j: usize) -> *mut T {
        a.wrapping_add(i + j * self.m)
    }

    /// Factors the panel of `width` columns that begins at row and column `first`.
    #[allow(unsafe_code)]
    fn panel(
        &self,
        launch: &Launch<'_>,
        a: *mut T,
        first: usize,
        width: usize,
        verdict: &Verdict,
    ) -> Result<(), Failure> {
        let arguments: [Argument<T>; 6] = [
            Argument::size(self.m - first),
            Argument::size(width),
            Argument::place(self.entry(a, first, first)),
            Argument::size(self.m),
            Argument::size(first),
            Argument::Place(verdict.address()),
        ];
        // SAFETY: the panel is inside the tile, and the verdict is on the device.
        unsafe { Program::run(launch, "factor_panel", Grid::ONE_BLOCK, &arguments) }
    }

    /// Brings what is to the right of the panel up to date.
    #[allow(unsafe_code)]
    fn update(
        &self,
        launch: &Launch<'_>,
        a: *mut T,
        first: usize,
        width: usize,
    ) -> Result<(), Failure> {
        let ((blas, calls), next) = (Blas::of::<T>(launch)?, first + width);
        let (ld, k, cols) = (int(self.m), int(width), int(self.n - next));
        let (left, lower) = (side(Side::Left), uplo(Uplo::Lower));
        let (same, unit, one, minus) = (trans(Trans::No), diag(Diag::Unit), T::ONE, -T::ONE);
        let (l, u) = (self.entry(a, first, first), self.entry(a, first, next));
        // SAFETY: the triangle and the rows beside it are inside the tile.
        blas.call(|blas| unsafe {
            (calls.trsm)(blas, left, lower, same, unit, k, cols, &one, l, ld, u, ld)
        })?;
        if next == self.m {
            return Ok(());
        }
        let (rows, l) = (int(self.m - next), self.entry(a, next, first));
        let rest = self.entry(a, next, next);
        // SAFETY: the three blocks are inside the tile and disjoint.
        blas.call(|blas| unsafe {
            let (l, u) = (l.cast_const(), u.cast_const());
            (calls.gemm)(blas, same, same, rows, cols, k, &minus, l, ld, u, ld, &one, rest, ld)
        })
    }
}
