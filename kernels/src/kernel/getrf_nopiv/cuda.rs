//! The factorization by cuSOLVER, which exchanges no rows where it is given no place to note them,
//! and a look at its pivots.

use std::ptr;

use tegula_runtime::flow::{Failure, Launch};

use super::GetrfNopiv;
use crate::cuda::device_code::Argument;
use crate::cuda::{Grid, Program, Solver, Verdict, int, output, workspace};
use crate::error::NumericalError;
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> GetrfNopiv<T> {
    /// Puts the factorization on the stream.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, offset, .. } = self;
        let a = output::<T>(launch, 0, m * n);
        if m == 0 || n == 0 {
            return Ok(());
        }
        let verdict = Verdict::new(launch)?;
        self.factor(launch, a, &verdict)?;
        let pivots = Argument::size(m.min(n));
        let arguments: [Argument<T>; 4] =
            [pivots, Argument::place(a), Argument::size(m), Argument::Place(verdict.address())];
        // SAFETY: the tile is `m x n`, and the verdict is on the device.
        unsafe { Program::run(launch, "find_bad_lu_pivot", Grid::ONE_BLOCK, &arguments) }?;
        verdict.check(launch, move |index| NumericalError::SingularPivot { index: index + offset })
    }

    #[allow(unsafe_code)]
    fn factor(&self, launch: &Launch<'_>, a: *mut T, verdict: &Verdict) -> Result<(), Failure> {
        let (solver, calls) = Solver::of::<T>(launch)?;
        let (m, n, mut room) = (int(self.m), int(self.n), 0);
        // SAFETY: it asks for a size only.
        solver.call(|handle| unsafe { (calls.getrf_room)(handle, m, n, a, m, &mut room) })?;
        let bytes = usize::try_from(room)? * size_of::<T>();
        let work = workspace(launch, bytes)? as *mut T;
        let (none, info) = (ptr::null_mut(), verdict.address() as *mut i32);
        // SAFETY: the tile is `m x n`, the room as large as was asked for.
        solver.call(|handle| unsafe { (calls.getrf)(handle, m, n, a, m, work, none, info) })
    }
}
