//! The linear programme that divides the tasks of two overlapping phases among resources.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.2, equation 6.11: with `N[s,t]` tasks
//! of type `t` in step `s`, of which `alpha[s,t,r]` go to resource `r`, whose workers together take
//! `w[t,r]` for one, and with the ends `tau1[s]` and `tau2[s]` of step `s` in both phases,
//!
//! ```text
//! min  sum_s (tau1[s] + tau2[s])
//! (a) for all t, s:   sum_r alpha[s,t,r] = N[s,t]
//! (b) for all s, r:   tau1[s-1] + sum_{t in P1} alpha[s,t,r] w[t,r] <= tau1[s]
//! (c) for all s, r:   tau1[s]   + sum_{t in P2} alpha[s,t,r] w[t,r] <= tau2[s]
//! (d) for all s, r:   tau2[s-1] + sum_{t in P2} alpha[s,t,r] w[t,r] <= tau2[s]
//! (e) for all s, r:   sum_{z <= s, t} alpha[z,t,r] w[t,r] <= tau2[s]
//! (f)                 the time of one whole task of P1 <= tau1[1]
//! ```
//!
//! where `tau1[0] = tau2[0] = 0`. If steps of the first phase are paced, (f) holds for each:
//! `tau1[s-1]` and the time of one whole task are at most `tau1[s]`. Of a type of which a node runs
//! at most `m` tasks at a time, on `n` nodes that are alike,
//!
//! ```text
//! (m) for all s:      tau1[s-1] + sum_r alpha[s,t,r] (seconds of one task) / (n m) <= tau1[s]
//! ```
//!
//! and the network is that of [`traffic`](super::traffic). (e) is written with the work of `r` up
//! to each step as a variable, and `alpha` as a share of `N`; time is counted in about the
//! makespan.

use tegula_bounds::linear::{Linear, Terms, Values, Variable};

use super::powers::{seconds_of_all, weights};
use super::traffic::Rates;
use super::{Nodes, Options, PHASES, Phase, PlanError, TaskType, Workload};

/// What the programme is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub(super) work: &'a Workload,
    pub(super) nodes: &'a [Nodes],
    pub(super) options: &'a Options,
    /// Bytes per second of all messages together; none: no limit.
    pub(super) backbone: Option<f64>,
}

/// Who does what, and when it ends.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// For each step, type and nodes that are alike the share of the tasks that their resources
    /// have: the sum of `alpha / N`.
    pub(super) shares: Vec<Vec<Vec<f64>>>,
    /// `tau1` and `tau2`, in seconds.
    pub(super) ends: [Vec<f64>; 2],
}

impl Problem<'_> {
    /// The least sum of ends, under the limits of the network if `rates` are given.
    pub(super) fn solve(&self, rates: Option<&[Rates]>) -> Result<Solution, PlanError> {
        self.check()?;
        let mut programme = Programme::new(*self);
        programme.do_all_tasks();
        programme.bound_first_task();
        for step in 0..self.work.steps() {
            programme.follow_in_the_first_phase(step);
            programme.limit_tasks_at_a_time(step);
            programme.follow_the_first_phase(step);
            programme.follow_in_the_second_phase(step);
        }
        programme.work_alone();
        if let Some(rates) = rates {
            programme.pass_the_network(rates);
        }
        let values = programme.linear.solve();
        let values =
            values.map_err(|status| PlanError::Unsolved { steps: self.work.steps(), status })?;
        Ok(programme.solution(&values))
    }

    /// Whether somebody can run each type.
    fn check(&self) -> Result<(), PlanError> {
        for (t, kind) in self.work.types.iter().enumerate() {
            let mut resources = self.nodes.iter().flat_map(|nodes| &nodes.resources);
            let is_there = kind.tasks.iter().any(|&tasks| tasks > 0);
            if is_there && resources.all(|resource| resource.seconds[t].is_none()) {
                return Err(PlanError::Nobody { kernel: kind.kernel, phase: kind.phase });
            }
        }
        Ok(())
    }
}

/// The programme as it is written down.
pub(super) struct Programme<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) linear: Linear,
    /// The unit of time, in seconds.
    pub(super) unit: f64,
    /// For each resource the place of its nodes, and `w` of each type in units.
    pub(super) times: Vec<(usize, Vec<Option<f64>>)>,
    /// For each step, type and resource the share of the tasks, if it can have one.
    pub(super) shares: Vec<Vec<Vec<Option<Variable>>>>,
    /// `tau1` and `tau2`.
    pub(super) ends: [Vec<Variable>; 2],
}

impl<'a> Programme<'a> {
    fn new(problem: Problem<'a>) -> Self {
        let Problem { work, nodes, .. } = problem;
        let all = (0..work.types.len()).map(|t| seconds_of_all(work, nodes, t));
        let unit: f64 = all.sum();
        let of_nodes = |(place, nodes): (usize, &'a Nodes)| {
            let time = move |resource, t| Some(nodes.seconds(resource, t)? / unit);
            let times = nodes.resources.iter().map(move |resource| {
                (place, (0..work.types.len()).map(|t| time(resource, t)).collect())
            });
            times.collect::<Vec<(usize, Vec<Option<f64>>)>>()
        };
        let times: Vec<_> = nodes.iter().enumerate().flat_map(of_nodes).collect();
        let mut linear = Linear::default();
        let cost = 1.0 / (2 * work.steps()) as f64;
        let ends = PHASES.map(|_| (0..work.steps()).map(|_| linear.variable(cost)).collect());
        let mut share = |step: usize, t: usize, times: &[Option<f64>]| {
            let can = work.types[t].tasks[step] > 0 && times[t].is_some();
            can.then(|| linear.variable(0.0))
        };
        let mut of_type =
            |step, t| times.iter().map(|(_, times)| share(step, t, times)).collect::<Vec<_>>();
        let mut of_step =
            |step| (0..work.types.len()).map(|t| of_type(step, t)).collect::<Vec<_>>();
        let shares = (0..work.steps()).map(&mut of_step).collect();
        Self { problem, linear, unit, times, shares, ends }
    }

    /// (a).
    fn do_all_tasks(&mut self) {
        for shares in self.shares.iter().flatten() {
            let terms: Terms = shares.iter().flatten().map(|&share| (share, 1.0)).collect();
            if !terms.is_empty() {
                self.linear.equal(terms, 1.0);
            }
        }
    }

    /// (b).
    fn follow_in_the_first_phase(&mut self, step: usize) {
        for resource in 0..self.times.len() {
            let mut terms = self.work(step, resource, &[Phase::First]);
            terms.extend(self.since(Phase::First, step));
            self.linear.at_most(terms, 0.0);
        }
    }

    /// (c).
    fn follow_the_first_phase(&mut self, step: usize) {
        let [first, second] = [&self.ends[0], &self.ends[1]].map(|ends| ends[step]);
        for resource in 0..self.times.len() {
            let mut terms = self.work(step, resource, &[Phase::Second]);
            terms.extend([(first, 1.0), (second, -1.0)]);
            self.linear.at_most(terms, 0.0);
        }
    }

    /// (d).
    fn follow_in_the_second_phase(&mut self, step: usize) {
        for resource in 0..self.times.len() {
            let mut terms = self.work(step, resource, &[Phase::Second]);
            terms.extend(self.since(Phase::Second, step));
            self.linear.at_most(terms, 0.0);
        }
    }

    /// (e).
    fn work_alone(&mut self) {
        for resource in 0..self.times.len() {
            let work = |step| self.work(step, resource, &PHASES);
            let sums = (0..self.shares.len()).map(work).collect();
            for (step, sum) in self.cumulate(sums).into_iter().enumerate() {
                self.linear.at_most(vec![(sum, 1.0), (self.ends[1][step], -1.0)], 0.0);
            }
        }
    }

    /// (f).
    fn bound_first_task(&mut self) {
        let Problem { work, nodes, .. } = self.problem;
        let resources = || nodes.iter().flat_map(|nodes| &nodes.resources);
        let types = work.of_phase(Phase::First).map(|(t, _)| t);
        let times = types.flat_map(|t| resources().filter_map(move |resource| resource.seconds[t]));
        let shortest = times.fold(f64::INFINITY, f64::min) / self.unit;
        for step in 0..if work.is_paced { work.steps() } else { 1 } {
            let terms = self.since(Phase::First, step).collect();
            self.linear.at_most(terms, -shortest);
        }
    }

    /// (m).
    fn limit_tasks_at_a_time(&mut self, step: usize) {
        let Problem { work, nodes, options, .. } = self.problem;
        for (t, kind) in work.of_phase(Phase::First) {
            let limit = options.at_a_time.iter().find(|(kernel, _)| *kernel == kind.kernel);
            let Some((_, most)) = limit else { continue };
            for (place, nodes) in nodes.iter().enumerate() {
                let tasks = kind.tasks[step] as f64 / (most * nodes.ranks.len()) as f64;
                let seconds = nodes.resources.iter().map(|resource| resource.seconds[t]);
                let shares = self.shares_of_nodes(step, t, place);
                let mut terms: Terms = shares
                    .zip(seconds.flatten())
                    .map(|(share, seconds)| (share, tasks * seconds / self.unit))
                    .collect();
                terms.extend(self.since(Phase::First, step));
                self.linear.at_most(terms, 0.0);
            }
        }
    }

    /// The shares of tasks of type `t` that these nodes have in a step, of their resources that can
    /// run them.
    pub(super) fn shares_of_nodes(
        &self,
        step: usize,
        t: usize,
        place: usize,
    ) -> impl Iterator<Item = Variable> + '_ {
        let resources = self.shares[step][t].iter().zip(&self.times);
        resources.filter(move |(_, (nodes, _))| *nodes == place).filter_map(|(share, _)| *share)
    }

    /// The time that a resource works in a step on tasks of these phases.
    fn work(&self, step: usize, resource: usize, phases: &[Phase]) -> Terms {
        let types = self.problem.work.types.iter().enumerate();
        let types = types.filter(|(_, kind)| phases.contains(&kind.phase));
        let term = |(t, kind): (usize, &TaskType)| {
            let share = self.shares[step][t][resource]?;
            Some((share, kind.tasks[step] as f64 * self.times[resource].1[t]?))
        };
        types.filter_map(term).collect()
    }

    /// The end of the step before less that of this one, in a phase.
    fn since(&self, phase: Phase, step: usize) -> impl Iterator<Item = (Variable, f64)> + use<> {
        let ends = &self.ends[phase as usize];
        let before = step.checked_sub(1).map(|before| (ends[before], 1.0));
        before.into_iter().chain([(ends[step], -1.0)])
    }

    /// Variables for the sums of terms up to each step.
    pub(super) fn cumulate(&mut self, steps: Vec<Terms>) -> Vec<Variable> {
        let mut sums: Vec<Variable> = Vec::new();
        for mut terms in steps {
            let sum = self.linear.variable(0.0);
            terms.extend(sums.last().map(|&before| (before, 1.0)));
            terms.push((sum, -1.0));
            self.linear.equal(terms, 0.0);
            sums.push(sum);
        }
        sums
    }

    /// What weighs each type in its phase.
    pub(super) fn weights(&self) -> Vec<f64> {
        weights(self.problem.work, self.problem.nodes)
    }

    fn solution(&self, values: &Values) -> Solution {
        let places = 0..self.problem.nodes.len();
        let of_nodes = |step: usize, t: usize, place: usize| {
            self.shares_of_nodes(step, t, place).map(|share| values.of(share)).sum::<f64>()
        };
        let of_type = |step: usize, t: usize| -> Vec<f64> {
            let shares: Vec<f64> = places.clone().map(|place| of_nodes(step, t, place)).collect();
            let sum: f64 = shares.iter().sum();
            shares.iter().map(|share| if sum > 0.0 { share / sum } else { 0.0 }).collect()
        };
        let types = 0..self.problem.work.types.len();
        let of_step = |step| types.clone().map(|t| of_type(step, t)).collect();
        let seconds = |&end: &Variable| self.unit * values.of(end);
        Solution {
            shares: (0..self.shares.len()).map(of_step).collect(),
            ends: self.ends.each_ref().map(|ends| ends.iter().map(seconds).collect()),
        }
    }
}
