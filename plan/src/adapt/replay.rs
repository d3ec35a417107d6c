//! Strategies tried on durations that are known beforehand, such as of simulations (section 7.3).

use tegula_runtime::random::{SplitMix64, mix};

use super::{Action, History, Objective, Space};

/// What one action takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolRow {
    /// The action.
    pub action: Action,
    /// The ends of both phases that the linear programme expects, in seconds.
    pub bounds: [f64; 2],
    /// What it takes, in seconds.
    pub seconds: f64,
    /// What its nodes take in that time, in joules, if it is known what they draw.
    pub joules: Option<f64>,
    /// Joules below which that cannot be, where the second bound cannot be beaten.
    pub least_joules: Option<f64>,
}

impl PoolRow {
    /// What it costs; not a number if that needs the joules and they are not known.
    #[must_use]
    pub fn cost(&self, objective: Objective) -> f64 {
        objective.cost(self.seconds, self.joules)
    }
}

/// What every action of a cluster takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The last node of each group of equal ones.
    pub ends: Vec<usize>,
    /// The actions.
    pub rows: Vec<PoolRow>,
}

/// How strategies are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replay {
    /// What they are to make least.
    pub objective: Objective,
    /// Choices of a run.
    pub iterations: usize,
    /// Durations that are drawn of each action, among which those of runs are.
    pub samples: usize,
    /// Standard deviation of one duration, in seconds.
    pub deviation: f64,
    /// What draws begin with.
    pub seed: u64,
}

/// One run of a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The actions that it took, by number of row, and what each cost.
    pub history: History,
    /// What all cost.
    pub cost: f64,
    /// What all took, in seconds.
    pub seconds: f64,
    /// What all took, in joules, if that is known.
    pub joules: Option<f64>,
}

impl Pool {
    /// What there is to choose from, with what it costs at least.
    ///
    /// # Panics
    /// As [`Space::new`].
    #[must_use]
    pub fn space(&self, objective: Objective) -> Space {
        let actions = self.rows.iter().map(|row| row.action).collect();
        let bound = |row: &PoolRow| objective.cost(row.bounds[1], row.least_joules.or(Some(0.0)));
        Space::new(self.ends.clone(), actions, self.rows.iter().map(bound).collect())
    }

    /// The row that costs least.
    ///
    /// # Panics
    /// If there are no rows.
    #[must_use]
    pub fn best(&self, objective: Objective) -> usize {
        let cost = |&row: &usize| self.rows[row].cost(objective);
        let rows = 0..self.rows.len();
        rows.min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("there are rows")
    }

    /// Whether it is known what joules every row takes.
    #[must_use]
    pub fn has_joules(&self) -> bool {
        self.rows.iter().all(|row| row.joules.is_some())
    }

    /// Rows to which no other is better in both time and energy: the Pareto front, from the
    /// fastest on. Of rows that are equal in both, the first. Rows whose energy is not known are
    /// left out.
    #[must_use]
    pub fn front(&self) -> Vec<usize> {
        let cost =
            |row: usize| self.rows[row].joules.map(|joules| (self.rows[row].seconds, joules));
        let mut known: Vec<(usize, (f64, f64))> =
            (0..self.rows.len()).filter_map(|row| Some((row, cost(row)?))).collect();
        known.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut least = f64::INFINITY;
        known.retain(|&(_, (_, joules))| {
            let is_less = joules < least;
            least = least.min(joules);
            is_less
        });
        known.into_iter().map(|(row, _)| row).collect()
    }
}

impl Replay {
    /// A run over `pool`, whose space is `space`, in which `next` chooses.
    ///
    /// The same durations are drawn in run `run` for every way to choose.
    pub fn run(
        &self,
        (pool, space): (&Pool, &Space),
        run: usize,
        mut next: impl FnMut(&Space, &History) -> usize,
    ) -> Outcome {
        let mut draws = SplitMix64::new(mix(self.seed ^ mix(run as u64)));
        let (mut history, mut seconds, mut joules) = (History::default(), 0.0, Some(0.0));
        for _ in 0..self.iterations {
            let action = next(space, &history);
            let sample = draws.next_u64() % self.samples.max(1) as u64;
            let row = &pool.rows[action];
            let took = self.sample(action, row.seconds, sample);
            // The power stays.
            let drawn = row.joules.map(|joules| joules * took / row.seconds);
            history.push(action, self.objective.cost(took, drawn));
            seconds += took;
            joules = joules.zip(drawn).map(|(sum, drawn)| sum + drawn);
        }
        let cost = history.taken().iter().map(|(_, cost)| cost).sum();
        Outcome { history, cost, seconds, joules }
    }

    /// A duration of an action that takes so many `seconds` in the mean.
    fn sample(&self, action: usize, seconds: f64, sample: u64) -> f64 {
        /// Of the mean, at least, however wide the spread.
        const LEAST: f64 = 0.1;
        let mut stream = SplitMix64::new(mix(mix(self.seed).wrapping_add(action as u64)) ^ sample);
        (seconds + self.deviation * stream.normal()).max(LEAST * seconds)
    }
}
