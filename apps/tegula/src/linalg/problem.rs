//! A problem on which an algorithm is timed: its matrices, what is submitted, how it is checked.

use tegula_kernels::scalar::Scalar;
use tegula_linalg::copied_tiles;
use tegula_runtime::flow::{Flow, FlowError};

use crate::demand::{Demand, Grid};

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
    /// Bytes of a number.
    pub(super) number_bytes: usize,
    /// Number of workers.
    pub(super) workers: usize,
    /// Seed of the random entries.
    pub(super) seed: u64,
}

impl Sizes {
    /// The sizes with their names in flags and results.
    pub(super) fn all(&self) -> [(&'static str, usize); 4] {
        [("m", self.m), ("n", self.n), ("k", self.k), ("nrhs", self.nrhs)]
    }

    /// An `m x n` matrix in tiles of order `nb`.
    pub(super) fn full(&self, m: usize, n: usize) -> Grid {
        Grid::full((m, n), (self.nb, self.nb), self.number_bytes)
    }

    /// A lower triangle of order `n`, likewise.
    pub(super) fn lower(&self, n: usize) -> Grid {
        Grid::lower(n, self.nb, self.number_bytes)
    }

    /// The sizes called `used`, in words.
    pub(super) fn describe(&self, used: &[&str]) -> String {
        let sizes = self.all().into_iter().filter(|(name, _)| used.contains(name));
        sizes.map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ")
    }
}

/// What a problem takes: memory and tasks.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    matrices: Vec<Grid>,
    copies: usize,
    copy_bytes: u64,
    task_bytes: u64,
    /// Tasks before what is timed.
    pub(super) fill_tasks: f64,
    /// Tasks that are timed.
    pub(super) tasks: f64,
}

impl Plan {
    /// For an algorithm of `tasks` tasks on these matrices, of which the largest works on
    /// `task_bytes` bytes.
    pub(super) fn new(matrices: Vec<Grid>, task_bytes: u64, tasks: f64) -> Self {
        let fill_tasks = matrices.iter().map(Grid::tiles).sum::<usize>() as f64;
        Self { matrices, copies: 0, copy_bytes: 0, task_bytes, fill_tasks, tasks }
    }

    /// With the copies that a factorisation of `a` keeps.
    pub(super) fn with_copies(mut self, a: &Grid, workers: usize) -> Self {
        self.copies = copied_tiles(a.nt(), workers);
        self.copy_bytes = self.copies as u64 * a.tile(0, 0);
        self
    }

    /// What it asks of memories.
    pub(super) fn demand(&self) -> Demand {
        let rows = self.matrices.iter().map(Grid::mt).max().unwrap_or(0);
        Demand {
            bytes: self.matrices.iter().map(Grid::bytes).sum(),
            copy_bytes: self.copy_bytes,
            task_bytes: self.task_bytes,
            // A check may have a vector more.
            pieces: self.matrices.iter().map(Grid::tiles).sum::<usize>() + self.copies + rows,
            tasks: self.fill_tasks + self.tasks,
        }
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
