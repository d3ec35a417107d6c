//! A pass over the queue: each job in turn gets a node, cores there and a start.
//!
//! A pass ends when no core is left without a plan: of what stands behind nothing could start
//! before the next pass, which plans anew. With backfilling, the jobs behind may only go into
//! holes: cores that are free now and have a job planned for later.
//!
//! In the published program a pass of a scheduler that heeds files ends already at a job that asks
//! for more cores than are left without a plan.

use super::{Choice, Simulation};
use crate::residence::Span;

impl Simulation<'_> {
    /// Plans the queue from the job `next` on.
    pub(super) fn pass_over(&mut self, mut next: Option<u32>) {
        let mut free = self.cores.free(self.now);
        let all = self.cluster.all_cores() as usize;
        let mut running_nodes = self.cores.running_nodes();
        while let Some(job) = next {
            next = self.queue.after(job);
            let cores = self.jobs[job as usize].cores as usize;
            let wanted = if self.is_published() && !self.is_plain() { cores } else { 1 };
            let has_room = wanted <= free;
            let weights = (self.options.policy.weights)(&self.situation(running_nodes, free));
            let is_wide = self.jobs[job as usize].nodes > 1;
            if has_room && is_wide {
                let (newly, idle) = self.place_wide(job, weights);
                (free, running_nodes) = (free - newly, running_nodes + idle);
            } else if has_room {
                let choice = self.choose(job, weights);
                let is_idle = self.cores.is_idle(choice.node, self.now);
                if choice.start == self.now && is_idle {
                    running_nodes += 1;
                }
                free -= self.place(job, choice);
            } else if self.options.backfill && self.taken_now < all {
                let hole = if is_wide { None } else { self.choose_hole(job, weights) };
                hole.into_iter().for_each(|choice| self.place_in_hole(job, choice));
            } else {
                break;
            }
        }
    }

    /// Plans `job` as chosen; returns how many cores had no plan before.
    fn place(&mut self, job: u32, choice: Choice) -> usize {
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
                self.note_taken(node, start, count);
                count - inside
            }
            None => self.take(node, (start, end), count, &mut used),
        };
        self.used[job as usize] = used;
        self.plan_start(job, node, start);
        newly
    }

    /// Gives to a job `count` cores of `node` that are free when it starts; returns how many had no
    /// plan before.
    pub(super) fn take(
        &mut self,
        node: usize,
        (start, end): (i64, i64),
        count: usize,
        used: &mut Vec<u32>,
    ) -> usize {
        if self.options.backfill {
            let newly = self.take_by_number(node, (start, end), count, used);
            self.note_taken(node, start, count);
            return newly;
        }
        let is_free = |&&core: &&u32| self.cores.free_at(node)[core as usize] <= self.now;
        let newly = self.cores.first(node, count).iter().filter(is_free).count();
        self.cores.take_first(node, count as u32, end, used);
        newly
    }

    /// Notes for holes that `count` cores of `node` were given to a job from `start` on.
    fn note_taken(&mut self, node: usize, start: i64, count: usize) {
        self.taken_now += if start == self.now { count } else { 0 };
        self.holes.note_plan(node);
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

    /// Plans `job` into a hole. Where its file is by the plan is not noted.
    fn place_in_hole(&mut self, job: u32, choice: Choice) {
        let (node, count) = (choice.node, self.jobs[job as usize].cores as usize);
        let end = self.now + self.left[job as usize].0;
        let mut used = std::mem::take(&mut self.used[job as usize]);
        used.clear();
        self.holes.take(node, count, end, &mut used);
        self.used[job as usize] = used;
        self.note_taken(node, self.now, count);
        self.plan_start(job, node, self.now);
    }
}
