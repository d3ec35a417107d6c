//! What was tried, and what it cost.

/// The actions that were taken, in order, and what each cost: seconds, or joules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    taken: Vec<(usize, f64)>,
    of_action: Vec<Vec<f64>>,
}

impl History {
    /// Adds that `action` cost so much.
    ///
    /// # Panics
    /// If the cost is no positive number.
    pub fn push(&mut self, action: usize, cost: f64) {
        assert!(cost > 0.0 && cost.is_finite(), "an action costs something: {cost}");
        if self.of_action.len() <= action {
            self.of_action.resize(action + 1, Vec::new());
        }
        self.of_action[action].push(cost);
        self.taken.push((action, cost));
    }

    /// How many actions were taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// Whether none was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// Action and cost, in order.
    #[must_use]
    pub fn taken(&self) -> &[(usize, f64)] {
        &self.taken
    }

    /// What `action` cost, each time.
    #[must_use]
    pub fn costs(&self, action: usize) -> &[f64] {
        self.of_action.get(action).map_or(&[], Vec::as_slice)
    }

    /// What `action` cost the first time.
    pub(super) fn first(&self, action: usize) -> Option<f64> {
        self.costs(action).first().copied()
    }

    /// What `action` cost in the mean.
    #[must_use]
    pub fn mean(&self, action: usize) -> Option<f64> {
        let costs = self.costs(action);
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// The actions that were taken, each once, by number.
    pub(super) fn tried(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.of_action.len()).filter(|&action| !self.of_action[action].is_empty())
    }

    /// The variance of one cost about the mean of its action, pooled over the actions that were
    /// taken more than once; none if there is no such action.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        let (mut squares, mut freedom) = (0.0, 0);
        for action in self.tried() {
            let (costs, mean) = (self.costs(action), self.mean(action)?);
            squares += costs.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
            freedom += costs.len() - 1;
        }
        (freedom > 0).then(|| squares / freedom as f64)
    }

    /// The action of `among` with the least mean, of several the one named last.
    ///
    /// # Panics
    /// If none of them was taken.
    pub(super) fn best(&self, among: impl Iterator<Item = usize>) -> usize {
        let known = among.filter_map(|action| Some((self.mean(action)?, action)));
        let best = known.reduce(|best, next| if next.0 <= best.0 { next } else { best });
        best.expect("one was taken").1
    }
}
