//! What rank 0 decides by: the ranks as nodes, what each number of them takes at least, and what
//! runs took so far.

use std::time::{Duration, Instant};

use anyhow::Result;
use tegula_plan::adapt::{Action, History, Space, counts};
use tegula_plan::platform::cluster::{ClusterPlatform, Sorted};

use super::{Choice, Division, action_of, word_of};
use crate::cluster::Question;
use crate::plan::Maps;

/// How much longer than in the mean a run takes that is slow.
const SLOW: f64 = 1.3;
/// Slow runs one after the other after which the ranks are timed again.
const SLOW_RUNS: usize = 2;
/// Most numbers of nodes that come into question, beside the ends of groups of equal ones.
const MOST_COUNTS: usize = 32;
/// The same of each phase where both may have fewer nodes.
const MOST_OF_BOTH: usize = 8;

/// What rank 0 decides by.
pub(super) struct Head {
    pub(super) choice: Choice,
    question: Question,
    /// The ranks as nodes, fastest first, and which ranks these are.
    cluster: ClusterPlatform,
    order: Vec<usize>,
    space: Space,
    history: History,
    /// The kind of runs that are compared.
    kind: Option<u64>,
    /// Whether a run has been, which allocated what others find.
    is_warm: bool,
    slow_runs: usize,
    pub(super) deciding: Duration,
    pub(super) decisions: usize,
}

impl Head {
    pub(super) fn new(
        choice: Choice,
        question: Question,
        cluster: ClusterPlatform,
    ) -> Result<Self> {
        let nb = question.sizes.nb;
        let Sorted { cluster, order, ends } = cluster.fastest_first("gemm", nb)?;
        let space = space(choice, &question, &cluster, ends)?;
        Ok(Self {
            choice,
            question,
            cluster,
            order,
            space,
            history: History::default(),
            kind: None,
            is_warm: false,
            slow_runs: 0,
            deciding: Duration::ZERO,
            decisions: 0,
        })
    }

    /// The first numbers of nodes, after what an earlier run has kept.
    pub(super) fn begin(&mut self, kept: &[u64]) -> Action {
        let about = self.about();
        if let Some(rest) = kept.strip_prefix(about.as_slice())
            && let [kind, taken @ ..] = rest
        {
            self.kind = kind.checked_sub(1);
            for pair in taken.chunks_exact(2) {
                if let Some(action) = self.place(action_of(pair[0])) {
                    self.history.push(action, f64::from_bits(pair[1]));
                }
            }
        }
        self.chosen()
    }

    /// What must be the same for a history to be of use: the tiles, what is to be least, and the
    /// workers of the ranks. Which of nodes that are alike is the faster one may differ by chance.
    fn about(&self) -> Vec<u64> {
        let sizes = &self.question.sizes;
        let workers = self.cluster.nodes.iter().map(|node| node.machine.workers.len() as u64);
        let mut workers: Vec<u64> = workers.collect();
        workers.sort_unstable();
        let objective = self.choice.objective() as u64;
        let about = [sizes.tiles as u64, sizes.nb as u64, objective, workers.len() as u64];
        about.into_iter().chain(workers).collect()
    }

    /// What another run is to know.
    pub(super) fn kept(&self) -> Vec<u64> {
        let mut words = self.about();
        words.push(self.kind.map_or(0, |kind| kind + 1));
        for &(action, cost) in self.history.taken() {
            words.extend([word_of(self.space.actions()[action]), cost.to_bits()]);
        }
        words
    }

    /// The place of `action` in the space.
    fn place(&self, action: Action) -> Option<usize> {
        self.space.actions().iter().position(|&known| known == action)
    }

    /// The numbers of nodes for the next run.
    fn chosen(&self) -> Action {
        match self.choice {
            Choice::Counts(counts) => counts.of(self.cluster.nodes.len()),
            Choice::Auto { strategy, .. } => {
                self.space.actions()[strategy.next(&self.space, &self.history)]
            }
        }
    }

    /// The numbers of nodes that follow a run with those of `action` that cost so much; none: ranks
    /// are to be timed.
    pub(super) fn after(&mut self, action: Action, kind: Option<u64>, cost: f64) -> Option<Action> {
        let is_first = !std::mem::replace(&mut self.is_warm, true);
        // Counters of energy may stand still for a moment.
        let counted = kind.filter(|_| cost > 0.0);
        let of_kind = counted.is_some_and(|kind| *self.kind.get_or_insert(kind) == kind);
        let Some(place) = self.place(action).filter(|_| of_kind && !is_first) else {
            return Some(action);
        };
        if self.history.mean(place).is_some_and(|mean| cost > SLOW * mean) {
            self.slow_runs += 1;
            // One may be chance, and is not counted.
            return (self.slow_runs < SLOW_RUNS).then_some(action);
        }
        self.slow_runs = 0;
        self.history.push(place, cost);
        Some(self.timed())
    }

    /// The numbers of nodes after ranks were timed: where none has changed, the last run counts.
    pub(super) fn decide(&mut self, action: Action, cost: f64) -> Action {
        self.slow_runs = 0;
        if let Some(place) = self.place(action).filter(|_| !self.history.is_empty()) {
            self.history.push(place, cost);
        }
        self.timed()
    }

    fn timed(&mut self) -> Action {
        let start = Instant::now();
        let chosen = self.chosen();
        self.deciding += start.elapsed();
        self.decisions += 1;
        chosen
    }

    /// Ranks have become so fast beside what they were as the run began.
    pub(super) fn change_speeds(&mut self, speeds: &[f64]) -> Result<()> {
        for (node, &rank) in self.cluster.nodes.iter_mut().zip(&self.order) {
            node.speed = speeds[rank];
        }
        let nb = self.question.sizes.nb;
        let Sorted { cluster, order, ends } = self.cluster.clone().fastest_first("gemm", nb)?;
        self.order = order.into_iter().map(|place| self.order[place]).collect();
        self.space = space(self.choice, &self.question, &cluster, ends)?;
        self.cluster = cluster;
        self.history = History::default();
        Ok(())
    }

    /// What the ranks have where the fastest take part, in each phase as many as `action` says.
    pub(super) fn division<D: Division>(&self, action: Action) -> Result<D> {
        D::of(&planned(&self.question, &self.cluster, (action, D::NETWORK))?, &self.order)
    }
}

/// Both phases where the fastest take part, in each as many as `action` says, over the network that
/// the parameter says.
fn planned(
    question: &Question,
    cluster: &ClusterPlatform,
    (action, network): (Action, &str),
) -> Result<Maps> {
    let Action { first, second } = action;
    let name = format!("{}{network}@0-{}/0-{}", question.name, first - 1, second - 1);
    question.maps(cluster, &name)
}

/// The numbers of nodes there are to choose from, with what they take at least.
fn space(
    choice: Choice,
    question: &Question,
    cluster: &ClusterPlatform,
    ends: Vec<usize>,
) -> Result<Space> {
    let all = cluster.nodes.len();
    let of_both = |most: usize| counts(&ends, all.div_ceil(most));
    let (firsts, seconds) = match choice {
        Choice::Counts(_) => (vec![all], vec![all]),
        Choice::Auto { is_of_both: false, .. } => (vec![all], of_both(MOST_COUNTS)),
        Choice::Auto { is_of_both: true, .. } => (of_both(MOST_OF_BOTH), of_both(MOST_OF_BOTH)),
    };
    let pairs = firsts.iter().flat_map(|&first| seconds.iter().map(move |&second| (first, second)));
    let (mut actions, mut bounds) = (Vec::new(), Vec::new());
    for (first, second) in pairs {
        let action = Action { first, second };
        // No network makes it shorter than a free one.
        let plan = planned(question, cluster, (action, ":free")).map(|maps| maps.plan);
        let bound = match plan {
            Ok(plan) => plan.and_then(|plan| plan.ends[1].last().copied()).unwrap_or(0.0),
            // Few nodes may lack what a task needs.
            Err(_) if first.min(second) < all => continue,
            Err(error) => return Err(error),
        };
        actions.push(action);
        // What the nodes draw at least is not known.
        bounds.push(choice.objective().cost(bound, Some(0.0)));
    }
    Ok(Space::new(ends, actions, bounds))
}

#[cfg(test)]
mod tests {
    use tegula_plan::adapt::{Objective, STRATEGIES};
    use tegula_tiles::owners::OwnerMap;

    use super::super::TwoMaps;
    use super::super::choice::Counts;
    use super::*;
    use crate::simulate::program::{LIKELIHOOD, Sizes};

    const SMALL: usize = 12;

    fn head(choice: Choice) -> Head {
        let question = Question::new("lp", LIKELIHOOD, Sizes::new(SMALL, 960));
        let cluster = ClusterPlatform::find("2chetemi+2chifflet").expect("it is there");
        Head::new(choice, question, cluster).expect("it can be planned")
    }

    fn auto() -> Head {
        learning(false)
    }

    fn learning(is_of_both: bool) -> Head {
        let (strategy, objective) = (&STRATEGIES[0], Objective::Time);
        head(Choice::Auto { strategy, objective, is_of_both })
    }

    /// All nodes in the first phase, and so many in the second.
    fn of(second: usize) -> Action {
        Action { first: 4, second }
    }

    #[test]
    fn tiles_belong_to_ranks_and_not_to_places_in_the_order() {
        let head = head(Choice::Counts(Counts { first: None, second: 2 }));
        assert_eq!(head.order, [2, 3, 0, 1], "chifflets are faster");
        let TwoMaps(maps) = head.division(of(2)).expect("it can be planned");
        let [first, second] = maps.map(|map| map.tiles_of_ranks());
        assert!(first.iter().all(|&tiles| tiles > 0), "all generate: {first:?}");
        assert!(second[0] == 0 && second[1] == 0 && second[2] > 0, "the fastest: {second:?}");
    }

    #[test]
    fn runs_that_warm_up_or_do_more_are_not_counted() {
        let mut head = auto();
        assert_eq!(head.begin(&[]), of(4));
        assert_eq!(head.after(of(4), Some(1), 9.0), Some(of(4)), "the first allocates");
        assert!(head.history.is_empty());
        let next = head.after(of(4), Some(1), 5.0).expect("nothing is slow");
        assert!(next.second < 4 && head.history.len() == 1, "{next:?} after all");
        assert_eq!(head.after(next, Some(0), 2.0), Some(next), "without the gradient");
        assert_eq!(head.after(next, None, 1.0), Some(next), "it failed");
        assert_eq!(head.history.len(), 1);
    }

    #[test]
    fn ranks_are_timed_after_slow_runs_and_what_was_learnt_is_void_where_one_changed() {
        let mut head = auto();
        head.after(of(4), Some(0), 5.0);
        head.after(of(4), Some(0), 5.0);
        assert_eq!(head.after(of(4), Some(0), 8.0), Some(of(4)), "it may be chance");
        assert_eq!(head.after(of(4), Some(0), 8.0), None, "ranks are timed");
        head.change_speeds(&[1.0, 1.0, 0.2, 1.0]).expect("it can be planned");
        assert_eq!(head.order, [3, 0, 1, 2], "the one that became slow is the last");
        assert!(head.history.is_empty());
        assert_eq!(head.decide(of(4), 8.0), of(4), "learnt anew from all");
    }

    #[test]
    fn both_phases_may_have_fewer_nodes() {
        let mut head = learning(true);
        assert_eq!(head.space.actions().len(), 16);
        let mut next = head.begin(&[]);
        // Slow nodes take long to generate here.
        let seconds =
            |action: Action| 4.0 + action.first as f64 + (3.0 - action.second as f64).abs();
        let mut taken = Vec::new();
        for _ in 0..40 {
            next = head.after(next, Some(1), seconds(next)).expect("nothing is slow");
            taken.push(next);
        }
        let fewest = taken.iter().filter(|action| action.first < 4).count();
        assert!(fewest > 20 && seconds(next) <= 7.0, "{taken:?}");
        let TwoMaps([first, second]) =
            head.division(Action { first: 2, second: 3 }).expect("it is planned");
        let idle = |map: &OwnerMap| map.tiles_of_ranks().iter().filter(|&&of| of == 0).count();
        assert_eq!([idle(&first), idle(&second)], [2, 1]);
    }

    #[test]
    fn another_run_goes_on_from_what_was_learnt() {
        let mut head = auto();
        head.begin(&[]);
        let mut next = of(4);
        for seconds in [5.0, 5.0, 4.0, 4.5, 4.6, 4.2] {
            next = head.after(next, Some(1), seconds).expect("nothing is slow");
        }
        let kept = head.kept();
        let mut other = auto();
        assert_eq!(other.begin(&kept), next);
        assert_eq!((&other.history, other.kind), (&head.history, Some(1)));
        // Of other tiles nothing is taken over.
        let mut elsewhere = kept.clone();
        elsewhere[0] += 1;
        let mut other = auto();
        assert_eq!(other.begin(&elsewhere), of(4));
        assert!(other.history.is_empty());
    }
}
