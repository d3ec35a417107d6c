//! Jobs whose transfers share the file system: when a load, and so a job, ends is known only when
//! it has.

use std::collections::HashMap;

use super::lines::{Lines, Transfer};
use super::{Outcome, Reverse, Simulation};
use crate::job::Kind;

/// How far jobs are.
#[derive(Debug)]
pub(super) struct Sharing {
    lines: Lines,
    /// Jobs that wait for a file on a node, the one that loads it first.
    waiting: HashMap<(u32, u32), Vec<u32>>,
    /// Of each job, the nodes on which its file is still to come.
    missing: Vec<u32>,
    /// Of each job, when it has computed; nothing before it does.
    computed: Vec<Option<i64>>,
    /// Evaluated jobs that run.
    running: usize,
    is_over: Vec<bool>,
}

impl Sharing {
    /// Of so many jobs, over links of this rate and a file system of that.
    pub(super) fn new(link: f64, shared: f64, jobs: usize) -> Self {
        Self {
            lines: Lines::new(link, shared),
            waiting: HashMap::new(),
            missing: vec![0; jobs],
            computed: vec![None; jobs],
            running: 0,
            is_over: vec![false; jobs],
        }
    }

    /// When the next transfer ends.
    pub(super) fn next(&self) -> Option<i64> {
        self.lines.next()
    }
}

impl Simulation<'_> {
    /// Whether jobs that are evaluated run, whose ends are not known.
    pub(super) fn is_sharing(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.running > 0)
    }

    fn sharing(&mut self) -> &mut Sharing {
        self.sharing.as_mut().expect("transfers share the file system")
    }

    /// `job` starts on `nodes`.
    pub(super) fn start_sharing(&mut self, job: u32, nodes: &[u32]) {
        let (now, of) = (self.now, &self.jobs[job as usize]);
        let (walltime, _) = self.left[job as usize];
        self.sharing().running += usize::from(of.kind == Kind::Evaluated);
        let (end, transfer, wait) = (now + walltime, 0, 0);
        self.outcomes[job as usize] =
            Some(Outcome { node: nodes[0], start: now, end, transfer, wait });
        // At the latest.
        self.ends.push(Reverse((end, job)));
        let seconds = self.load_seconds(of.file_gb);
        for (node, file) in nodes.iter().filter_map(|&node| Some((node, of.file?))) {
            let what = (file, of.file_gb);
            let fetch = self.residence.start(node as usize, what, (now, end), seconds);
            let sharing = self.sharing();
            // Whose load it was may have ended meanwhile.
            if let Some(waiting) = sharing.waiting.get_mut(&(node, file)) {
                waiting.push(job);
                sharing.missing[job as usize] += 1;
            } else if fetch.loads && of.file_gb > 0.0 {
                sharing.lines.begin(now, of.file_gb, Transfer::Load { node, file });
                sharing.waiting.insert((node, file), vec![job]);
                sharing.missing[job as usize] += 1;
            }
        }
        if self.sharing().missing[job as usize] == 0 {
            self.compute(job);
        }
    }

    /// `job` has all its files.
    fn compute(&mut self, job: u32) {
        let end = self.now + self.left[job as usize].1;
        self.sharing().computed[job as usize] = Some(end);
        if end < self.latest_end(job) {
            self.ends.push(Reverse((end, job)));
        }
    }

    fn latest_end(&self, job: u32) -> i64 {
        let start = self.outcomes[job as usize].map_or(self.now, |outcome| outcome.start);
        start + self.left[job as usize].0
    }

    /// What comes of transfers that end now; says whether a job has ended.
    pub(super) fn end_transfers(&mut self) -> bool {
        let (now, mut has_ended) = (self.now, false);
        while let Some(transfer) =
            self.sharing.as_mut().and_then(|sharing| sharing.lines.ended(now))
        {
            match transfer {
                Transfer::Load { node, file } => self.arrive(node, file),
                Transfer::Output { job } => has_ended |= self.end_sharing(job),
            }
        }
        has_ended
    }

    /// `file` is on `node`.
    fn arrive(&mut self, node: u32, file: u32) {
        self.residence.arrive(node as usize, file, self.now);
        let waiting = self.sharing().waiting.remove(&(node, file)).unwrap_or_default();
        for (place, job) in waiting.into_iter().enumerate() {
            if self.sharing().is_over[job as usize] {
                continue;
            }
            let (now, is_own) = (self.now, place == 0);
            if let Some(outcome) = &mut self.outcomes[job as usize] {
                let seconds = now - outcome.start;
                // The last one counts.
                (outcome.transfer, outcome.wait) = if is_own { (seconds, 0) } else { (0, seconds) };
            }
            let missing = &mut self.sharing().missing[job as usize];
            *missing -= 1;
            if *missing == 0 {
                self.compute(job);
            }
        }
    }

    /// `job` has computed, or must end; says whether it has ended.
    pub(super) fn step_sharing(&mut self, job: u32) -> bool {
        let (now, output) = (self.now, self.jobs[job as usize].output_gb);
        let has_computed = self.sharing().computed[job as usize] == Some(now);
        if has_computed && output > 0.0 && now < self.latest_end(job) {
            self.sharing().lines.begin(now, output, Transfer::Output { job });
            return false;
        }
        self.end_sharing(job)
    }

    /// `job` ends now, unless it has; says whether it does.
    fn end_sharing(&mut self, job: u32) -> bool {
        let is_evaluated = self.jobs[job as usize].kind == Kind::Evaluated;
        let (now, sharing) = (self.now, self.sharing());
        if std::mem::replace(&mut sharing.is_over[job as usize], true) {
            return false;
        }
        sharing.running -= usize::from(is_evaluated);
        let has_files = sharing.missing[job as usize] == 0;
        if let Some(outcome) = &mut self.outcomes[job as usize] {
            outcome.end = now;
            if !has_files {
                outcome.wait = now - outcome.start;
            }
        }
        self.end_job(job);
        true
    }
}
