//! What rank 0 decides by: the ranks as nodes, what each number of them takes at least, and what
//! runs took so far.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tegula_plan::adapt::{Action, History, Space, counts};
use tegula_plan::platform::cluster::{ClusterPlatform, Sorted};
use tegula_tiles::owners::OwnerMap;

use super::{Choice, TIME_RANKS};
use crate::cluster::Question;
use crate::plan::Maps;

/// How much longer than in the mean a run takes that is slow.
const SLOW: f64 = 1.3;
/// Slow runs one after the other after which the ranks are timed again.
const SLOW_RUNS: usize = 2;
/// Most numbers of nodes that come into question, beside the ends of groups of equal ones.
const MOST_COUNTS: usize = 32;

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

    /// The first number of nodes, after what an earlier run has kept.
    pub(super) fn begin(&mut self, kept: &[u64]) -> usize {
        let about = self.about();
        if let Some(rest) = kept.strip_prefix(about.as_slice())
            && let [kind, taken @ ..] = rest
        {
            self.kind = kind.checked_sub(1);
            for pair in taken.chunks_exact(2) {
                if let Some(action) = self.action(pair[0] as usize) {
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
            words.extend([self.space.actions()[action].second as u64, cost.to_bits()]);
        }
        words
    }

    /// The action with so many nodes.
    fn action(&self, nodes: usize) -> Option<usize> {
        self.space.actions().iter().position(|action| action.second == nodes)
    }

    /// The number of nodes for the next run.
    fn chosen(&self) -> usize {
        match self.choice {
            Choice::Count(count) => count,
            Choice::Auto(strategy, _) => {
                self.space.actions()[strategy.next(&self.space, &self.history)].second
            }
        }
    }

    /// The number of nodes that follows a run with `nodes` that cost so much, or that ranks are to
    /// be timed.
    pub(super) fn after(&mut self, nodes: usize, kind: Option<u64>, cost: f64) -> u64 {
        let is_first = !std::mem::replace(&mut self.is_warm, true);
        // Counters of energy may stand still for a moment.
        let counted = kind.filter(|_| cost > 0.0);
        let of_kind = counted.is_some_and(|kind| *self.kind.get_or_insert(kind) == kind);
        let Some(action) = self.action(nodes).filter(|_| of_kind && !is_first) else {
            return nodes as u64;
        };
        if self.history.mean(action).is_some_and(|mean| cost > SLOW * mean) {
            self.slow_runs += 1;
            // One may be chance, and is not counted.
            return if self.slow_runs < SLOW_RUNS { nodes as u64 } else { TIME_RANKS };
        }
        self.slow_runs = 0;
        self.history.push(action, cost);
        self.timed()
    }

    /// The number of nodes after ranks were timed: where none has changed, the last run counts.
    pub(super) fn decide(&mut self, nodes: usize, cost: f64) -> u64 {
        self.slow_runs = 0;
        if let Some(action) = self.action(nodes).filter(|_| !self.history.is_empty()) {
            self.history.push(action, cost);
        }
        self.timed()
    }

    fn timed(&mut self) -> u64 {
        let start = Instant::now();
        let chosen = self.chosen();
        self.deciding += start.elapsed();
        self.decisions += 1;
        chosen as u64
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

    /// Owners in both phases where the `nodes` fastest take part in the second.
    pub(super) fn maps(&self, nodes: usize) -> Result<[OwnerMap; 2]> {
        let maps = planned(&self.question, &self.cluster, nodes)?;
        let (first, second) = (maps.earlier.as_ref(), maps.last.as_ref());
        let both = first.zip(second).context("two phases have two maps")?;
        Ok([both.0, both.1].map(|map| {
            let (shape, ranks) = ((map.rows(), map.columns()), map.ranks());
            OwnerMap::new(shape, map.storage(), ranks, |i, j| self.order[map.owner(i, j)])
        }))
    }
}

/// Both phases where the `nodes` fastest take part in the second.
fn planned(question: &Question, cluster: &ClusterPlatform, nodes: usize) -> Result<Maps> {
    let all = cluster.nodes.len() - 1;
    let name = format!("{}:free@0-{all}/0-{}", question.name, nodes - 1);
    question.maps(cluster, &name)
}

/// The numbers of nodes there are to choose from, with what each takes at least.
fn space(
    choice: Choice,
    question: &Question,
    cluster: &ClusterPlatform,
    ends: Vec<usize>,
) -> Result<Space> {
    let all = cluster.nodes.len();
    let counts = match choice {
        Choice::Count(_) => vec![all],
        Choice::Auto(..) => counts(&ends, all.div_ceil(MOST_COUNTS)),
    };
    let (mut actions, mut bounds) = (Vec::new(), Vec::new());
    for nodes in counts {
        let plan = planned(question, cluster, nodes).map(|maps| maps.plan);
        let bound = match plan {
            Ok(plan) => plan.and_then(|plan| plan.ends[1].last().copied()).unwrap_or(0.0),
            // Few nodes may lack what a task needs.
            Err(_) if nodes < all => continue,
            Err(error) => return Err(error),
        };
        actions.push(Action { first: all, second: nodes });
        // What the nodes draw at least is not known.
        bounds.push(choice.objective().cost(bound, Some(0.0)));
    }
    Ok(Space::new(ends, actions, bounds))
}

#[cfg(test)]
mod tests {
    use tegula_plan::adapt::{Objective, STRATEGIES};

    use super::*;
    use crate::simulate::program::{LIKELIHOOD, Sizes, Workload};

    const SMALL: usize = 12;

    fn head(choice: Choice) -> Head {
        let workload = Workload::find(LIKELIHOOD).expect("it is listed");
        let sizes = Sizes::new(SMALL, 960);
        let question = Question { name: "lp".to_owned(), workload, sizes, rooms: None };
        let cluster = ClusterPlatform::find("2chetemi+2chifflet").expect("it is there");
        Head::new(choice, question, cluster).expect("it can be planned")
    }

    fn auto() -> Head {
        head(Choice::Auto(&STRATEGIES[0], Objective::Time))
    }

    #[test]
    fn tiles_belong_to_ranks_and_not_to_places_in_the_order() {
        let head = head(Choice::Count(2));
        assert_eq!(head.order, [2, 3, 0, 1], "chifflets are faster");
        let [first, second] = head.maps(2).expect("it can be planned").map(|m| m.tiles_of_ranks());
        assert!(first.iter().all(|&tiles| tiles > 0), "all generate: {first:?}");
        assert!(second[0] == 0 && second[1] == 0 && second[2] > 0, "the fastest: {second:?}");
    }

    #[test]
    fn runs_that_warm_up_or_do_more_are_not_counted() {
        let mut head = auto();
        assert_eq!(head.begin(&[]), 4);
        assert_eq!(head.after(4, Some(1), 9.0), 4, "the first allocates");
        assert!(head.history.is_empty());
        let next = head.after(4, Some(1), 5.0) as usize;
        assert!(next < 4 && head.history.len() == 1, "{next} after all");
        assert_eq!(head.after(next, Some(0), 2.0), next as u64, "without the gradient");
        assert_eq!(head.after(next, None, 1.0), next as u64, "it failed");
        assert_eq!(head.history.len(), 1);
    }

    #[test]
    fn ranks_are_timed_after_slow_runs_and_what_was_learnt_is_void_where_one_changed() {
        let mut head = auto();
        head.after(4, Some(0), 5.0);
        head.after(4, Some(0), 5.0);
        assert_eq!(head.after(4, Some(0), 8.0), 4, "it may be chance");
        assert_eq!(head.after(4, Some(0), 8.0), TIME_RANKS);
        head.change_speeds(&[1.0, 1.0, 0.2, 1.0]).expect("it can be planned");
        assert_eq!(head.order, [3, 0, 1, 2], "the one that became slow is the last");
        assert!(head.history.is_empty());
        assert_eq!(head.decide(4, 8.0), 4, "learnt anew from all");
    }

    #[test]
    fn another_run_goes_on_from_what_was_learnt() {
        let mut head = auto();
        head.begin(&[]);
        let mut next = 4;
        for seconds in [5.0, 5.0, 4.0, 4.5, 4.6, 4.2] {
            next = head.after(next, Some(1), seconds) as usize;
        }
        let kept = head.kept();
        let mut other = auto();
        assert_eq!(other.begin(&kept), next);
        assert_eq!((&other.history, other.kind), (&head.history, Some(1)));
        // Of other tiles nothing is taken over.
        let mut elsewhere = kept.clone();
        elsewhere[0] += 1;
        let mut other = auto();
        assert_eq!(other.begin(&elsewhere), 4);
        assert!(other.history.is_empty());
    }
}
