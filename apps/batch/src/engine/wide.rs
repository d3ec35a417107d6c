//! Jobs of several nodes: those with the least scores, from when all of them are free.
//!
//! Each node loads the file, and the job computes when the last one has it. Such jobs go into no
//! holes.

use super::{Part, Simulation};
use crate::policy::Weights;
use crate::residence::Span;

impl Simulation<'_> {
    /// Plans `job`; returns how many of its cores had no plan before, and how many nodes it is the
    /// first to run on from now on.
    pub(super) fn place_wide(&mut self, job: u32, weights: Weights) -> (usize, usize) {
        let of = &self.jobs[job as usize];
        let wanted = self.wanted(job, weights);
        self.mark_holders(wanted.file);
        let nodes = self.cluster.nodes as usize;
        let mut scored: Vec<(f64, usize, i64)> = Vec::with_capacity(nodes);
        for node in 0..nodes {
            let start = self.cores.start(node, of.cores, self.now);
            let load = self.load(&wanted, node, start);
            scored.push((self.score(&wanted, (node, start), load, start), node, start));
        }
        scored.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        scored.truncate(of.nodes as usize);
        scored.sort_by_key(|&(_, node, _)| node);
        let start = scored.iter().map(|&(_, _, start)| start).max().unwrap_or(self.now);
        let end = start + self.left[job as usize].0;
        let (mut newly, mut idle, mut parts) = (0, 0, Vec::new());
        for (_, node, _) in scored {
            idle += usize::from(start == self.now && self.cores.is_idle(node, self.now));
            if let Some(file) = wanted.file {
                let loaded = start + self.load(&wanted, node, start) as i64;
                self.residence.plan(node, (file, of.file_gb), Span { start, loaded, end });
            }
            let mut used = Vec::new();
            newly += self.take(node, (start, end), of.cores as usize, &mut used);
            parts.push(Part { node: node as u32, used });
        }
        self.unmark_holders(wanted.file);
        let first = parts.remove(0);
        self.used[job as usize] = first.used;
        self.others.insert(job, parts);
        self.plan_start(job, first.node as usize, start);
        (newly, idle)
    }
}
