//! A triangle of a tile, copied out of it and back: for library functions that work on full
//! matrices where our contracts spare the other triangle.

use tegula_runtime::flow::{Failure, Launch};

use super::device_code::{Argument, Grid, Program};
use super::verdict::Verdict;
use super::workspace;
use crate::option::{Diag, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(super) const SOURCE: &str = include_str!("triangle.cu");

/// A triangular tile on the device, and room for a full matrix.
pub(crate) struct Triangles<T> {
    n: usize,
    tile: *mut T,
    /// The full matrix, `n x n`.
    pub(crate) full: *mut T,
    uplo: Uplo,
    diag: Diag,
}

impl<T: Scalar> Triangles<T> {
    pub(crate) fn new(
        launch: &Launch<'_>,
        n: usize,
        tile: *mut T,
        uplo: Uplo,
        diag: Diag,
    ) -> Result<Self, Failure> {
        let full = workspace(launch, n * n * size_of::<T>())? as *mut T;
        Ok(Self { n, tile, full, uplo, diag })
    }

    fn flags(&self) -> [Argument<T>; 2] {
        let flag = |holds| Argument::Flag(i32::from(holds));
        [flag(self.uplo == Uplo::Lower), flag(self.diag == Diag::Unit)]
    }

    /// Copies the triangle to the full matrix, with zeros beside it.
    #[allow(unsafe_code)]
    pub(crate) fn take(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let [lower, unit] = self.flags();
        let (n, a) = (Argument::size(self.n), Argument::place(self.tile));
        let arguments = [n, a, Argument::place(self.full), lower, unit];
        // SAFETY: both matrices are `n x n`.
        unsafe { Program::run(launch, "take_triangle", Grid::over(self.n * self.n), &arguments) }
    }

    /// Copies the triangle back, if the verdict is 0.
    #[allow(unsafe_code)]
    pub(crate) fn put(&self, launch: &Launch<'_>, verdict: &Verdict) -> Result<(), Failure> {
        let [lower, unit] = self.flags();
        let (n, w) = (Argument::size(self.n), Argument::place(self.full));
        let verdict = Argument::Place(verdict.address());
        let arguments = [n, w, Argument::place(self.tile), lower, unit, verdict];
        // SAFETY: both matrices are `n x n`, and the verdict is on the device.
        unsafe { Program::run(launch, "put_triangle", Grid::over(self.n * self.n), &arguments) }
    }
}
