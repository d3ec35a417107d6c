//! The inversion by cuBLAS: it solves for the identity beside the tile.

use tegula_runtime::flow::{Failure, Launch};

use super::Trtri;
use crate::cuda::device_code::Argument;
use crate::cuda::{Blas, Grid, Program, Triangles, Verdict, diag, int, output, side, trans, uplo};
use crate::error::NumericalError;
use crate::kernel::laset::Laset;
use crate::option::{Diag, Side, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> Trtri<T> {
    /// Puts the inversion on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (n, offset) = (self.n, self.offset);
        let a = output::<T>(launch, 0, n * n);
        if n == 0 {
            return Ok(());
        }
        let verdict = Verdict::new(launch)?;
        if self.diag == Diag::NonUnit {
            let address = Argument::Place(verdict.address());
            let size = Argument::<T>::size(n);
            let arguments = [size, Argument::place(a), size, address];
            // SAFETY: the tile is `n x n`, and the verdict is on the device.
            unsafe { Program::run(launch, "find_zero", Grid::ONE_BLOCK, &arguments) }?;
        }
        let triangles = Triangles::new(launch, n, a, self.uplo, self.diag)?;
        let identity = Laset { m: n, n, off_diagonal: T::ZERO, diagonal: T::ONE };
        identity.fill(launch, triangles.full)?;
        self.solve(launch, a, triangles.full)?;
        triangles.put(launch, &verdict)?;
        verdict
            .check(launch, move |index| NumericalError::SingularTriangle { index: index + offset })
    }

    #[allow(unsafe_code)]
    fn solve(&self, launch: &Launch<'_>, a: *mut T, full: *mut T) -> Result<(), Failure> {
        let (left, fill, same) = (side(Side::Left), uplo(self.uplo), trans(Trans::No));
        let (unit, n, one) = (diag(self.diag), int(self.n), T::ONE);
        let (blas, calls) = Blas::of::<T>(launch)?;
        // SAFETY: both matrices are `n x n`.
        blas.call(|blas| unsafe {
            (calls.trsm)(blas, left, fill, same, unit, n, n, &one, a, n, full, n)
        })
    }
}
