//! The exchange all at once: where each row's contents come from is found out first, by a thread
//! for each row that changes, and the rows go by way of a copy.

use tegula_runtime::flow::{Failure, Launch};

use super::Laswp;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, workspace};
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> Laswp<T> {
    /// Puts the exchange on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, first, backward, .. } = self;
        let a = Block::<T>::output(launch, 1, m, n);
        let exchange = Exchange::new(launch, 0, first, first, backward);
        let room = workspace(launch, exchange.bytes::<T>(n))?;
        exchange.run(launch, a, room)
    }
}

/// Exchanges of rows, in order or undone, on a device.
pub(in crate::kernel) struct Exchange {
    /// The pivots, from the first step on.
    pivots: *const u32,
    steps: usize,
    /// Row of the first step.
    first: usize,
    backward: bool,
}

impl Exchange {
    /// That of the pivots in buffer `index`, of which some are skipped.
    ///
    /// # Panics
    /// If there are not so many.
    pub(in crate::kernel) fn new(
        launch: &Launch<'_>,
        index: usize,
        skipped: usize,
        first: usize,
        backward: bool,
    ) -> Self {
        let (pivots, count) = launch.read::<u32>(index);
        assert!(skipped <= count, "{skipped} of {count} pivots left out");
        Self { pivots: pivots.wrapping_add(skipped), steps: count - skipped, first, backward }
    }

    /// Working memory for `n` columns.
    pub(in crate::kernel) fn bytes<T>(&self, n: usize) -> usize {
        self.steps * 4 * size_of::<u64>() + self.steps * 2 * n * size_of::<T>()
    }

    /// Puts the exchange of rows of `a` on the stream, with working memory at `room`.
    #[allow(unsafe_code)]
    pub(in crate::kernel) fn run<T: Scalar>(
        &self,
        launch: &Launch<'_>,
        a: Block<T>,
        room: u64,
    ) -> Result<(), Failure> {
        let &Self { steps, first, backward, .. } = self;
        if steps == 0 || a.is_empty() {
            return Ok(());
        }
        let (count, n) = (Argument::<T>::size(2 * steps), Argument::size(a.cols()));
        let bytes = (2 * steps * size_of::<u64>()) as u64;
        let rows = Argument::Place(room);
        let (from, copy) = (Argument::Place(room + bytes), Argument::Place(room + 2 * bytes));
        let order = Argument::Flag(i32::from(backward));
        let trace = [
            Argument::size(steps),
            Argument::size(first),
            order,
            Argument::place(self.pivots),
            rows,
        ];
        let grid = Grid::matrix(2 * steps, a.cols());
        // SAFETY: the pivots are rows of the block, and there is working memory for two numbers per
        // row that is touched and for the rows themselves.
        unsafe {
            Program::run(launch, "trace_rows", Grid::over(2 * steps), &trace)?;
            let take = [count, n, from, a.place(), a.ld(), copy];
            Program::run(launch, "take_rows", grid, &take)?;
            Program::run(launch, "put_rows", grid, &[count, n, rows, copy, a.place(), a.ld()])
        }
    }
}
