//! A pass as the program has it that made the published numbers, with its details.
//!
//! Scores are single precision, cut to whole seconds. A pass ends when no core is left without a
//! plan; with backfilling, the jobs behind may only go into holes. A load under way counts as its
//! end less now, not less `t`. LEO's weights for a node that is free now stay for all later nodes
//! of that job. Backfilling fills holes that are there now only.

use super::{Choice, Simulation};
use crate::policy::Weights;
use crate::residence::Span;

impl Simulation<'_> {
    /// Plans the queue from the job `next` on.
    pub(super) fn pass_published(&mut self, mut next: Option<u32>) {
        let mut free = self.cores.free(self.now);
        let all = self.cluster.all_cores() as usize;
        let mut running_nodes = self.cores.running_nodes();
        while let Some(job) = next {
            next = self.queue.after(job);
            let cores = self.jobs[job as usize].cores as usize;
            // First come, first served plans on as long as any core is free.
            let has_room = if self.is_plain() { free > 0 } else { cores <= free };
            let weights = (self.options.policy.weights)(&self.situation(running_nodes));
            if has_room {
                let choice = self.choose_published(job, weights);
                let is_idle = self.cores.is_idle(choice.node, self.now);
                if choice.start == self.now && is_idle {
                    running_nodes += 1;
                }
                free -= self.place_published(job, choice);
            } else if self.options.backfill && self.taken_now < all {
                if let Some(choice) = self.choose_hole(job, weights) {
                    self.place_in_hole(job, choice);
                }
            } else {
                break;
            }
        }
    }

    /// Whether files do not count.
    fn is_plain(&self) -> bool {
        self.options.policy.name == "fcfs"
    }

    /// The node with the least score, and what is planned there.
    fn choose_published(&mut self, job: u32, mut weights: Weights) -> Choice {
        let of = &self.jobs[job as usize];
        let (now, count) = (self.now, of.cores);
        let until = now + self.left[job as usize].0;
        self.mark_holders(of.file);
        let mut best: Option<Choice> = None;
        for node in 0..self.cluster.nodes as usize {
            let start = self.cores.when(count)[node].max(now);
            if start == now {
                weights = self.options.policy.now.unwrap_or(weights);
            }
            if best.is_none_or(|best| (start as f64) < best.score) {
                self.offer(&mut best, job, weights, (node, start, None));
            }
            if !self.options.backfill || best.is_some_and(|best| best.score <= now as f64) {
                continue;
            }
            let inside = self.holes.fit(&self.cores, node, count as usize, (now, until));
            if inside.is_some() {
                self.offer(&mut best, job, weights, (node, now, inside));
            }
        }
        self.unmark_holders(of.file);
        best.expect("a cluster has nodes")
    }

    /// Takes a node as the best if its score is below that of the best so far.
    fn offer(
        &mut self,
        best: &mut Option<Choice>,
        job: u32,
        weights: Weights,
        (node, start, inside): (usize, i64, Option<usize>),
    ) {
        let load = self.load_published(job, node, start);
        let most = best.map_or(f32::INFINITY, |best| best.score as f32);
        let (time, weight) = (start as f32, weights.load as f32);
        if time + weight * load >= most {
            return;
        }
        let again = self.reload_published(job, node, start, weights);
        let score = (time + weight * load + weights.reload as f32 * again).trunc();
        if score < most {
            *best =
                Some(Choice { score: f64::from(score), node, start, load: load as i64, inside });
        }
    }

    /// Seconds from `start` on until the file of `job` is on `node`.
    fn load_published(&mut self, job: u32, node: usize, start: i64) -> f32 {
        let of = &self.jobs[job as usize];
        if of.file.is_none() || self.is_plain() {
            return 0.0;
        }
        if let Some(place) = self.place_on[node].checked_sub(1) {
            let is_there = |span: &&Span| span.start <= start && start <= span.end;
            if let Some(span) = self.residence.spans(node, place).iter().find(is_there) {
                return if span.loaded <= start { 0.0 } else { (span.loaded - self.now) as f32 };
            }
        }
        of.file_gb as f32 / self.cluster.bandwidth as f32
    }

    /// Seconds to load again what `job` pushes out: files of `node` whose last planned use has
    /// ended at `start`, in the share of its cores.
    fn reload_published(&mut self, job: u32, node: usize, start: i64, weights: Weights) -> f32 {
        if weights.reload == 0.0 {
            return 0.0;
        }
        let of = &self.jobs[job as usize];
        let has_ended = |spans: &[Span]| spans.last().is_some_and(|span| start >= span.end);
        let (_, sizes) = self.residence.sizes(node, of.file, has_ended);
        let share = of.cores as f32 / self.cluster.cores as f32;
        sizes * share / self.cluster.bandwidth as f32
    }

    /// Plans `job` as chosen; returns how many cores had no plan before.
    fn place_published(&mut self, job: u32, choice: Choice) -> usize {
        let Choice { node, start, load, inside, .. } = choice;
        let of = &self.jobs[job as usize];
        let (count, end) = (of.cores as usize, start + self.left[job as usize].0);
        if let Some(file) = of.file.filter(|_| !self.is_plain()) {
            let span = Span { start, loaded: start + load, end };
            self.residence.plan(node, (file, of.file_gb), span);
        }
        let mut used = std::mem::take(&mut self.used[job as usize]);
        let newly = match inside {
            Some(inside) => {
                used.clear();
                self.holes.take(node, inside, end, &mut used);
                let outside: Vec<u32> = self.cores.first(node, count - inside).to_vec();
                self.cores.give(node, end, &outside);
                used.extend(outside);
                count - inside
            }
            None if self.options.backfill => {
                self.take_by_number(node, (start, end), count, &mut used)
            }
            None => {
                let is_free = |&&core: &&u32| self.cores.free_at(node)[core as usize] <= self.now;
                let newly = self.cores.first(node, count).iter().filter(is_free).count();
                self.cores.take_first(node, count as u32, end, &mut used);
                newly
            }
        };
        if self.options.backfill {
            self.taken_now += if start == self.now { count } else { 0 };
            self.holes.note_plan(node);
        }
        self.used[job as usize] = used;
        self.plan_start(job, node, start);
        newly
    }

    /// Gives to a job the cores of the lowest numbers that are free when it starts, and notes
    /// which have a hole before it; returns how many had no plan before.
    fn take_by_number(
        &mut self,
        node: usize,
        (start, end): (i64, i64),
        count: usize,
        used: &mut Vec<u32>,
    ) -> usize {
        used.clear();
        let mut newly = 0;
        for (core, &free_at) in self.cores.free_at(node).iter().enumerate() {
            if free_at <= start && used.len() < count {
                used.push(core as u32);
                if free_at <= self.now {
                    newly += 1;
                    if start > self.now {
                        self.holes.insert(node, core as u32, start);
                    }
                }
            }
        }
        self.cores.give(node, end, used);
        newly
    }

    /// The best hole for `job`, when all cores have a plan.
    fn choose_hole(&mut self, job: u32, weights: Weights) -> Option<Choice> {
        let of = &self.jobs[job as usize];
        let (now, count) = (self.now, of.cores as usize);
        if count as i64 > self.holes.largest() {
            return None;
        }
        let weights = self.options.policy.now.unwrap_or(weights);
        let until = now + self.left[job as usize].0;
        self.mark_holders(of.file);
        let mut best: Option<Choice> = None;
        for index in 0..self.holes.nodes().len() {
            let node = self.holes.nodes()[index] as usize;
            if self.holes.fitting(node, count, until) < count {
                continue;
            }
            let load = self.load_published(job, node, now);
            let most = best.map_or(f32::INFINITY, |best| best.score as f32);
            let loads = weights.load as f32 * load;
            if loads >= most {
                continue;
            }
            let again = self.reload_published(job, node, now, weights);
            let score = (loads + weights.reload as f32 * again).trunc();
            if score < most {
                let inside = Some(count);
                let (score, load) = (f64::from(score), load as i64);
                best = Some(Choice { score, node, start: now, load, inside });
                if score == 0.0 {
                    break;
                }
            }
        }
        self.unmark_holders(of.file);
        best
    }

    /// Plans `job` into a hole. Where its file is by the plan is not noted.
    fn place_in_hole(&mut self, job: u32, choice: Choice) {
        let (node, count) = (choice.node, self.jobs[job as usize].cores as usize);
        let end = self.now + self.left[job as usize].0;
        let mut used = std::mem::take(&mut self.used[job as usize]);
        used.clear();
        self.holes.take(node, count, end, &mut used);
        self.used[job as usize] = used;
        self.taken_now += count;
        self.holes.note_plan(node);
        self.plan_start(job, node, self.now);
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
