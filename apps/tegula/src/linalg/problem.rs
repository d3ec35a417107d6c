//! A problem on which an algorithm is timed: its matrices, what is submitted, how it is checked.

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};

/// Sizes of a problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Rows.
    pub(super) m: usize,
    /// Columns, or the order of a square matrix.
    pub(super) n: usize,
    /// Inner dimension.
    pub(super) k: usize,
    /// Right-hand sides.
    pub(super) nrhs: usize,
    /// Order of the tiles.
    pub(super) nb: usize,
    /// Seed of the random entries.
    pub(super) seed: u64,
}

impl Sizes {
    /// The sizes with their names in flags and results.
    pub(super) fn all(&self) -> [(&'static str, usize); 4] {
        [("m", self.m), ("n", self.n), ("k", self.k), ("nrhs", self.nrhs)]
    }

    /// The sizes called `used`, in words.
    pub(super) fn describe(&self, used: &[&str]) -> String {
        let sizes = self.all().into_iter().filter(|(name, _)| used.contains(name));
        sizes.map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ")
    }
}

/// A problem in one precision.
pub(super) trait Problem<T: Scalar> {
    /// Registers its matrices with `flow`.
    fn register(&mut self, flow: &mut Flow);

    /// Submits the tasks that make its matrices, and whatever is not timed.
    ///
    /// # Errors
    /// Those of the flow.
    fn fill(&mut self, flow: &mut Flow) -> Result<(), FlowError>;

    /// Submits the algorithm.
    fn submit(&mut self, flow: &mut Flow);

    /// The backward error of what the last [`submit`](Self::submit) left, in units of rounding.
    ///
    /// # Errors
    /// Those of the flow.
    fn check(&mut self, flow: &mut Flow) -> Result<f64, FlowError>;
}
