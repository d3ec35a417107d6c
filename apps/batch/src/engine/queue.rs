//! The queue: jobs in the order in which they came, those that no pass has planned yet apart.

/// No job.
const NONE: u32 = u32::MAX;

/// Jobs that wait, as a list that any of them can leave at once.
#[derive(Debug)]
pub(super) struct Queue {
    next: Vec<u32>,
    previous: Vec<u32>,
    first: u32,
    last: u32,
    /// Jobs that came since the last pass over new ones.
    new: Vec<u32>,
    order: Vec<u64>,
    count: u64,
}

impl Queue {
    pub(super) fn new(jobs: usize) -> Self {
        let (next, previous) = (vec![NONE; jobs], vec![NONE; jobs]);
        Self {
            next,
            previous,
            first: NONE,
            last: NONE,
            new: Vec::new(),
            order: vec![0; jobs],
            count: 0,
        }
    }

    /// A job comes; whether it `is_new` to the plan.
    pub(super) fn push(&mut self, job: u32, is_new: bool) {
        if is_new {
            self.new.push(job);
            return;
        }
        self.count += 1;
        self.order[job as usize] = self.count;
        self.previous[job as usize] = self.last;
        match self.last {
            NONE => self.first = job,
            last => self.next[last as usize] = job,
        }
        self.last = job;
    }

    /// Puts the new jobs behind the others, in their order; returns the first.
    pub(super) fn accept_new(&mut self) -> Option<u32> {
        let new = std::mem::take(&mut self.new);
        new.iter().for_each(|&job| self.push(job, false));
        new.first().copied()
    }

    /// A job leaves.
    pub(super) fn remove(&mut self, job: u32) {
        let (previous, next) = (self.previous[job as usize], self.next[job as usize]);
        match previous {
            NONE => self.first = next,
            previous => self.next[previous as usize] = next,
        }
        match next {
            NONE => self.last = previous,
            next => self.previous[next as usize] = previous,
        }
    }

    /// Its place among all jobs that ever came.
    pub(super) fn order(&self, job: u32) -> u64 {
        self.order[job as usize]
    }

    /// The first job that is not new.
    pub(super) fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// The job behind another.
    pub(super) fn after(&self, job: u32) -> Option<u32> {
        let next = self.next[job as usize];
        (next != NONE).then_some(next)
    }
}
