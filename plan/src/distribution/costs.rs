//! What a factorisation costs on unequal ranks: its tasks, how long each takes, and messages.

use tegula_bounds::{TaskType, area};

use super::Powers;
use tegula_tiles::Storage;

/// A factorisation of a square grid of tiles, without pivoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorisation {
    /// LU, of all tiles.
    Lu,
    /// Cholesky, of those on and below the diagonal.
    Cholesky,
}

/// What a task of a factorisation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Factorises the tile on the diagonal (GETRF, POTRF).
    Factor,
    /// Solves with it for a tile below or beside it (TRSM).
    Solve,
    /// Updates a tile on the diagonal of a symmetric matrix (SYRK).
    Square,
    /// Updates any other tile (GEMM).
    Update,
}

/// Something for each [`Kind`], in their order.
pub type PerKind<T> = [T; 4];

impl Factorisation {
    /// That of square matrices of which the tiles of `storage` are there.
    #[must_use]
    pub fn of(storage: Storage) -> Self {
        match storage {
            Storage::Full => Self::Lu,
            Storage::Lower => Self::Cholesky,
        }
    }

    /// Which tiles of a matrix it factorises.
    #[must_use]
    pub fn storage(self) -> Storage {
        match self {
            Self::Lu => Storage::Full,
            Self::Cholesky => Storage::Lower,
        }
    }

    /// The task on tile `(i, j)` at iteration `k`, with neither index below `k`.
    pub(crate) fn kind(self, k: usize, (i, j): (usize, usize)) -> Kind {
        match (i == k, j == k) {
            (true, true) => Kind::Factor,
            (false, false) if self == Self::Cholesky && i == j => Kind::Square,
            (false, false) => Kind::Update,
            _ => Kind::Solve,
        }
    }

    /// Tasks of each kind of an iteration after which `rest` rows of tiles are left.
    #[must_use]
    pub fn tasks(self, rest: usize) -> PerKind<u64> {
        let rest = rest as u64;
        match self {
            Self::Lu => [1, 2 * rest, 0, rest * rest],
            Self::Cholesky => [1, rest, rest, rest * rest.saturating_sub(1) / 2],
        }
    }

    /// Operations of each kind of task, in thirds of the cube of the order of a tile (Golub, Van
    /// Loan, "Matrix computations", 4th edition).
    fn operations(self) -> PerKind<f64> {
        match self {
            Self::Lu => [2.0, 3.0, 3.0, 6.0],
            Self::Cholesky => [1.0, 3.0, 3.0, 6.0],
        }
    }
}

/// Workers of one rank that are alike: its cores, or its devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workers {
    /// How many there are.
    pub count: usize,
    /// How long one takes for a task of each kind, in seconds; none: it cannot.
    pub seconds: PerKind<Option<f64>>,
}

impl Workers {
    /// How long they take for all tasks of a kind; for ever if they cannot.
    fn area(&self, tasks: &PerKind<u64>, kind: usize) -> f64 {
        let seconds = self.seconds[kind].unwrap_or(f64::INFINITY);
        tasks[kind] as f64 * seconds / self.count as f64
    }
}

/// What tasks and messages cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// Of which tasks.
    pub factorisation: Factorisation,
    /// For each rank its workers, by kind.
    pub ranks: Vec<Vec<Workers>>,
    /// How long it takes to send a tile, in seconds.
    pub message_seconds: f64,
}

/// Of a rank of which nothing but the power is known, the workers, and the time of a message in
/// that of an update by one worker of a rank of mean power: those of the nodes of L. L. Nesi, PhD
/// thesis, UGA and UFRGS, 2023, table 4.1 (24 cores that compute) and tables 4.2 and 4.3 (58 ms,
/// 7.3 ms).
const WORKERS: usize = 24;
const MESSAGE: f64 = 0.125;

impl Costs {
    /// Costs of ranks of which only the powers are known. The unit of time is that of an update by
    /// one worker of a rank of mean power.
    #[must_use]
    pub fn of_powers(powers: &Powers, factorisation: Factorisation) -> Self {
        let powers = powers.as_slice();
        let able = powers.iter().filter(|&&power| power > 0.0).count();
        let mean = powers.iter().sum::<f64>() / able as f64;
        let [.., update] = factorisation.operations();
        let workers = |&power: &f64| {
            let seconds = |operations| (power > 0.0).then(|| operations / update * mean / power);
            vec![Workers { count: WORKERS, seconds: factorisation.operations().map(seconds) }]
        };
        let ranks = powers.iter().map(workers).collect();
        Self { factorisation, ranks, message_seconds: MESSAGE }
    }

    /// Those of `ranks` alone.
    pub(super) fn only(&self, ranks: &[usize]) -> Self {
        Self { ranks: ranks.iter().map(|&rank| self.ranks[rank].clone()).collect(), ..self.clone() }
    }

    /// How long the fastest worker of `rank` takes for a task.
    ///
    /// # Panics
    /// If none of its workers can run it.
    #[must_use]
    pub fn seconds(&self, rank: usize, kind: Kind) -> f64 {
        let able = self.ranks[rank].iter().filter(|workers| workers.count > 0);
        let seconds = able.filter_map(|workers| workers.seconds[kind as usize]);
        let fastest = seconds.reduce(f64::min);
        fastest.unwrap_or_else(|| panic!("rank {rank} cannot run a task of kind {kind:?}"))
    }

    /// The area bound of so many tasks of each kind on all workers of `ranks`, in seconds; see
    /// [`area`].
    ///
    /// # Panics
    /// If none of them can run one of the tasks.
    #[must_use]
    pub fn area(&self, tasks: &PerKind<u64>, ranks: impl IntoIterator<Item = usize>) -> f64 {
        let mut classes: Vec<Workers> = Vec::new();
        for workers in ranks.into_iter().flat_map(|rank| &self.ranks[rank]) {
            match classes.iter_mut().find(|class| class.seconds == workers.seconds) {
                Some(class) => class.count += workers.count,
                None => classes.push(*workers),
            }
        }
        area_of(tasks, &classes)
    }

    /// The area bound of so many tasks of each kind on the workers of `rank`, in seconds.
    ///
    /// # Panics
    /// If none of them can run one of the tasks.
    #[must_use]
    pub fn area_of_rank(&self, tasks: &PerKind<u64>, rank: usize) -> f64 {
        area_of(tasks, &self.ranks[rank])
    }
}

/// The area bound of tasks on workers.
fn area_of(tasks: &PerKind<u64>, workers: &[Workers]) -> f64 {
    let seconds = match workers {
        [workers] => area_of_one(tasks, workers),
        [first, second] => area_of_two(tasks, first, second),
        _ => area_of_any(tasks, workers),
    };
    assert!(seconds.is_finite(), "no worker can run some of the tasks {tasks:?}");
    seconds
}

/// Workers that are alike share the work evenly.
fn area_of_one(tasks: &PerKind<u64>, workers: &Workers) -> f64 {
    (0..tasks.len()).filter(|&kind| tasks[kind] > 0).map(|k| workers.area(tasks, k)).sum()
}

/// With two kinds of workers, by the dual of the linear programme: the largest over `p` in
/// `[0, 1]` of the sum of `min(p a, (1 - p) b)`, where the workers of the first kind take `a` for
/// all tasks of a kind and those of the second `b`. This is concave, and linear between places
/// where the two are equal for some tasks, so it is largest at one of these or at an end.
fn area_of_two(tasks: &PerKind<u64>, first: &Workers, second: &Workers) -> f64 {
    let times = |kind| (first.area(tasks, kind), second.area(tasks, kind));
    let times = [0, 1, 2, 3].map(|kind| if tasks[kind] > 0 { times(kind) } else { (0.0, 0.0) });
    // The smaller of infinity times 0, which is no number, and a time is the time.
    let dual = |p: f64| times.iter().map(|(a, b)| (p * a).min((1.0 - p) * b)).sum::<f64>();
    let ends = [0.0, 1.0].into_iter();
    ends.chain(times.iter().map(|(a, b)| b / (a + b))).map(dual).fold(0.0, f64::max)
}

/// With any workers, by the linear programme.
fn area_of_any(tasks: &PerKind<u64>, workers: &[Workers]) -> f64 {
    let of_kind = |(kind, &tasks): (usize, &u64)| {
        let seconds = workers.iter().map(|workers| workers.seconds[kind]).collect();
        (tasks > 0).then_some(TaskType { tasks, seconds })
    };
    let types: Vec<TaskType> = tasks.iter().enumerate().filter_map(of_kind).collect();
    let counts: Vec<usize> = workers.iter().map(|workers| workers.count).collect();
    area(&types, &counts).map_or(f64::INFINITY, |area| area.seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// One of the two kinds of workers may be unable to do a kind of task.
        #[test]
        fn the_bound_of_two_kinds_of_workers_is_that_of_the_programme(
            tasks in prop::array::uniform4(0u64..50),
            counts in (1usize..10, 1usize..10),
            seconds in prop::array::uniform4((0.1f64..2.0, 0.1f64..2.0)),
            able in prop::array::uniform4(0usize..3),
        ) {
            let of = |class: usize| {
                let one = |kind: usize| if class == 0 { seconds[kind].0 } else { seconds[kind].1 };
                [0, 1, 2, 3].map(|kind| (able[kind] != class).then(|| one(kind)))
            };
            let workers = [(counts.0, of(0)), (counts.1, of(1))];
            let workers = workers.map(|(count, seconds)| Workers { count, seconds });
            let (found, expected) = (area_of(&tasks, &workers), area_of_any(&tasks, &workers));
            prop_assert!((found - expected).abs() <= 1e-6 * expected, "{} {}", found, expected);
        }
    }

    #[test]
    #[should_panic(expected = "no worker can run some of the tasks [0, 1, 0, 0]")]
    fn tasks_that_nobody_can_run_have_no_bound() {
        let seconds = [Some(1.0), None, Some(1.0), Some(1.0)];
        area_of(&[0, 1, 0, 0], &[Workers { count: 1, seconds }, Workers { count: 2, seconds }]);
    }
}
