//! The panel by cuSOLVER, whose pivots are those of LAPACK, and its notes in our words.

use tegula_runtime::flow::{Failure, Launch};

use super::Getrf;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, Solver, Verdict, int, leading, output, workspace};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Getrf<T> {
    /// Puts the factorization on the stream; of real numbers.
    #[allow(unsafe_code)]
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, first, .. } = self;
        let (steps, (all, count)) = (self.steps(), launch.write::<u32>(2));
        let a = Block::<T>::output(launch, 0, m, n).part(first, 0, m - first, n);
        assert!(first + steps <= count, "{count} pivots for step {}", first + steps);
        let (pivots, singular) = (output::<u32>(launch, 1, steps), output::<u64>(launch, 3, 1));
        if steps == 0 {
            return Ok(());
        }
        let (solver, calls) = Solver::of::<T>(launch)?;
        let (rows, cols, ld, mut room) = (int(m - first), int(n), leading(m), 0);
        let place = a.pointer();
        // SAFETY: it asks for a size only.
        solver.call(|solver| unsafe {
            (calls.getrf_room)(solver, rows, cols, place, ld, &mut room)
        })?;
        let noted = (steps * size_of::<i32>()).next_multiple_of(256);
        let room = usize::try_from(room)? * size_of::<T>();
        let made = workspace(launch, noted + room)?;
        let work = (made + noted as u64) as *mut T;
        // A step that fails is noted, and ends nothing: nobody else looks at it.
        let failed = Verdict::new(launch)?.address();
        let (exchanges, info) = (made as *mut i32, failed as *mut i32);
        // SAFETY: the panel is inside the tile, there is a place for each exchange, and the room is
        // as large as was asked for.
        solver.call(|solver| unsafe {
            (calls.getrf)(solver, rows, cols, place, ld, work, exchanges, info)
        })?;
        let arguments: [Argument<T>; 7] = [
            Argument::size(steps),
            Argument::size(first),
            Argument::Place(made),
            Argument::Place(failed),
            Argument::place(pivots),
            Argument::place(all),
            Argument::place(singular),
        ];
        // SAFETY: there is a place for each of the steps everywhere.
        unsafe { Program::run(launch, "note_exchanges", Grid::over(steps), &arguments) }
    }
}
