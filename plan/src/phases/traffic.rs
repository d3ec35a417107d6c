//! The network in the programme: what nodes send each other takes time on their links.
//!
//! This goes beyond equation 6.11, whose plans may promise what no network can carry. Let nodes `g`
//! that are alike be `n` with links of `B` bytes per second each way, let
//!
//! ```text
//! v[s,g] = sum_{z <= s, t in P2} h_t2 N[z,t] / N_t sum_{r in R(g)} alpha[z,t,r] / N[z,t]
//! ```
//!
//! be their share of the second phase up to step `s` (`h_t2` as in equation 6.12), and `o[s,g]` and
//! `m[s,g]` the numbers of tiles up to step `s` that they own in the second phase and make in the
//! first one: of each step they own as much as their share of its second phase. Then
//!
//! ```text
//! i[s,g] >= o[s,g] - m[s,g],   i[s,g] >= 0                        tiles that come
//! e[s,g] >= m[s,g] - o[s,g],   e[s,g] >= 0                        tiles that go
//! (received_g v[s,g] + b i[s,g]) / (n B) <= tau2[s]
//! (sent_g     v[s,g] + b e[s,g]) / (n B) <= tau2[s]
//! sum_g (received_g v[s,g] + b i[s,g]) / (all bytes per second of the backbone) <= tau2[s]
//! ```
//!
//! for tiles of `b` bytes. `received_g` and `sent_g` are the bytes that these nodes would receive
//! and send if they did all of the second phase at the rate of bytes for work at which they
//! exchange them under the map of the powers so far, whose messages are counted. With `a` of a
//! square a node receives about `sqrt(a)`, so these rates hold for that map only: counting and
//! solving alternate.

use tegula_bounds::linear::{Terms, Variable};

use super::placement::first;
use super::programme::{Problem, Programme};
use super::{Nodes, Phase, Plan, Shape, TaskType, Workload};
use crate::distribution::messages::{Messages, cholesky, lu, redistribution};
use crate::distribution::{Factorisation, OwnerMap};

/// Bytes that nodes which are alike exchange in the second phase, for all of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    received: f64,
    sent: f64,
}

impl Rates {
    /// Whether both are as others, but for such a share of them.
    pub(super) fn are_near(&self, other: &Self, share: f64) -> bool {
        let is_near = |a: f64, b: f64| (a - b).abs() <= share * a.max(b);
        is_near(self.received, other.received) && is_near(self.sent, other.sent)
    }

    /// Half way to others.
    pub(super) fn towards(&self, other: &Self) -> Self {
        let Self { received, sent } = other;
        let [received, sent] = [(self.received, received), (self.sent, sent)]
            .map(|(mine, other)| f64::midpoint(mine, *other));
        Self { received, sent }
    }
}

/// What the maps of a plan send.
#[derive(Debug)]
pub(super) struct Traffic {
    /// In the second phase.
    messages: Messages,
    /// From the owners of the first phase to those of the second.
    moves: Messages,
}

impl Traffic {
    /// That of a map for the second phase of `plan`, and of the one for the first that follows.
    pub(super) fn of(plan: &Plan, work: &Workload, second: &OwnerMap) -> Self {
        let messages = match work.shape {
            Shape::Square(Factorisation::Lu, _) => lu(second),
            Shape::Square(Factorisation::Cholesky, _) => cholesky(second),
            Shape::Rows(..) => redistribution(second, second),
        };
        Self { messages, moves: redistribution(&first(plan, work, second), second) }
    }

    /// How long the busiest link works, in seconds.
    pub(super) fn link_seconds(&self, nodes: &[Nodes], bytes: f64) -> f64 {
        let Self { messages, moves } = self;
        let busiest = |nodes: &Nodes| {
            let most = |&rank: &usize| {
                let received = messages.received[rank] + moves.received[rank];
                received.max(messages.sent[rank] + moves.sent[rank])
            };
            let most = nodes.ranks.iter().map(most).max().unwrap_or(0);
            bytes * most as f64 / nodes.bytes_per_second
        };
        nodes.iter().map(busiest).fold(0.0, f64::max)
    }

    /// The rates of nodes that are alike under the map of `plan`; those of before for nodes that
    /// have nothing there.
    pub(super) fn rates(&self, plan: &Plan, bytes: f64, before: &[Rates]) -> Vec<Rates> {
        let of_nodes = |(nodes, before): (&Nodes, &Rates)| {
            let ranks = || nodes.ranks.iter();
            let share: f64 = ranks().map(|&rank| plan.powers[1].as_slice()[rank]).sum();
            let rate = |counts: &[u64]| {
                bytes * ranks().map(|&rank| counts[rank]).sum::<u64>() as f64 / share
            };
            let Messages { sent, received } = &self.messages;
            if share > 0.0 { Rates { received: rate(received), sent: rate(sent) } } else { *before }
        };
        plan.nodes.iter().zip(before).map(of_nodes).collect()
    }
}

impl Programme<'_> {
    /// The limits of the network.
    pub(super) fn pass_the_network(&mut self, rates: &[Rates]) {
        let mut all = vec![Terms::new(); self.ends[1].len()];
        for (place, &Rates { received, sent }) in rates.iter().enumerate() {
            let [done, owned, made] = [Self::done, Self::owned, Self::made].map(|of| {
                let terms = (0..all.len()).map(|step| of(self, step, place)).collect();
                self.cumulate(terms)
            });
            let Problem { work, nodes, .. } = self.problem;
            let nodes = &nodes[place];
            let link = nodes.ranks.len() as f64 * nodes.bytes_per_second * self.unit;
            let matrix = work.bytes * work.tiles() as f64;
            for (step, all) in all.iter_mut().enumerate() {
                let come = self.excess(owned[step], made[step]);
                let go = self.excess(made[step], owned[step]);
                for (rate, moved) in [(received, come), (sent, go)] {
                    let busy = vec![(done[step], rate / link), (moved, matrix / link)];
                    self.end_after(step, busy);
                }
                all.extend([(done[step], received), (come, matrix)]);
            }
        }
        if let Some(bytes_per_second) = self.problem.backbone {
            for (step, terms) in all.into_iter().enumerate() {
                let seconds = |bytes| bytes / (bytes_per_second * self.unit);
                let busy = terms.into_iter().map(|(term, bytes)| (term, seconds(bytes)));
                self.end_after(step, busy.collect());
            }
        }
    }

    /// A variable that is at least the first less the second, and not negative.
    fn excess(&mut self, of: Variable, over: Variable) -> Variable {
        let excess = self.linear.variable(0.0);
        self.linear.at_most(vec![(of, 1.0), (over, -1.0), (excess, -1.0)], 0.0);
        excess
    }

    /// A step of the second phase ends when this time has passed, or later.
    fn end_after(&mut self, step: usize, mut time: Terms) {
        time.push((self.ends[1][step], -1.0));
        self.linear.at_most(time, 0.0);
    }

    /// What these nodes do of the second phase in a step, as a share of the phase.
    fn done(&self, step: usize, place: usize) -> Terms {
        let weights = self.weights();
        let share = |t: usize, kind: &TaskType| {
            weights[t] * kind.tasks[step] as f64 / kind.tasks.iter().sum::<u64>().max(1) as f64
        };
        self.terms(step, place, share)
    }

    /// What these nodes own in the second phase of the tiles of a step, as a share of all tiles.
    fn owned(&self, step: usize, place: usize) -> Terms {
        let (work, weights) = (self.problem.work, self.weights());
        let types = work.of_phase(Phase::Second).filter(|(_, kind)| kind.tasks[step] > 0);
        let sum: f64 = types.map(|(t, _)| weights[t]).sum();
        let tiles = work.maker().1.tasks[step] as f64 / work.tiles() as f64;
        self.terms(step, place, |t, _| tiles * weights[t] / sum)
    }

    /// What these nodes make in the first phase of the tiles of a step, as a share of all tiles.
    fn made(&self, step: usize, place: usize) -> Terms {
        let (t, maker) = self.problem.work.maker();
        let tiles = maker.tasks[step] as f64 / self.problem.work.tiles() as f64;
        self.shares_of_nodes(step, t, place).map(|share| (share, tiles)).collect()
    }

    /// The shares of these nodes in a step of the second phase, each with the factor of its type.
    fn terms(&self, step: usize, place: usize, factor: impl Fn(usize, &TaskType) -> f64) -> Terms {
        let types = self.problem.work.of_phase(Phase::Second);
        let of_type = |(t, kind)| {
            let factor = factor(t, kind);
            self.shares_of_nodes(step, t, place).map(move |share| (share, factor))
        };
        types.flat_map(of_type).collect()
    }
}
