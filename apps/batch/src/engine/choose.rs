//! The node with the least score: `t + load * L + reload * P`.
//!
//! `t` is when the cores of a node are free by the plan, `L` the seconds from then on until the
//! file is there, `P` the seconds to load again what it pushes out. Of equal scores the lowest node
//! counts. Nodes that may hold the file are looked at first, then the one that is free soonest;
//! of the others, for which `L` is the same, only those that are free so soon that they may win.
//!
//! The published program differs from the text: scores are single precision, cut to whole seconds;
//! a load under way counts as its end less now, not less `t`; `P` counts files whose last planned
//! use has ended, not all that are in memory; LEO's weights for a node that is free now stay for
//! all nodes behind it.

use super::{Choice, Simulation};
use crate::policy::Weights;
use crate::residence::Span;
use crate::rules::Rules;

/// What a search knows of a job.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) file: Option<u32>,
    cores: u32,
    walltime: i64,
    weights: Weights,
    /// Weights of nodes that are free now.
    now: Weights,
    /// The first node that is free now.
    first_free: usize,
    /// Seconds of a load.
    load: f64,
}

impl Simulation<'_> {
    pub(super) fn is_published(&self) -> bool {
        self.options.rules == Rules::Published
    }

    pub(super) fn wanted(&self, job: u32, weights: Weights) -> Wanted {
        let of = &self.jobs[job as usize];
        let file = of.file.filter(|_| !self.is_plain());
        let load = match file {
            None => 0.0,
            Some(_) if self.is_published() => {
                f64::from(of.file_gb as f32 / self.cluster.bandwidth as f32)
            }
            Some(_) => self.load_seconds(of.file_gb) as f64,
        };
        let walltime = self.left[job as usize].0;
        let now = self.options.policy.now.unwrap_or(weights);
        let mut first_free = usize::MAX;
        if self.options.policy.now.is_some() && self.is_published() {
            let (whens, now) = (self.cores.when(of.cores), self.cores.short(self.now));
            first_free = first_until(whens, now).unwrap_or(usize::MAX);
        }
        Wanted { file, cores: of.cores, walltime, weights, now, first_free, load }
    }

    /// Whether files do not count.
    pub(super) fn is_plain(&self) -> bool {
        !self.options.policy.reads_files
    }

    /// The best node for `job`, and what is planned there.
    pub(super) fn choose(&mut self, job: u32, weights: Weights) -> Choice {
        let wanted = self.wanted(job, weights);
        self.mark_holders(wanted.file);
        let mut best: Option<Choice> = None;
        if let Some(file) = wanted.file {
            for index in 0..self.residence.holders(file).len() {
                let node = self.residence.holders(file)[index].0 as usize;
                self.look_at(&wanted, node, &mut best);
            }
        }
        if best.is_none() {
            let (whens, now) = (self.cores.when(wanted.cores), self.cores.short(self.now));
            let soonest = whens.iter().copied().min().unwrap_or(now).max(now);
            let soonest = first_until(whens, soonest).expect("a cluster has nodes");
            self.look_at(&wanted, soonest, &mut best);
        }
        self.look_at_others(&wanted, &mut best);
        if self.options.backfill && self.is_published() {
            self.look_at_holes(&wanted, &mut best);
        }
        self.unmark_holders(wanted.file);
        best.expect("a cluster has nodes")
    }

    /// Looks at all nodes that may be better than `best`.
    fn look_at_others(&mut self, wanted: &Wanted, best: &mut Option<Choice>) {
        let mut node = 0;
        loop {
            let later = self.latest(wanted, wanted.weights, (node, best));
            let sooner = self.latest(wanted, wanted.now, (node, best)).max(later);
            if sooner < self.now {
                break;
            }
            // Only nodes that are free now have the weights of those.
            let latest = if self.is_published() { sooner } else { later.max(self.now) };
            let whens = &self.cores.when(wanted.cores)[node..];
            let Some(found) = first_until(whens, self.cores.short(latest)) else { break };
            node += found;
            let start = self.cores.start(node, wanted.cores, self.now);
            let is_now = start == self.now || node >= wanted.first_free;
            let limit = if is_now { sooner } else { later };
            if start <= limit {
                self.look_at(wanted, node, best);
            }
            node += 1;
        }
    }

    /// The latest start with which `node` or one behind it, without the file, may be better than
    /// `best`: behind that, the same score is not enough.
    fn latest(
        &self,
        wanted: &Wanted,
        weights: Weights,
        (node, best): (usize, &Option<Choice>),
    ) -> i64 {
        let Some(best) = best else { return i64::MAX };
        let limit = best.score - weights.load * wanted.load;
        if self.is_published() {
            // Single numbers are rounded.
            (limit + 2.0) as i64
        } else if node > best.node {
            limit.ceil() as i64 - 1
        } else {
            limit as i64
        }
    }

    /// Looks at `node` for when its cores are free.
    fn look_at(&mut self, wanted: &Wanted, node: usize, best: &mut Option<Choice>) {
        let start = self.cores.start(node, wanted.cores, self.now);
        self.offer(wanted, (node, start, None), best);
    }

    /// Looks at holes that are there now, as the published program does.
    fn look_at_holes(&mut self, wanted: &Wanted, best: &mut Option<Choice>) {
        let until = self.now + wanted.walltime;
        for index in 0..self.holes.nodes().len() {
            let node = self.holes.nodes()[index] as usize;
            let times = (self.now, until);
            let inside = self.holes.fit(&self.cores, node, wanted.cores as usize, times);
            if inside.is_some() {
                self.offer(wanted, (node, self.now, inside), best);
            }
        }
    }

    /// The best hole for `job` when all cores have a plan, as the published program finds it.
    pub(super) fn choose_hole(&mut self, job: u32, weights: Weights) -> Option<Choice> {
        let count = self.jobs[job as usize].cores as usize;
        let until = self.now + self.left[job as usize].0;
        let is_too_long = self.holes.longest(count).is_none_or(|latest| until > latest);
        if count as i64 > self.holes.largest() || is_too_long {
            return None;
        }
        let mut wanted = self.wanted(job, weights);
        (wanted.weights, wanted.first_free) = (wanted.now, usize::MAX);
        self.mark_holders(wanted.file);
        let mut best: Option<Choice> = None;
        for index in 0..self.holes.nodes().len() {
            let node = self.holes.nodes()[index] as usize;
            if self.holes.have(node, count, until) {
                let load = self.load(&wanted, node, self.now);
                let least = self.sum(0, wanted.weights.load * load, 0.0);
                if best.is_some_and(|best| best.score <= least) {
                    continue;
                }
                let score = self.score(&wanted, (node, self.now), load, 0);
                if best.is_none_or(|best| score < best.score) {
                    let (start, load, inside) = (self.now, load as i64, Some(count));
                    best = Some(Choice { score, node, start, load, inside });
                }
            }
        }
        self.unmark_holders(wanted.file);
        best
    }

    /// Takes a node as the best if its score is below that of the best so far, or the same and its
    /// number lower; a hole only if its score is below that of the node without it.
    fn offer(
        &mut self,
        wanted: &Wanted,
        (node, start, inside): (usize, i64, Option<usize>),
        best: &mut Option<Choice>,
    ) {
        let load = self.load(wanted, node, start);
        let is_better = |score: f64, best: &Option<Choice>| {
            best.is_none_or(|best| score < best.score || score == best.score && node < best.node)
        };
        let weights = self.weights_at(wanted, node, start);
        if !is_better(self.sum(start, weights.load * load, 0.0), best) {
            return;
        }
        let score = self.score(wanted, (node, start), load, start);
        if is_better(score, best) {
            *best = Some(Choice { score, node, start, load: load as i64, inside });
        }
    }

    fn weights_at(&self, wanted: &Wanted, node: usize, start: i64) -> Weights {
        let is_now =
            if self.is_published() { node >= wanted.first_free } else { start == self.now };
        if is_now { wanted.now } else { wanted.weights }
    }

    /// The score of `node` from `start` on, counted from `time`.
    pub(super) fn score(
        &mut self,
        wanted: &Wanted,
        (node, start): (usize, i64),
        load: f64,
        time: i64,
    ) -> f64 {
        let weights = self.weights_at(wanted, node, start);
        let again = if weights.reload == 0.0 { 0.0 } else { self.reload(wanted, node, start) };
        self.sum(time, weights.load * load, weights.reload * again)
    }

    /// The three parts of a score together.
    fn sum(&self, time: i64, loads: f64, again: f64) -> f64 {
        if self.is_published() {
            f64::from((time as f32 + loads as f32 + again as f32).trunc())
        } else {
            time as f64 + loads + again
        }
    }

    /// Seconds from `start` on until the file is on `node`.
    pub(super) fn load(&mut self, wanted: &Wanted, node: usize, start: i64) -> f64 {
        if wanted.file.is_none() {
            return 0.0;
        }
        if let Some(place) = self.place_on[node].checked_sub(1) {
            let from = if self.is_published() { self.now } else { start };
            let is_there = |span: &&Span| span.start <= start && start <= span.end;
            if let Some(span) = self.residence.spans(node, place).iter().find(is_there) {
                return if span.loaded <= start { 0.0 } else { (span.loaded - from) as f64 };
            }
        }
        wanted.load
    }

    /// Seconds to load again what the job pushes out: the files on `node` but its own, in the share
    /// of its cores.
    fn reload(&mut self, wanted: &Wanted, node: usize, start: i64) -> f64 {
        let file = wanted.file.filter(|_| self.place_on[node] > 0);
        if self.is_published() {
            let has_ended =
                |spans: &[Span], start| spans.last().is_some_and(|span| start >= span.end);
            let (_, sizes) = self.residence.sizes(node, file, start, has_ended);
            let share = wanted.cores as f32 / self.cluster.cores as f32;
            return f64::from(sizes * share / self.cluster.bandwidth as f32);
        }
        let is_there = |spans: &[Span], start| {
            spans.iter().any(|span| span.start <= start && start <= span.end)
        };
        let (sizes, _) = self.residence.sizes(node, file, start, is_there);
        let share = f64::from(wanted.cores) / f64::from(self.cluster.cores);
        sizes * share / self.cluster.bandwidth
    }

    /// Notes on which nodes `file` may be.
    pub(super) fn mark_holders(&mut self, file: Option<u32>) {
        for &(node, place) in file.map_or(&[][..], |file| self.residence.holders(file)) {
            self.place_on[node as usize] = place + 1;
        }
    }

    pub(super) fn unmark_holders(&mut self, file: Option<u32>) {
        for &(node, _) in file.map_or(&[][..], |file| self.residence.holders(file)) {
            self.place_on[node as usize] = 0;
        }
    }
}

/// The first of `times` that is at most `limit`.
fn first_until(times: &[i32], limit: i32) -> Option<usize> {
    const CHUNK: usize = 32;
    let has_one = |chunk: &[i32]| chunk.iter().fold(false, |any, &time| any | (time <= limit));
    let chunk = times.chunks(CHUNK).position(has_one)?;
    let start = chunk * CHUNK;
    times[start..].iter().position(|&time| time <= limit).map(|place| start + place)
}
