//! What a computation of two phases has to do: tasks of each type in each step.

use tegula_kernels::kernel::kernel;
use tegula_runtime::flow::Cost;

use crate::distribution::Factorisation;
use tegula_tiles::Storage;

/// One of two phases that overlap: the second one works on what the first one makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Generation of tiles, or reading.
    First,
    /// A factorisation, or a product.
    Second,
}

/// The two, in their order.
pub const PHASES: [Phase; 2] = [Phase::First, Phase::Second];

/// Tasks that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskType {
    /// Their kernel, by the name that platforms have times for.
    pub kernel: &'static str,
    /// What one task costs.
    pub cost: Cost,
    /// Where they belong.
    pub phase: Phase,
    /// How many there are in each step.
    pub tasks: Vec<u64>,
}

/// How the second phase shares the tiles of its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A factorisation of `n x n` tiles, 1D-1D over the nodes. Those of its messages are counted.
    Square(Factorisation, usize),
    /// A product of `rows x columns` tiles with few columns, by rows of tiles. What nodes send each
    /// other, the few columns, does not depend on who has which row.
    Rows(usize, usize),
}

/// What is to be done: the sets `T` and `S` and the numbers `N` of the programme.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The types of tasks, some of each phase. Each task of the first type of the first phase makes
    /// a tile of the matrix.
    pub types: Vec<TaskType>,
    /// The matrix that the first phase makes and the second one works on.
    pub shape: Shape,
    /// Bytes of a tile of that.
    pub bytes: f64,
    /// Whether a step of the first phase takes at least as long as one of its tasks, as if it has
    /// no more tasks than may run at a time; otherwise only the first step does.
    pub is_paced: bool,
}

impl Workload {
    /// Generation of a symmetric matrix of `n x n` tiles of order `tile`, of which a tile costs
    /// `generation` in `generate`, and its Cholesky factorisation.
    ///
    /// Tile `(i, j)` belongs to step `(i + j) / 2`, with all tasks that write it.
    ///
    /// L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.2, for ExaGeoStat.
    ///
    /// # Panics
    /// If there are no tiles.
    #[must_use]
    pub fn generation_and_cholesky(
        n: usize,
        tile: usize,
        (generate, generation): (&'static str, Cost),
    ) -> Self {
        assert!(n > 0, "a matrix without tiles");
        let [mut generated, mut potrf, mut trsm, mut syrk, mut gemm] = [(); 5].map(|()| vec![0; n]);
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let step = (i + j) / 2;
            generated[step] += 1;
            if i == j {
                potrf[step] += 1;
                syrk[step] += j as u64;
            } else {
                trsm[step] += 1;
                gemm[step] += j as u64;
            }
        }
        let second = |name: &'static str, tasks| {
            let cost = (kernel(name).expect("it is listed").double.cost)(tile);
            TaskType { kernel: name, cost, phase: Phase::Second, tasks }
        };
        let first =
            TaskType { kernel: generate, cost: generation, phase: Phase::First, tasks: generated };
        let types = vec![
            first,
            second("potrf", potrf),
            second("trsm", trsm),
            second("syrk", syrk),
            second("gemm", gemm),
        ];
        Self {
            types,
            shape: Shape::Square(Factorisation::Cholesky, n),
            bytes: (size_of::<f64>() * tile * tile) as f64,
            is_paced: false,
        }
    }

    /// A pass over a matrix that is read in `rows` rows of tiles, each in `bands` parts, and
    /// multiplied by a few columns: a task of `read` for each part, which makes so many `bytes`,
    /// and `products` tasks of `product` that work on it. Kernels come with what one task costs.
    ///
    /// As many parts as there are `readers` on all nodes together are a step, row by row.
    ///
    /// L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.2, for Diodon.
    ///
    /// # Panics
    /// If there are no rows, bands or readers.
    #[must_use]
    pub fn reading_and_product(
        (rows, bands): (usize, usize),
        readers: usize,
        bytes: f64,
        (read, reading): (&'static str, Cost),
        (product, multiplying, products): (&'static str, Cost, usize),
    ) -> Self {
        assert!(rows * bands * readers > 0, "{rows} rows, {bands} bands, {readers} readers");
        let parts = rows * bands;
        let steps = parts.div_ceil(readers);
        let of_step = |step: usize| readers.min(parts - step * readers) as u64;
        let reads: Vec<u64> = (0..steps).map(of_step).collect();
        let released = reads.iter().map(|reads| reads * products as u64).collect();
        let types = vec![
            TaskType { kernel: read, cost: reading, phase: Phase::First, tasks: reads },
            TaskType { kernel: product, cost: multiplying, phase: Phase::Second, tasks: released },
        ];
        Self { types, shape: Shape::Rows(rows, bands), bytes, is_paced: true }
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.types.first().map_or(0, |kind| kind.tasks.len())
    }

    /// Its types in a phase, each with its place.
    pub(super) fn of_phase(&self, phase: Phase) -> impl Iterator<Item = (usize, &TaskType)> {
        self.types.iter().enumerate().filter(move |(_, kind)| kind.phase == phase)
    }

    /// The place of the type of this kernel.
    pub(super) fn type_of(&self, kernel: &str) -> Option<usize> {
        self.types.iter().position(|kind| kind.kernel == kernel)
    }

    /// The type whose tasks make the tiles, with its place.
    pub(super) fn maker(&self) -> (usize, &TaskType) {
        self.of_phase(Phase::First).next().expect("the first phase has tasks")
    }

    /// Tiles that the first phase makes in all.
    pub(super) fn tiles(&self) -> u64 {
        self.maker().1.tasks.iter().sum()
    }

    /// The step of a tile, which are counted in the order in which they are made.
    pub(super) fn step_of(&self, tile: usize) -> usize {
        let made = self.maker().1.tasks.iter().scan(0, |made, tasks| {
            *made += tasks;
            Some(*made)
        });
        made.take_while(|&made| made <= tile as u64).count()
    }

    /// Panics unless all types have as many steps, each phase has tasks, and the tiles are those of
    /// the shape.
    pub(super) fn check(&self) {
        for kind in &self.types {
            let (steps, kernel) = (kind.tasks.len(), kind.kernel);
            assert_eq!(steps, self.steps(), "steps with tasks of {kernel}, and of the first type");
        }
        for phase in PHASES {
            let tasks: u64 = self.of_phase(phase).flat_map(|(_, kind)| &kind.tasks).sum();
            assert!(tasks > 0, "the {phase:?} phase has no tasks");
        }
        let tiles = match self.shape {
            Shape::Square(kind, n) if kind.storage() == Storage::Lower => n * (n + 1) / 2,
            Shape::Square(_, n) => n * n,
            Shape::Rows(rows, columns) => rows * columns,
        };
        assert_eq!(
            self.tiles(),
            tiles as u64,
            "tiles that are made, and tiles of {:?}",
            self.shape
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Cost = Cost { flops: 1.0, bytes: 1.0 };

    #[test]
    fn every_task_of_generation_and_cholesky_is_in_a_step() {
        for n in [1, 2, 7, 20] {
            let work = Workload::generation_and_cholesky(n, 960, ("covariance", COST));
            work.check();
            assert_eq!(work.steps(), n);
            let sum = |place: usize| work.types[place].tasks.iter().sum::<u64>() as usize;
            let triangle = n * (n - 1) / 2;
            assert_eq!([sum(0), sum(1), sum(2), sum(3)], [triangle + n, n, triangle, triangle]);
            assert_eq!(sum(4), n * (n - 1) * n.saturating_sub(2) / 6);
        }
        // Tile (2, 1) is of step 1, with (1, 1) and (2, 0) and (1, 2)'s mirror; (3, 0) too.
        let work = Workload::generation_and_cholesky(4, 960, ("covariance", COST));
        let step = |s: usize| work.types.iter().map(|kind| kind.tasks[s]).collect::<Vec<_>>();
        assert_eq!(step(1), [4, 1, 3, 1, 1]);
        assert_eq!(step(3), [1, 1, 0, 3, 0]);
    }

    #[test]
    fn a_step_of_a_pass_has_a_part_for_each_reader() {
        let (read, product) = (("read", COST), ("gemm", COST, 3));
        let work = Workload::reading_and_product((4, 3), 5, 8.0, read, product);
        assert_eq!(work.types[0].tasks, [5, 5, 2]);
        assert_eq!(work.types[1].tasks, [15, 15, 6]);
    }
}
