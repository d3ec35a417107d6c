//! What a factorisation costs on unequal ranks: its tasks, how long each takes, and messages.

use tegula_runtime::bounds::{TaskType, area};

use super::Powers;

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
    /// The task on tile `(i, j)` at iteration `k`, with neither index below `k`.
    pub(super) fn kind(self, k: usize, (i, j): (usize, usize)) -> Kind {
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
        if let [class] = classes[..] {
            // They share the work evenly.
            let seconds = |(&tasks, seconds): (&u64, &Option<f64>)| match tasks {
                0 => 0.0,
                _ => tasks as f64 * seconds.expect("the workers can run each task"),
            };
            return tasks.iter().zip(&class.seconds).map(seconds).sum::<f64>() / class.count as f64;
        }
        let of_kind = |(kind, &tasks): (usize, &u64)| {
            let seconds = classes.iter().map(|class| class.seconds[kind]).collect();
            (tasks > 0).then_some(TaskType { tasks, seconds })
        };
        let types: Vec<TaskType> = tasks.iter().enumerate().filter_map(of_kind).collect();
        let counts: Vec<usize> = classes.iter().map(|class| class.count).collect();
        area(&types, &counts).expect("some worker can run each task").seconds
    }
}
