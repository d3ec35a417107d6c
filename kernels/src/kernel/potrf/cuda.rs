//! The factorization by cuSOLVER, and a look at its pivots: the contract asks for finite ones, too.

use tegula_runtime::flow::{Failure, Launch};

use super::Potrf;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, Solver, Verdict, int, output, uplo, workspace};
use crate::error::NumericalError;
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Potrf<T> {
    /// Puts the factorization on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (n, offset) = (self.n, self.offset);
        let a = output::<T>(launch, 0, n * n);
        if n == 0 {
            return Ok(());
        }
        let verdict = Verdict::new(launch)?;
        self.factor(launch, a, &verdict)?;
        let address: Argument<T> = Argument::Place(verdict.address());
        let arguments = [Argument::size(n), Argument::place(a), address];
        // SAFETY: the tile is `n x n`, and the verdict is on the device.
        unsafe { Program::run(launch, "find_bad_pivot", Grid::ONE_BLOCK, &arguments) }?;
        verdict.check(launch, move |order| NumericalError::NotPositiveDefinite {
            order: order + offset,
        })
    }

    #[allow(unsafe_code)]
    fn factor(&self, launch: &Launch<'_>, a: *mut T, verdict: &Verdict) -> Result<(), Failure> {
        let (solver, calls) = Solver::of::<T>(launch)?;
        let (n, fill) = (int(self.n), uplo(self.uplo));
        let mut room = 0;
        // SAFETY: it asks for a size only.
        solver.call(|handle| unsafe { (calls.potrf_room)(handle, fill, n, a, n, &mut room) })?;
        let bytes = usize::try_from(room)? * size_of::<T>();
        let work = workspace(launch, bytes)? as *mut T;
        let info = verdict.address() as *mut i32;
        // SAFETY: the tile is `n x n`, the room as large as was asked for.
        solver.call(|handle| unsafe { (calls.potrf)(handle, fill, n, a, n, work, room, info) })
    }
}
